//! What a search takes and keeps, and how well it finds.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};
use toolkit::{BoxError, Caller, Embedder, View};
use toolkit_tests::catalogue::{
    MetaTool, builder, everything, metatool, resident_kilobytes, retrieval, shop, times_over, view,
};

use crate::bert::SentenceEncoder;
use crate::measure::INNER;

/// Registries whose indexes are counted together.
const COPIES: u64 = 4;

const ANYTHING: &str = "anything";

/// Each size, in tools.
const SIZES: [usize; 3] = [30, 1_000, 10_000];

/// The shares of right tools by words, and by words and meaning.
const SHARES: [&str; 4] = [
    "search.metatool.r1",
    "search.metatool.r5",
    "search.metatool.fused.r1",
    "search.metatool.fused.r5",
];

/// The variable that names the folder of an embedder's weights.
const WEIGHTS: &str = "TOOLKIT_EMBEDDER";

pub(crate) fn names() -> Vec<String> {
    let sizes = SIZES.iter().map(|size| name_of(*size));
    sizes.chain(SHARES.map(str::to_owned)).collect()
}

fn name_of(size: usize) -> String {
    format!("search.{size}")
}

/// Prints the lines of the subjects that begin so.
pub(crate) fn print(subject: &str) {
    let wanted = |name: &str| name.starts_with(subject);
    for name in SIZES.map(name_of).into_iter().filter(|name| wanted(name)) {
        // In a process of its own, so that what it keeps can be told from what others left.
        let own = std::env::current_exe().expect("the figures are a file");
        let status = Command::new(own).args([INNER, &name]).status();
        assert!(status.is_ok_and(|status| status.success()), "{name} was not measured");
    }
    if !SHARES.into_iter().any(wanted) {
        return;
    }
    let Some(metatool) = metatool() else { return };
    let mut lines = by_words(&metatool).to_vec();
    if SHARES.into_iter().any(|name| wanted(name) && name.contains("fused")) {
        lines.extend(fused(&metatool));
    }
    for line in lines.iter().filter(|line| line["figure"].as_str().is_some_and(wanted)) {
        println!("{line}");
    }
}

/// Prints one size's line, if it is one.
pub(crate) fn print_alone(name: &str) -> bool {
    let Some(size) = SIZES.into_iter().find(|size| name == name_of(*size)) else { return false };
    println!("{}", speed(size));
    true
}

fn speed(size: usize) -> Value {
    let requests: Vec<String> = match metatool() {
        Some(metatool) => metatool.queries.into_iter().take(1_000).map(|query| query.q).collect(),
        None => shop().requests.into_iter().map(|labelled| labelled.request).collect(),
    };
    let tools = times_over(&everything(), size);
    // The first search makes the index, and in each registry its own: some take the room that
    // making the registries left, and the others what they need.
    let copies = || (0..COPIES).map(|_| view(&tools)).collect::<Vec<View>>();
    let (view, filling, counted) = (view(&tools), copies(), copies());
    let start = Instant::now();
    let found = view.search(ANYTHING, 1).len();
    let built = start.elapsed().as_secs_f64() * 1e3;
    for view in &filling {
        std::hint::black_box(view.search(ANYTHING, 1));
    }
    let before = resident_kilobytes();
    for view in &counted {
        std::hint::black_box(view.search(ANYTHING, 1));
    }
    let kept = resident_kilobytes().zip(before).map(|(after, before)| after.saturating_sub(before));
    let kept = kept.map(|kept| kept / COPIES);
    let [median, rare] = microseconds(&view, &requests);
    json!({
        "figure": name_of(size),
        "microseconds": rounded(median),
        "p99": rounded(rare),
        "of": format!("median of {} requests, the first 5 of {size} tools", requests.len()),
        "index_ms": rounded(built),
        "index_kib": kept,
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

fn share(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

fn by_words(metatool: &MetaTool) -> [Value; 2] {
    let view = view(&metatool.tools);
    let found = retrieval(&metatool.queries, |request| names_of(&view, request));
    [("r1", found.first), ("r5", found.five)].map(|(name, of)| {
        json!({
            "figure": format!("search.metatool.{name}"),
            "share": share(of),
            "of": "the right tools of 2,000 requests, out of 199, by words alone",
            "ndcg5": share(found.gain),
        })
    })
}

fn names_of(view: &View, request: &str) -> Vec<String> {
    view.search(request, 5).iter().map(|found| found.name().to_owned()).collect()
}

/// By words and meaning, beside meaning alone.
#[expect(clippy::cast_precision_loss, reason = "there are 2,000 requests")]
fn fused(metatool: &MetaTool) -> Vec<Value> {
    let Some(folder) = std::env::var_os(WEIGHTS) else {
        println!("skipped: search.metatool.fused, {WEIGHTS} names no folder of weights");
        return Vec::new();
    };
    let encoder = SentenceEncoder::open(folder.as_ref()).expect("the weights can be read");
    let told = Arc::new(Mutex::new(Vec::new()));
    let embedder = Remembering { encoder, told: Arc::clone(&told) };
    let registry = builder(&metatool.tools).embedder(embedder).build();
    let view = registry.expect("the registry is right").view(Caller::new("ada"));
    let start = Instant::now();
    let fused = retrieval(&metatool.queries, |request| names_of(&view, request));
    let each = start.elapsed().as_secs_f64() * 1e3 / metatool.queries.len() as f64;
    let told = told.lock().expect("nothing panicked");
    let (tools, requests) = told.split_at(metatool.tools.len());
    let requests: BTreeMap<&str, &[f32]> =
        requests.iter().map(|(text, vector)| (text.as_str(), vector.as_slice())).collect();
    let visible = view.visible();
    let meant = retrieval(&metatool.queries, |request| {
        let fit = |(_, vector): &(String, Vec<f32>)| cosine(vector, requests[request]);
        let mut ranked: Vec<(f32, &str)> =
            tools.iter().map(fit).zip(visible.iter().copied()).collect();
        ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        ranked.into_iter().take(5).map(|(_, name)| name.to_owned()).collect()
    });
    let shares = [("r1", fused.first, meant.first), ("r5", fused.five, meant.five)];
    let line = |(name, of, alone): (&str, f64, f64)| {
        json!({
            "figure": format!("search.metatool.fused.{name}"),
            "share": share(of),
            "of": "the right tools of 2,000 requests, out of 199, by words and meaning",
            "meaning_alone": share(alone),
            "ndcg5": share(fused.gain),
            "milliseconds": rounded(each),
        })
    };
    shares.map(line).to_vec()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let product = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

/// Texts, each with its vector.
type Told = Vec<(String, Vec<f32>)>;

/// An encoder that keeps what it told, in order.
struct Remembering {
    encoder: SentenceEncoder,
    told: Arc<Mutex<Told>>,
}

impl Embedder for Remembering {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        let vectors = self.encoder.embed(texts)?;
        let named = texts.iter().map(|text| (*text).to_owned()).zip(vectors.iter().cloned());
        self.told.lock().expect("nothing panicked").extend(named);
        Ok(vectors)
    }
}
