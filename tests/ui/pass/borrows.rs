//! Borrows across awaits, and other futures that trip a careless expansion.

#![deny(warnings)]

use std::collections::BTreeMap;

use toolkit::prelude::*;

struct Bank {
    names: BTreeMap<String, String>,
}

impl Bank {
    async fn name<'a>(&'a self, id: &'a str) -> &'a str {
        std::future::ready(()).await;
        self.names.get(id).map_or(id, String::as_str)
    }
}

/// Holds what it is lent while it waits.
#[tool(effect = "read", check = known(bank, ids).await, preview = bank.name(&ids[0]).await.to_owned())]
async fn names<'a>(#[state] bank: &'a Bank, #[context] cx: &CallContext, ids: &'a [String], glue: &str) -> String {
    let mut text = String::new();
    for id in ids {
        let name = bank.name(id).await;
        text += name;
        text += glue;
        std::future::ready(&text).await;
    }
    format!("{text} {}", cx.caller().principal())
}

async fn known(bank: &Bank, ids: &[String]) -> Result<(), ToolError> {
    for id in ids {
        if bank.name(id).await.is_empty() {
            return Err(ToolError::business("unknown"));
        }
    }
    Ok(())
}

fn main() {
    let names = tools![names];
    let bank = Bank { names: BTreeMap::from([("a".to_owned(), "Ada".to_owned())]) };
    let view = Registry::builder().tools(names).state(bank).build().unwrap().view(Caller::new("ann"));
    let call = ToolCall::new("call_1", "names", r#"{"ids": ["a", "b"], "glue": ","}"#);
    let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
    assert_eq!(outcome.text(), "Ada,b, ann");
}
