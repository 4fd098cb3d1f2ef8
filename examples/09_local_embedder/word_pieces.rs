//! A text as the pieces of words that a BERT without capitals knows.

use std::collections::BTreeMap;
use std::error::Error;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

/// Each of these is a word of its own.
const MARKS: &str = r"\p{P}$+<=>^`|~";
const IDEOGRAPHS: &str = r"\u{4E00}-\u{9FFF}\u{3400}-\u{4DBF}\u{20000}-\u{2A6DF}\u{2A700}-\u{2CEAF}\u{F900}-\u{FAFF}\u{2F800}-\u{2FA1F}";

/// A word of more letters is unknown.
const LONGEST_WORD: usize = 100;

pub(crate) struct WordPieces {
    numbers: BTreeMap<String, usize>,
    unknown: usize,
    start: usize,
    end: usize,
    words: Regex,
    unseen: Regex,
    accents: Regex,
}

impl WordPieces {
    /// Takes the text of a `vocab.txt`: a piece a line, in the order of their numbers.
    pub(crate) fn of(vocabulary: &str) -> Result<Self, Box<dyn Error>> {
        let numbers: BTreeMap<String, usize> =
            vocabulary.lines().zip(0..).map(|(piece, number)| (piece.to_owned(), number)).collect();
        let special = |piece: &str| {
            numbers.get(piece).copied().ok_or_else(|| format!("vocab.txt has no line `{piece}`"))
        };
        Ok(Self {
            unknown: special("[UNK]")?,
            start: special("[CLS]")?,
            end: special("[SEP]")?,
            words: Regex::new(&format!(r"[{MARKS}{IDEOGRAPHS}]|[^\s{MARKS}{IDEOGRAPHS}]+"))?,
            unseen: Regex::new(r"[\p{C}\u{FFFD}&&[^\t\n\r]]")?,
            accents: Regex::new(r"\p{Mn}")?,
            numbers,
        })
    }

    /// How many pieces there are.
    pub(crate) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// The numbers of a text's pieces with a start and an end, at most so many.
    pub(crate) fn numbers(&self, text: &str, most: usize) -> Vec<usize> {
        let seen = self.unseen.replace_all(text, "");
        let parted: String = seen.nfd().collect();
        let plain = self.accents.replace_all(&parted, "").to_lowercase();
        let mut numbers = vec![self.start];
        for word in self.words.find_iter(&plain) {
            numbers.extend(self.of_word(word.as_str()));
        }
        numbers.truncate(most.saturating_sub(1));
        numbers.push(self.end);
        numbers
    }

    /// The longest piece that is known, and so on; a word that no pieces make up is unknown.
    fn of_word(&self, word: &str) -> Vec<usize> {
        let ends: Vec<usize> =
            word.char_indices().map(|(at, letter)| at + letter.len_utf8()).collect();
        if ends.len() > LONGEST_WORD {
            return vec![self.unknown];
        }
        let (mut numbers, mut start) = (Vec::new(), 0);
        while start < word.len() {
            let longest = ends.iter().rev().take_while(|end| **end > start).find_map(|end| {
                let piece = word.get(start..*end)?;
                let inner = format!("##{piece}");
                let number = self.numbers.get(if start == 0 { piece } else { inner.as_str() })?;
                Some((*end, *number))
            });
            let Some((end, number)) = longest else { return vec![self.unknown] };
            numbers.push(number);
            start = end;
        }
        numbers
    }
}
