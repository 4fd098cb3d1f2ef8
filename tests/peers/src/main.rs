//! Search by toolkit and by the crates `bm25` and `tantivy`, in one run, one JSON object a line.
//!
//! `TOOLKIT_CATALOGUES=… cargo run --release` in this folder.

#[expect(dead_code, reason = "the tests use the rest")]
#[path = "../../src/catalogue.rs"]
mod catalogue;

use std::process::Command;
use std::time::Instant;

use bm25::{Document, Language, SearchEngine, SearchEngineBuilder};
use catalogue::{
    Entry, everything, metatool, resident_kilobytes, retrieval, times_over, view,
};
use serde_json::json;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value as _,
};
use tantivy::tokenizer::{
    Language as Stems, LowerCaser, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer,
    TokenStream,
};
use tantivy::{IndexReader, IndexSettings, Term, doc};
use toolkit::View;

type Search = Box<dyn Fn(&str, usize) -> Vec<String>>;

/// Makes a search of tools that were taken in before.
type Build = Box<dyn FnOnce() -> Search>;

const KINDS: [(&str, fn(&[Entry]) -> Build); 3] =
    [("toolkit", ours), ("bm25", bm25), ("tantivy", tantivy)];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(metatool) = metatool() else { return };
    if let [by, size] = arguments.as_slice() {
        let requests = metatool.queries.into_iter().take(1_000).map(|one| one.q).collect();
        return speed(by, size.parse().expect("a size is a number"), requests);
    }
    for (name, prepare) in KINDS {
        let search = prepare(&metatool.tools)();
        let found = retrieval(&metatool.queries, |request| search(request, 5));
        println!(
            "{}",
            json!({
                "figure": "search.metatool",
                "by": name,
                "r1": rounded(found.first, 1e4),
                "r5": rounded(found.five, 1e4),
                "ndcg5": rounded(found.gain, 1e4),
            })
        );
    }
    let own = std::env::current_exe().expect("it is a file");
    for size in ["30", "1000", "10000"] {
        for (name, _) in KINDS {
            // Each in a process of its own, so that what it keeps can be told from the others'.
            let status = Command::new(&own).args([name, size]).status();
            assert!(status.is_ok_and(|status| status.success()), "{name} of {size}");
        }
    }
}

fn speed(by: &str, size: usize, requests: Vec<String>) {
    let (_, prepare) = KINDS.into_iter().find(|(name, _)| *name == by).expect("one of the kinds");
    let build = prepare(&times_over(&everything(), size));
    let (before, start) = (resident_kilobytes(), Instant::now());
    let search = build();
    search("anything", 1);
    let built = start.elapsed().as_secs_f64() * 1e3;
    let kept = resident_kilobytes().zip(before).map(|(after, before)| after.saturating_sub(before));
    let mut times: Vec<f64> = requests.iter().map(|request| time(&search, request)).collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{}",
        json!({
            "figure": format!("search.{size}"),
            "by": by,
            "microseconds": rounded(times[times.len() / 2], 10.0),
            "p99": rounded(times[times.len() * 99 / 100], 10.0),
            "index_ms": rounded(built, 10.0),
            "index_kib": kept,
        })
    );
}

fn time(search: &Search, request: &str) -> f64 {
    let once = |_| {
        let start = Instant::now();
        std::hint::black_box(search(request, 5));
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..3).map(once).fold(f64::MAX, f64::min)
}

fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}

fn ours(entries: &[Entry]) -> Build {
    let view: View = view(entries);
    Box::new(move || {
        Box::new(move |request, k| {
            view.search(request, k).iter().map(|found| found.name().to_owned()).collect()
        })
    })
}

/// The text that a peer is given of a tool: the name in its parts, and the description.
fn text(entry: &Entry) -> String {
    format!("{} {}", parts(&entry.name), entry.description)
}

fn parts(name: &str) -> String {
    let mut parts = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            parts.push(' ');
        }
        parts.push(if letter.is_alphanumeric() { letter } else { ' ' });
        before = letter;
    }
    parts
}

fn bm25(entries: &[Entry]) -> Build {
    let entries = entries.to_vec();
    Box::new(move || bm25_of(&entries))
}

fn bm25_of(entries: &[Entry]) -> Search {
    let names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    let documents = entries.iter().enumerate().map(|(id, entry)| Document::new(id, text(entry)));
    let engine: SearchEngine<usize> =
        SearchEngineBuilder::with_documents(Language::English, documents.collect::<Vec<_>>())
            .build();
    Box::new(move |request, k| {
        engine.search(request, k).iter().map(|found| names[found.document.id].clone()).collect()
    })
}

fn tantivy(entries: &[Entry]) -> Build {
    let entries = entries.to_vec();
    Box::new(move || tantivy_of(&entries))
}

fn tantivy_of(entries: &[Entry]) -> Search {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("words")
        .set_index_option(IndexRecordOption::WithFreqs);
    let options = TextOptions::default().set_indexing_options(indexing);
    let (words, name) =
        (schema.add_text_field("words", options), schema.add_text_field("name", STORED));
    let settings = IndexSettings::default();
    let index = tantivy::Index::create(
        tantivy::directory::RamDirectory::create(),
        schema.build(),
        settings,
    )
    .expect("an index in memory");
    let stop_words = StopWordFilter::new(Stems::English).expect("English has stop words");
    let analyzer = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(LowerCaser)
        .filter(stop_words)
        .filter(Stemmer::new(Stems::English))
        .build();
    index.tokenizers().register("words", analyzer.clone());
    let mut writer = index.writer_with_num_threads(1, 50_000_000).expect("a writer");
    for entry in entries {
        let document = doc!(words => text(entry), name => entry.name.clone());
        writer.add_document(document).expect("a document");
    }
    writer.commit().expect("a commit");
    let reader: IndexReader = index.reader().expect("a reader");
    let searcher = reader.searcher();
    Box::new(move |request, k| {
        let query = query(&mut analyzer.clone(), words, request);
        let found = searcher.search(&*query, &TopDocs::with_limit(k.max(1)).order_by_score());
        let found = found.expect("a search");
        let names = found.iter().map(|(_, at)| {
            let document: tantivy::TantivyDocument = searcher.doc(*at).expect("a document");
            document.get_first(name).and_then(|name| name.as_str()).unwrap_or_default().to_owned()
        });
        names.collect()
    })
}

fn query(analyzer: &mut TextAnalyzer, words: Field, request: &str) -> Box<dyn Query> {
    let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    let mut stream = analyzer.token_stream(request);
    while let Some(token) = stream.next() {
        let term = Term::from_field_text(words, &token.text);
        let term: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
        terms.push((Occur::Should, Box::new(BoostQuery::new(term, 1.0))));
    }
    Box::new(BooleanQuery::new(terms))
}
