//! Texts ranked by the words of a request (BM25), and by vectors.

mod vectors;
mod words;

use std::collections::BTreeMap;

pub use vectors::Embedder;
pub(crate) use vectors::Vectors;
pub(crate) use words::{split, stems};

/// How soon more of the same word stops to count.
const SATURATION: f32 = 1.2;
/// How much a long text's words count less. Tools' texts are short, and length says little of them.
const LENGTH_WEIGHT: f32 = 0.5;
/// How often each word of a name counts.
const NAME_WEIGHT: u16 = 3;

/// A text with its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'a> {
    pub(crate) name: &'a str,
    /// The name that it has elsewhere.
    pub(crate) other_name: &'a str,
    pub(crate) text: &'a str,
}

/// Which documents have which words. It knows nothing of what a request may see: [`Part`] does.
#[derive(Debug)]
pub(crate) struct Index {
    postings: BTreeMap<Box<str>, Box<[Posting]>>,
    lengths: Box<[u32]>,
    names: BTreeMap<Box<str>, usize>,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    document: u32,
    count: u16,
}

/// Some of the documents, with the numbers that only they are counted for.
///
/// What is not in a part changes nothing of what is found in it.
#[derive(Debug)]
pub(crate) struct Part {
    /// What a document's length takes from its words; `None` where it is not in the part.
    weights: Box<[Option<f32>]>,
    members: Box<[usize]>,
}

impl Index {
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer documents, and words")]
    pub(crate) fn of(documents: &[Document<'_>]) -> Self {
        let mut postings: BTreeMap<Box<str>, Vec<Posting>> = BTreeMap::new();
        let mut lengths = Vec::new();
        let (mut names, mut other_names) = (BTreeMap::new(), Vec::new());
        for (place, document) in documents.iter().enumerate() {
            let mut counts: BTreeMap<String, u16> = BTreeMap::new();
            let weighed = [(document.name, NAME_WEIGHT), (document.text, 1)];
            for (text, weight) in weighed {
                for stem in stems(text) {
                    let count = counts.entry(stem).or_default();
                    *count = count.saturating_add(weight);
                }
            }
            lengths.push(counts.values().map(|count| u32::from(*count)).sum());
            for (stem, count) in counts {
                let of_stem = postings.entry(stem.into()).or_default();
                of_stem.push(Posting { document: place as u32, count });
            }
            names.insert(document.name.into(), place);
            other_names.push((document.other_name, place));
        }
        for (name, place) in other_names {
            names.entry(name.into()).or_insert(place);
        }
        let postings = postings.into_iter().map(|(stem, of_stem)| (stem, of_stem.into()));
        Self { postings: postings.collect(), lengths: lengths.into(), names }
    }

    /// The part that the documents at those places are, in the order given.
    #[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^24")]
    pub(crate) fn part(&self, members: Vec<usize>) -> Part {
        let length = |place: &usize| self.lengths.get(*place).copied().unwrap_or_default();
        let total: u64 = members.iter().map(|place| u64::from(length(place))).sum();
        let mean = (total as f32 / members.len().max(1) as f32).max(1.0);
        let mut weights = vec![None; self.lengths.len()];
        for place in &members {
            if let Some(weight) = weights.get_mut(*place) {
                let share = length(place) as f32 / mean;
                *weight = Some(SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * share));
            }
        }
        Part { weights: weights.into(), members: members.into() }
    }

    /// The best documents of a part by the request's words, best first, equal ones in order.
    ///
    /// A document without any of the words is not among them.
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer documents than 2^24")]
    pub(crate) fn rank(&self, part: &Part, request: &str, most: usize) -> Vec<(usize, f32)> {
        let mut asked = Vec::new();
        for stem in stems(request) {
            if !asked.contains(&stem) {
                asked.push(stem);
            }
        }
        let mut scores = vec![0.0_f32; self.lengths.len()];
        let mut hit: Vec<usize> = Vec::new();
        for stem in &asked {
            let of_stem = self.postings.get(stem.as_str()).map_or(&[][..], |of_stem| of_stem);
            let found = || of_stem.iter().filter_map(|posting| part.weighed(*posting));
            let count = found().count() as f32;
            let rarity = ((part.members.len() as f32 - count + 0.5) / (count + 0.5)).ln_1p();
            for (place, times, weight) in found() {
                if let Some(score) = scores.get_mut(place) {
                    if *score == 0.0 {
                        hit.push(place);
                    }
                    *score += rarity * times * (SATURATION + 1.0) / (times + weight);
                }
            }
        }
        let with_score = |place: usize| (place, scores.get(place).copied().unwrap_or_default());
        best(hit.into_iter().map(with_score).collect(), most)
    }

    /// The documents of a part that the request names letter by letter, in the request's order.
    pub(crate) fn named<'r>(&self, part: &Part, request: &'r str) -> Vec<(usize, &'r str)> {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let mut named: Vec<(usize, &str)> = Vec::new();
        for said in request.split(|c| !is_of_name(c)).filter(|said| !said.is_empty()) {
            let bare = said.trim_matches(['.', '-']);
            let place = [said, bare].into_iter().find_map(|name| self.names.get(name));
            if let Some(place) = place.filter(|place| part.has(**place))
                && named.iter().all(|(earlier, _)| earlier != place)
            {
                named.push((*place, bare));
            }
        }
        named
    }
}

impl Part {
    /// The places of its documents, in order.
    pub(crate) fn members(&self) -> &[usize] {
        &self.members
    }

    fn has(&self, place: usize) -> bool {
        self.weights.get(place).is_some_and(Option::is_some)
    }

    fn weighed(&self, posting: Posting) -> Option<(usize, f32, f32)> {
        let place = posting.document as usize;
        let weight = self.weights.get(place).copied().flatten()?;
        Some((place, f32::from(posting.count), weight))
    }
}

/// The best of them, best first, equal ones by their place.
pub(crate) fn best(mut ranked: Vec<(usize, f32)>, most: usize) -> Vec<(usize, f32)> {
    let by_score = |(place, score): &(usize, f32), (other, its): &(usize, f32)| {
        its.total_cmp(score).then(place.cmp(other))
    };
    if most < ranked.len() {
        ranked.select_nth_unstable_by(most, by_score);
        ranked.truncate(most);
    }
    ranked.sort_unstable_by(by_score);
    ranked
}
