//! The words of a text, as requests and descriptions are compared by them.

use std::sync::LazyLock;

use heck::ToSnakeCase;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_script::{Script, UnicodeScript};

/// English, for that is what descriptions are written in; words of other languages stay whole.
static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Words that say nothing of what is meant, sorted. The list has `don't` as `don` and `t`, too.
static STOP_WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut words = stop_words::lookup("en").unwrap_or_default().to_vec();
    words.sort_unstable();
    words
});

/// The words of a text in small letters; names are split where their parts meet.
///
/// Scripts that do not part words are read by overlapping pairs of letters.
pub(crate) fn split(text: &str) -> Vec<String> {
    let snake = text.to_snake_case();
    let mut words = Vec::new();
    for word in snake.split('_').filter(|word| !word.is_empty()) {
        if word.is_ascii() {
            words.push(word.to_owned());
        } else {
            by_script(word, &mut words);
        }
    }
    words
}

fn by_script(word: &str, words: &mut Vec<String>) {
    let letters: Vec<char> = word.chars().collect();
    for run in letters.chunk_by(|a, b| is_unparted(*a) == is_unparted(*b)) {
        match run {
            [first, _, _, ..] if is_unparted(*first) => {
                words.extend(run.windows(2).map(|pair| pair.iter().collect()));
            }
            run => words.push(run.iter().collect()),
        }
    }
}

fn is_unparted(letter: char) -> bool {
    matches!(
        letter.script(),
        Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
    )
}

/// Whether a word says nothing of what is meant.
fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// The stems of the words that say something, in their order.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let said = split(text).into_iter().filter(|word| !is_stop_word(word));
    said.map(|word| STEMMER.stem(&word).into_owned()).collect()
}
