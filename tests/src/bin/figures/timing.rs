//! Whether the time of an answer tells a hidden tool from one that is not there.

use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::{Options, Registry, Tool};
use toolkit_tests::Dice;

use crate::measure::answered;

/// What is printed.
pub(crate) const NAME: &str = "timing.hidden";

const PAIRS: usize = 500;

/// Of each registry.
const CALLS: usize = 2_000;

/// Looks up one order.
#[tool(effect = "read", scopes("orders:read"))]
fn get_order(id: String) -> String {
    id
}

/// Pays money back.
#[tool(effect = "read", scopes("refunds:read"))]
fn get_refund(id: String) -> String {
    id
}

/// Counts the parcels.
#[tool(effect = "read", scopes("refunds:read"))]
fn get_parcel(id: String) -> String {
    id
}

/// The same call in registries that differ in a tool that its caller may not see: in one the call
/// names it. Student's t over the differences of many such pairs, since where in memory a registry
/// lies tells more than what it holds; and over those of pairs that do not differ.
pub(crate) fn line() -> Value {
    // In an order of dice, so that what comes before is the same for all.
    let mut dice = Dice::of(1);
    let (mut apart, mut alike) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        // As many of either, or the processor expects the more frequent one.
        let mut order = [0, 1, 2, 3];
        order.rotate_left(dice.below(4));
        let views = order.map(|kind| if kind < 2 { there() } else { missing() });
        let mut times: [Vec<f64>; 4] = Default::default();
        for _ in 0..4 * CALLS {
            let which = dice.below(4);
            times[order[which]].push(nanoseconds(&views[which]));
        }
        let [there, there_again, missing, missing_again] = times.map(usual);
        apart.push((there + there_again - missing - missing_again) / 2.0);
        alike.push((there - there_again + missing - missing_again) / 2.0);
    }
    let ([apart, t], [_, floor]) = (mean_and_t(&apart), mean_and_t(&alike));
    json!({
        "figure": NAME,
        "t": rounded(t),
        "of": format!(
            "Student's t of {PAIRS} pairs of registries by {CALLS} calls of a hidden tool and of \
             an unknown one, beside pairs of one kind"
        ),
        "floor": rounded(floor),
        "nanoseconds": rounded(apart),
    })
}

/// The average without the slowest tenth, in which the machine did something else.
fn usual(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.truncate(times.len() * 9 / 10);
    mean(&times)
}

fn there() -> View {
    view(tools![get_order, get_refund])
}

fn missing() -> View {
    view(tools![get_order, get_parcel])
}

fn view(tools: [Tool; 2]) -> View {
    let registry = Registry::builder().tools(tools).build().expect("the registry is right");
    registry.view(Caller::new("figures").scopes(["orders:read"]))
}

fn nanoseconds(view: &View) -> f64 {
    let start = Instant::now();
    black_box(refused(view));
    start.elapsed().as_secs_f64() * 1e9
}

fn refused(view: &View) -> usize {
    let call = ToolCall::new("call_1", "get_refund", r#"{"id":"R-1"}"#);
    let outcome = answered(view.dispatch(&call, Options::default()));
    assert!(outcome.is_error());
    outcome.text().len()
}

#[expect(clippy::cast_precision_loss, reason = "there are thousands")]
fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

#[expect(clippy::cast_precision_loss, reason = "there are thousands")]
fn mean_and_t(differences: &[f64]) -> [f64; 2] {
    let (mean_of_all, count) = (mean(differences), differences.len() as f64);
    let squares: Vec<f64> = differences.iter().map(|one| (one - mean_of_all).powi(2)).collect();
    let error = (mean(&squares) / (count - 1.0)).sqrt();
    [mean_of_all, mean_of_all / error]
}

fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
