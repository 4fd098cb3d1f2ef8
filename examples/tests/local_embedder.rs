//! A model that is small enough to be checked in, beside what the reference makes of it.
//!
//! `tiny/` has random weights. `expected.jsonl` is what Hugging Face's tokenizer and the encoder's
//! formulas in double precision, written once more in Python, give for them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../09_local_embedder/bert.rs"]
mod bert;
#[path = "../09_local_embedder/word_pieces.rs"]
mod word_pieces;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use bert::SentenceEncoder;
use serde::Deserialize;
use toolkit::Embedder;
use toolkit::prelude::*;
use word_pieces::WordPieces;

const VOCABULARY: &str = include_str!("../09_local_embedder/tiny/vocab.txt");
const EXPECTED: &str = include_str!("../09_local_embedder/tiny/expected.jsonl");

#[derive(Deserialize)]
struct Expected {
    text: String,
    numbers: Vec<usize>,
    /// Of length 1.
    vector: Vec<f32>,
}

fn expected() -> Vec<Expected> {
    EXPECTED.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("09_local_embedder/tiny")
}

#[test]
fn a_text_is_split_as_the_tokenizer_of_these_models_splits_it() {
    let pieces = WordPieces::of(VOCABULARY).unwrap();
    for Expected { text, numbers, .. } in expected() {
        assert_eq!(pieces.numbers(&text, 12), numbers, "{text:?}");
    }
}

#[test]
fn a_texts_vector_is_that_of_the_reference() {
    let encoder = SentenceEncoder::open(&tiny()).unwrap();
    for Expected { text, vector, .. } in expected() {
        let found = encoder.embed(&[&text]).unwrap().remove(0);
        let length = found.iter().map(|number| number * number).sum::<f32>().sqrt();
        let found: Vec<f32> = found.iter().map(|number| number / length).collect();
        let furthest = found.iter().zip(&vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert_eq!(found.len(), vector.len());
        assert!(furthest < 1e-4, "{text:?}: {found:?}, and not {vector:?}");
    }
}

#[test]
fn a_registry_searches_with_it() {
    let tool = |name, description| {
        let schema = serde_json::json!({"type": "object"});
        let nothing = |_, _| async { Ok::<_, ToolError>(()) };
        Tool::from(Tool::dynamic(name, description, schema, nothing))
    };
    let registry = Registry::builder()
        .tool(tool("order", "Where is my order"))
        .tool(tool("cafe", "The cafe"))
        .embedder(SentenceEncoder::open(&tiny()).unwrap())
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    assert_eq!(view.search("order: Where is my order", 1).remove(0).name(), "order");
}

/// A copy of the folder in which one file was changed.
fn changed(name: &str, file: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> PathBuf {
    let folder = env::temp_dir().join(format!("toolkit-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for other in ["config.json", "vocab.txt", "model.safetensors"] {
        let bytes = fs::read(tiny().join(other)).unwrap();
        let bytes = if other == file { change(bytes) } else { bytes };
        fs::write(folder.join(other), bytes).unwrap();
    }
    folder
}

#[test]
fn what_is_no_such_model_is_refused_with_what_would_be_right() {
    let text = |from: &'static str, to: &'static str| {
        move |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(from, to).into_bytes()
    };
    let shorter = |mut bytes: Vec<u8>| {
        bytes.truncate(100);
        bytes
    };
    for (name, folder, told) in [
        (
            "kind",
            changed("kind", "config.json", text("bert", "gpt2")),
            "config.json: model_type is \"gpt2\"; this reads \"bert\" alone",
        ),
        (
            "heads",
            changed("heads", "config.json", text("heads\": 2", "heads\": 3")),
            "config.json: 3 heads do not share 8 numbers evenly",
        ),
        (
            "places",
            changed("places", "config.json", text("embeddings\": 12", "embeddings\": 2")),
            "config.json: max_position_embeddings is 2; 3 is the least",
        ),
        (
            "vocabulary",
            changed("vocabulary", "vocab.txt", text("parcel\n", "")),
            "model.safetensors: embeddings.word_embeddings.weight is F32 [21, 8]; by config.json \
             and vocab.txt F32 [20, 8] is right",
        ),
        (
            "start",
            changed("start", "vocab.txt", text("[CLS]", "start")),
            "vocab.txt has no line `[CLS]`",
        ),
        (
            "layers",
            changed("layers", "config.json", text("layers\": 2", "layers\": 3")),
            "model.safetensors: tensor `encoder.layer.2.attention.self.query.weight` not found",
        ),
        ("cut", changed("cut", "model.safetensors", shorter), "model.safetensors: invalid header"),
    ] {
        let error = SentenceEncoder::open(&folder).err().unwrap().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert!(error.starts_with(told), "{name}: {error}");
    }
    let nowhere = tiny().join("nowhere");
    let error = SentenceEncoder::open(&nowhere).err().unwrap().to_string();
    assert!(error.starts_with(&nowhere.join("config.json").display().to_string()), "{error}");
}
