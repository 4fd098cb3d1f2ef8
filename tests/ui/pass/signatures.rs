//! Signatures as they are written in programs.

#![deny(warnings)]

use std::collections::BTreeMap;

use toolkit::prelude::*;

struct Bank {
    limit: u64,
}

type Maybe<T> = Option<T>;
type Answer<T = ()> = Result<T, ToolError>;

/// A point.
#[arg_type]
struct Point {
    x: f64,
    y: f64,
}

/// Takes its values apart.
#[tool]
fn patterns(
    #[arg(rename = "point")] Point { x, y }: Point,
    #[arg(rename = "pair", minimum = 1)] _: u8,
    whole @ Point { .. }: Point,
    #[arg(rename = "range")] (from, to): (u8, u8),
    #[state] Bank { limit }: &Bank,
    #[context] _: &CallContext,
    mut count: u8,
) -> Vec<f64> {
    count += from + to;
    let limit = u32::try_from(*limit).unwrap_or_default();
    vec![x, y, whole.x, whole.y, f64::from(count), f64::from(limit)]
}

/// Has parameters that are there in some builds.
#[tool(effect = "write", idempotency(only_here, everywhere), preview = format!("{everywhere}"))]
async fn conditional(
    everywhere: u8,
    #[cfg(all())] only_here: &str,
    /// Is elsewhere.
    #[cfg(any())]
    #[arg(minimum = UNKNOWN)]
    elsewhere: Unknown,
    #[cfg(any())]
    #[arg(description = UNKNOWN)]
    elsewhere_borrowed: &Unknown,
    #[cfg(any())]
    #[state]
    elsewhere_state: &Unknown,
    #[cfg(any())]
    #[context]
    elsewhere_context: &CallContext,
    #[cfg(any())] either: Unknown,
    #[cfg(not(any()))] either: u16,
) -> String {
    format!("{everywhere} {only_here} {either}")
}

/// Lends for several lifetimes.
#[tool]
async fn lifetimes<'a, 'b: 'a>(left: &'a str, right: &'b str, list: &'b [String]) -> &'a str
where
    'a: 'a,
{
    if list.is_empty() { left } else { right }
}

/// Leaves its rules early.
#[tool(
    effect = "write",
    check = {
        if amount > bank.limit {
            return Err(ToolError::business("too much"));
        }
        for word in words {
            if word.is_empty() {
                return Err(ToolError::validation("a blank word"));
            }
        }
        Ok(())
    },
    check = match words.first() {
        Some(word) if found(word).await? => Ok(()),
        _ => Err(ToolError::business("unknown")),
    },
    approval({
        if words.is_empty() {
            return false;
        }
        amount > 5
    }),
    preview = {
        if amount == 0 {
            return "does nothing".to_owned();
        }
        format!("pays {amount}")
    },
)]
async fn early(#[state] bank: &Bank, amount: u64, words: &[String]) -> Answer<Maybe<u64>> {
    Ok(words.first().map(|_| amount + bank.limit))
}

async fn found(word: &str) -> Result<bool, std::num::ParseIntError> {
    word.parse().map(|count: u8| count > 0)
}

/// Has no result.
#[tool]
pub(crate) fn nothing(deep: BTreeMap<String, Vec<Maybe<(u8, Point)>>>) -> Answer {
    drop(deep);
    Ok(())
}

/// Takes many.
#[tool]
fn many(
    #[arg(minimum = 0)] p0: u8,
    #[arg(minimum = 1)] p1: u8,
    #[arg(minimum = 2)] p2: u8,
    #[arg(minimum = 3)] p3: u8,
    #[arg(minimum = 4)] p4: u8,
    #[arg(minimum = 5)] p5: u8,
    #[arg(minimum = 6)] p6: u8,
    #[arg(minimum = 7)] p7: u8,
    #[arg(minimum = 8)] p8: u8,
    #[arg(minimum = 9)] p9: u8,
    #[arg(minimum = 10)] p10: u8,
    #[arg(minimum = 11)] p11: u8,
    #[arg(minimum = 12)] p12: u8,
    #[arg(minimum = 13)] p13: u8,
    #[arg(minimum = 14)] p14: u8,
    #[arg(minimum = 15)] p15: u8,
    #[arg(minimum = 16)] p16: u8,
    #[arg(minimum = 17)] p17: u8,
    #[arg(minimum = 18)] p18: u8,
    #[arg(minimum = 19)] p19: u8,
    #[arg(minimum = 20)] p20: u8,
    #[arg(minimum = 21)] p21: u8,
    #[arg(minimum = 22)] p22: u8,
    #[arg(minimum = 23)] p23: u8,
    #[arg(minimum = 24)] p24: u8,
    #[arg(minimum = 25)] p25: u8,
    #[arg(minimum = 26)] p26: u8,
    #[arg(minimum = 27)] p27: u8,
    #[arg(minimum = 28)] p28: u8,
    #[arg(minimum = 29)] p29: u8
) -> u32 {
    [p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29].iter().map(|p| u32::from(*p)).sum()
}

mod inner {
    use toolkit::prelude::*;

    pub(in crate::inner) mod deep {
        /// Finds.
        #[toolkit::prelude::tool]
        pub(in crate::inner) fn find() {}
    }

    pub(super) fn tools() -> [Tool; 1] {
        tools![deep::find]
    }
}

fn main() {
    /// Adds in a function's body.
    #[tool(check = local(a))]
    fn add(a: u8, b: u8) -> u8 {
        a + b
    }

    fn local(a: u8) -> Result<(), ToolError> {
        if a > 0 { Ok(()) } else { Err(ToolError::business("nothing")) }
    }

    let tools: [Tool; 7] =
        tools![patterns, conditional, lifetimes, early, nothing, many, add];
    let [tool] = inner::tools();
    assert_eq!(tool.name(), "find");

    let view = Registry::builder()
        .tools(tools.into_iter().filter(|tool| tool.name() == "patterns" || tool.name() == "add"))
        .state(Bank { limit: 7 })
        .build()
        .unwrap()
        .view(Caller::new("ann"));
    let arguments = r#"{
        "point": {"x": 1, "y": 2}, "pair": 3, "whole": {"x": 4, "y": 5}, "range": [6, 7], "count": 8
    }"#;
    let call = ToolCall::new("call_1", "patterns", arguments);
    let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
    assert_eq!(outcome.text(), "[1.0,2.0,4.0,5.0,21.0,7.0]");
}
