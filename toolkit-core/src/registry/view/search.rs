//! What a search is told of a view.

use super::View;
use crate::dialect::Definition;
use crate::gate::{self, in_reach};
use crate::index::{Index, Part};
use crate::registry::Finder;

impl View {
    /// What the model finds its tools by, where it is visible.
    pub(crate) fn finder(&self) -> Option<&dyn Finder> {
        let (name, finder) = self.registry.0.finder.as_ref()?;
        self.place_of(name).map(|_| &**finder)
    }

    pub(crate) fn index(&self) -> &Index {
        self.registry.index()
    }

    /// The visible part of the index.
    pub(crate) fn part(&self) -> &Part {
        let [untainted, tainted] = &*self.parts;
        // The label only rises: what was seen before a look that finds it low was seen untainted.
        let seen =
            (!self.label.is_tainted()).then(|| untainted.get().ok_or_else(|| self.seen_at()));
        match seen.filter(|_| !self.label.is_tainted()) {
            Some(Ok(part)) => part,
            Some(Err(places)) => untainted.get_or_init(|| self.index().part(places)),
            None => tainted.get_or_init(|| self.index().part(self.seen_at())),
        }
    }

    /// The visible tools by the meaning of a request, where there is an embedder and it can say.
    pub(crate) fn ranked_by_meaning(&self, request: &str) -> Option<Vec<(usize, f32)>> {
        let (embedder, vectors) = self.registry.0.meaning.as_ref()?;
        let part = self.part();
        match gate::contained(|| vectors.rank(&**embedder, part, request)) {
            Some(Ok(ranked)) => return Some(ranked),
            Some(Err(error)) => {
                tracing::warn!(error, "a search goes by words alone: the embedder failed");
            }
            None => tracing::error!("a search goes by words alone: the embedder panicked"),
        }
        None
    }

    /// The names of the tools that it does not show, for the host.
    pub(crate) fn hidden_names(&self) -> Vec<&str> {
        let visible = self.seen_at();
        let all = self.registry.0.definitions.iter().enumerate();
        let hidden = all.filter(|(place, _)| visible.binary_search(place).is_err());
        hidden.map(|(_, definition)| definition.name.as_str()).collect()
    }

    /// The visible tools that a visible one requires of the run, whatever their arguments.
    pub(crate) fn required_of_run(&self) -> Vec<&str> {
        let checked = &self.registry.0;
        let reached = in_reach(&checked.entries, &checked.house, self.sight());
        let all = reached.iter().flat_map(|tool| &tool.policy.requires);
        let of_run = all.filter(|requirement| requirement.same.is_empty());
        let required = of_run
            .filter_map(|requirement| reached.iter().find(|tool| tool.name == requirement.tool));
        required.filter(|tool| tool.policy.requires.is_empty()).map(|tool| &*tool.name).collect()
    }

    pub(crate) fn definition_at(&self, place: usize) -> Option<&Definition> {
        self.registry.0.definitions.get(place)
    }

    /// The name of the visible tool that has it, or has it on the wire.
    pub(crate) fn own_name(&self, name: &str) -> Option<&str> {
        self.definition_at(self.place_of(name)?).map(|definition| definition.name.as_str())
    }
}
