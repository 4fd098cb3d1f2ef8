//! What a search takes and keeps, and how well it finds.

use std::time::Instant;

use serde_json::{Value, json};
use toolkit::View;
use toolkit_tests::catalogue::{everything, metatool, retrieval, shop, times_over, view};

/// Each size, in tools.
const SIZES: [usize; 3] = [30, 1_000, 10_000];

pub(crate) fn names() -> Vec<String> {
    let sizes = SIZES.iter().map(|size| format!("search.{size}"));
    sizes.chain(["search.metatool.r1".to_owned(), "search.metatool.r5".to_owned()]).collect()
}

/// The lines of the subjects that begin so.
pub(crate) fn lines(subject: &str) -> Vec<Value> {
    let wanted = |name: &str| name.starts_with(subject);
    let sizes = SIZES.iter().filter(|size| wanted(&format!("search.{size}")));
    let mut lines: Vec<Value> = sizes.map(|size| speed(*size)).collect();
    if wanted("search.metatool.r1") || wanted("search.metatool.r5") {
        lines.extend(
            quality().into_iter().filter(|line| line["figure"].as_str().is_some_and(wanted)),
        );
    }
    lines
}

fn speed(size: usize) -> Value {
    let requests: Vec<String> = match metatool() {
        Some(metatool) => metatool.queries.into_iter().take(1_000).map(|query| query.q).collect(),
        None => shop().requests.into_iter().map(|labelled| labelled.request).collect(),
    };
    let view = view(&times_over(&everything(), size));
    // The first search makes the index.
    let start = Instant::now();
    let found = view.search("anything", 1).len();
    let built = start.elapsed().as_secs_f64() * 1e3;
    let [median, rare] = microseconds(&view, &requests);
    json!({
        "figure": format!("search.{size}"),
        "microseconds": rounded(median),
        "p99": rounded(rare),
        "of": format!("median of {} requests, the first 5 of {size} tools", requests.len()),
        "index_ms": rounded(built),
        "found": found,
    })
}

fn microseconds(view: &View, requests: &[String]) -> [f64; 2] {
    let mut times: Vec<f64> = requests
        .iter()
        .map(|request| {
            let once = |_| {
                let start = Instant::now();
                std::hint::black_box(view.search(request, 5));
                start.elapsed().as_secs_f64() * 1e6
            };
            (0..5).map(once).fold(f64::MAX, f64::min)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[times.len() * 99 / 100]]
}

fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn quality() -> Vec<Value> {
    let Some(metatool) = metatool() else { return Vec::new() };
    let view = view(&metatool.tools);
    let found = retrieval(&metatool.queries, |request| {
        view.search(request, 5).iter().map(|found| found.name().to_owned()).collect()
    });
    let line = |name: &str, share: f64| {
        json!({
            "figure": format!("search.metatool.{name}"),
            "share": (share * 1e4).round() / 1e4,
            "of": "the right tools of 2,000 requests, out of 199, by words alone",
            "ndcg5": (found.gain * 1e4).round() / 1e4,
        })
    };
    vec![line("r1", found.first), line("r5", found.five)]
}
