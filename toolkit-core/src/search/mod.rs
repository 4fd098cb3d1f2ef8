//! The tools that fit a request, out of those that a view shows.

mod tool;

use std::collections::{BTreeMap, BTreeSet};

pub use tool::ToolSearch;

use crate::dialect::{Definition, Dialect, Message, Offer};
use crate::error::ToolConfigErrors;
use crate::index::{best, split};
use crate::registry::View;

/// What the meaning counts beside the words, which have the rest.
///
/// With a good embedder 0.8 was best on each half of a catalogue, chosen on the other half, and with
/// a poor one 0.5; at 0.7 a good one loses a hundredth, and a poor one costs less than at 0.8.
const MEANING: f32 = 0.7;

/// A tool that a search found.
///
/// [`View::search`] gives them, the best first.
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
///
/// # let tool = |name, description| {
/// #     Tool::dynamic(name, description, json!({}), |_, _| async { Ok::<_, ToolError>(()) })
/// # };
/// let registry = Registry::builder()
///     .tool(tool("get_order", "Looks up an order by its id."))
///     .tool(tool("get_forecast", "Tells the weather of the next days."))
///     .build()?;
/// let view = registry.view(Caller::new("ann"));
/// let found = view.search("Where is my order?", 5);
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].name(), "get_order");
/// assert_eq!(found[0].definition().description, "Looks up an order by its id.");
/// assert!(found[0].score() > 0.0);
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found<'v> {
    definition: &'v Definition,
    score: f32,
}

impl<'v> Found<'v> {
    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &'v str {
        &self.definition.name
    }

    /// What a model reads of the tool, in no provider's form.
    #[must_use]
    pub const fn definition(&self) -> &'v Definition {
        self.definition
    }

    /// How well it fits, to be compared within one search only: BM25; with an embedder the
    /// standard deviations by which BM25 and cosine are above their means over the visible tools,
    /// weighed 0.3 and 0.7. 0 for a tool that its name alone brought in.
    #[must_use]
    pub const fn score(&self) -> f32 {
        self.score
    }
}

impl View {
    /// The at most `k` visible tools that fit a request best, the best first.
    ///
    /// They are ranked by the words of names and descriptions (BM25), and with an
    /// [`Embedder`](crate::Embedder) by meaning, too. A tool that shares no word with the request
    /// is not found by words. A tool that the request names letter by letter is always found: first
    /// where the name has more than one word or is all of the request, else in its rank or last.
    ///
    /// Words are counted over the visible tools alone, so that a hidden one changes nothing.
    /// The index is made once for each registry, at its first search, and those counts once
    /// for each view and its clones: keep a view as long as its caller.
    #[must_use]
    pub fn search(&self, request: &str, k: usize) -> Vec<Found<'_>> {
        let ranked = self.ranked(request, k);
        let found = ranked.into_iter().filter_map(|(place, score)| {
            Some(Found { definition: self.definition_at(place)?, score })
        });
        found.collect()
    }

    /// Keeps the tools that fit a request best, and those that are always to be read.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolkit::prelude::*;
    ///
    /// # let tool = |name, description| {
    /// #     Tool::dynamic(name, description, json!({}), |_, _| async { Ok::<_, ToolError>(()) })
    /// # };
    /// let registry = Registry::builder()
    ///     .tool(tool("get_order", "Looks up an order by its id."))
    ///     .tool(tool("get_forecast", "Tells the weather of the next days."))
    ///     .tool(tool("ask_person", "Asks a person of the desk."))
    ///     .build()?;
    /// let view = registry.view(Caller::new("ann"));
    /// let shown = view.scoped_to("Where is my order?", 5, ["ask_person"]);
    /// assert_eq!(shown.visible(), ["get_order", "ask_person"]);
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn scoped_to<I>(&self, request: &str, k: usize, always: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut names: BTreeSet<String> =
            always.into_iter().map(|name| name.as_ref().to_owned()).collect();
        names.extend(self.search(request, k).iter().map(|found| found.name().to_owned()));
        self.clone().scoped(names)
    }

    /// Keeps what a model has read so far that finds its tools by
    /// [`ToolSearch`]: the tools that are always read, `search_tools`, and the tools that it found
    /// or called before.
    ///
    /// Without a tool search, or where `search_tools` is not visible, it is the whole view. Show
    /// this one, and dispatch through the whole one. An [`Agent`](crate::Agent) does so.
    #[must_use]
    pub fn loaded(&self, messages: &[Message]) -> Self {
        let Some(search) = self.finder() else { return self.clone() };
        let mut names: BTreeSet<String> = search.always().iter().cloned().collect();
        names.insert(tool::NAME.to_owned());
        names.extend(tool::told(messages));
        self.clone().scoped(names)
    }

    /// The visible tools that a model finds by search instead of reading them from the start.
    #[must_use]
    pub fn deferred(&self) -> Vec<&str> {
        let Some(search) = self.finder() else { return Vec::new() };
        let visible = self.visible().into_iter();
        let is_read = |name: &str| search.always().iter().any(|always| always == name);
        visible.filter(|name| *name != tool::NAME && !is_read(name)).collect()
    }

    /// What a request shows of the view where the model finds its tools by search.
    ///
    /// Where the provider has a search of its own, all tools go there and the deferred ones are
    /// marked; elsewhere it is the offer of what is [`loaded`](Self::loaded).
    ///
    /// # Errors
    /// As [`View::offer`], and where no tool is left that the model reads from the start.
    pub fn offer_by_search<'d>(
        &self,
        dialect: &'d dyn Dialect,
        messages: &[Message],
    ) -> Result<Offer<'d>, ToolConfigErrors> {
        if self.finder().is_none() || !dialect.searches() {
            return self.loaded(messages).offer(dialect);
        }
        let others = self.visible().into_iter().filter(|name| *name != tool::NAME);
        let offer = self.clone().scoped(others).offer(dialect)?;
        offer.deferring(self.deferred()).map_err(|error| ToolConfigErrors::found(vec![error]))
    }

    /// Places of the visible tools with their scores, the best first.
    fn ranked(&self, request: &str, k: usize) -> Vec<(usize, f32)> {
        let (index, part) = (self.index(), self.part());
        let meant = self.ranked_by_meaning(request);
        let ranked = match meant {
            None => index.rank(part, request, k),
            Some(meant) => fused(&index.rank(part, request, usize::MAX), meant, k),
        };
        let mut named = index.named(part, request);
        named.truncate(k);
        with_named(&ranked, &named, request, k)
    }
}

/// The ranking with the named tools in it: a name of several words, or one that is the whole
/// request, is meant as a name and stands first.
fn with_named(
    ranked: &[(usize, f32)],
    named: &[(usize, &str)],
    request: &str,
    k: usize,
) -> Vec<(usize, f32)> {
    let is_meant = |name: &str| split(name).len() > 1 || request.trim() == name;
    let score = |place: usize| {
        let found = ranked.iter().find(|(other, _)| *other == place);
        (place, found.map_or(0.0, |(_, score)| *score))
    };
    let meant = named.iter().filter(|(_, name)| is_meant(name));
    let mut all: Vec<(usize, f32)> = meant.map(|(place, _)| score(*place)).collect();
    let mut room = k - named.len();
    for &(place, score) in ranked {
        let is_named = named.iter().any(|(other, _)| *other == place);
        let has_room = !is_named && room > 0;
        room -= usize::from(has_room);
        if (is_named || has_room) && all.iter().all(|(other, _)| *other != place) {
            all.push((place, score));
        }
    }
    let left = named.iter().filter(|(place, _)| ranked.iter().all(|(other, _)| other != place));
    all.extend(left.filter(|(_, name)| !is_meant(name)).map(|(place, _)| (*place, 0.0)));
    all
}

/// One ranking by words and by meaning, of the tools that the latter has: all that are visible.
///
/// Scores are fused and not ranks, which forget by how much a tool is the best.
fn fused(words: &[(usize, f32)], meaning: Vec<(usize, f32)>, k: usize) -> Vec<(usize, f32)> {
    let by_words = Scale::of(words, meaning.len());
    let by_meaning = Scale::of(&meaning, meaning.len());
    let words: BTreeMap<usize, f32> = words.iter().copied().collect();
    let both = |(place, cosine): (usize, f32)| {
        let said = by_words.standard(words.get(&place).copied().unwrap_or_default());
        (place, MEANING * by_meaning.standard(cosine) + (1.0 - MEANING) * said)
    };
    best(meaning.into_iter().map(both).collect(), k)
}

/// Where the scores of one ranking lie.
struct Scale {
    mean: f32,
    deviation: f32,
}

impl Scale {
    /// Below it, all scores are one.
    const LEAST: f32 = 1e-6;

    /// Of so many tools, those that are not among the scores having 0.
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer tools than 2^24")]
    fn of(scores: &[(usize, f32)], count: usize) -> Self {
        let others = count.saturating_sub(scores.len()) as f32;
        let count = count.max(1) as f32;
        let mean = scores.iter().map(|(_, score)| score).sum::<f32>() / count;
        let squares: f32 = scores.iter().map(|(_, score)| (score - mean).powi(2)).sum();
        Self { mean, deviation: ((squares + others * mean * mean) / count).sqrt() }
    }

    fn standard(&self, score: f32) -> f32 {
        if self.deviation < Self::LEAST { 0.0 } else { (score - self.mean) / self.deviation }
    }
}
