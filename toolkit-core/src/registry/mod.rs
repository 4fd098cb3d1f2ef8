//! All tools of a program, checked once, and what one agent sees of them.

mod builder;
mod faults;
mod finder;
mod memory;
mod options;
mod prepared;
mod states;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

pub use builder::RegistryBuilder;
pub(crate) use finder::Finder;
pub use memory::RunMemory;
pub use options::Options;
#[cfg(feature = "testing")]
pub(crate) use prepared::alone;
pub use view::View;

use crate::caller::Caller;
use crate::dialect::{Definition, Dialect, Forms, portable};
use crate::error::{ToolConfigError, ToolConfigErrors};
use crate::gate::{Allowed, Entries, House};
use crate::index::{Document, Embedder, Index, Part, Vectors};
use crate::ledger::{Desk, inside::Book};
use crate::tool::Tool;

/// All tools of a program.
///
/// Cheap to clone and to share; every agent gets a [`View`] of it.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::builder().tools(tools![add]).build()?;
/// assert_eq!(registry.view(Caller::new("ann")).visible(), ["add"]);
/// assert_eq!(registry.view(Caller::new("bob")).scoped(["subtract"]).visible(), [""; 0]);
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Clone)]
pub struct Registry(Arc<Checked>);

struct Checked {
    entries: Entries,
    /// One an entry.
    definitions: Vec<Definition>,
    wires: BTreeMap<String, usize>,
    forms: Forms,
    house: House,
    /// The names of the tools that others require.
    required: BTreeSet<String>,
    /// The words of the definitions, from the first search on.
    index: OnceLock<Index>,
    /// The definitions' meaning, where there is an embedder.
    meaning: Option<(Arc<dyn Embedder>, Vectors)>,
    /// What a model finds its tools by, and that tool's name.
    finder: Option<(String, Box<dyn Finder>)>,
}

/// The names on the wire that are not the tool's own, and where their tools are.
fn wires(entries: &Entries) -> BTreeMap<String, usize> {
    let names = entries.iter().map(|entry| &entry.tool.name).zip(0..);
    let wires = names.map(|(name, place)| (name, portable(name), place));
    let others = wires.filter(|(name, wire, _)| *name != wire);
    others.map(|(_, wire, place)| (wire, place)).collect()
}

/// The names of the tools that others require.
fn required(entries: &Entries) -> BTreeSet<String> {
    let requirements = entries.iter().flat_map(|entry| &entry.tool.policy.requires);
    requirements.map(|requirement| requirement.tool.clone()).collect()
}

impl Registry {
    /// Starts a registry.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Checks that every tool can be shown in every dialect that a program means to use.
    ///
    /// What one request may hold together depends on the view, and is checked where it is
    /// [`offer`](View::offer)ed.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use toolkit::dialect::{Anthropic, OpenAiChat};
    /// use toolkit::prelude::*;
    ///
    /// /// Ranks players.
    /// #[tool]
    /// fn rank(scores: BTreeMap<String, u32>) {}
    ///
    /// let registry = Registry::builder().tools(tools![rank]).build()?;
    /// registry.check(&[&Anthropic, &OpenAiChat])?;
    /// let errors = registry.check(&[&Anthropic, &OpenAiChat.strict()]).unwrap_err();
    /// assert_eq!(errors.iter().next().unwrap().tool(), Some("rank"));
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    ///
    /// # Errors
    /// Every part of every tool that has no form in one of them.
    pub fn check(&self, dialects: &[&dyn Dialect]) -> Result<(), ToolConfigErrors> {
        let checked = &self.0;
        let all: Vec<usize> = (0..checked.definitions.len()).collect();
        let mut errors: Vec<ToolConfigError> = Vec::new();
        for dialect in dialects {
            let (_, found) = checked.forms.plan(&checked.definitions, &all, dialect.form());
            for error in found.into_iter().map(|error| self.placed(error)) {
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        }
        ToolConfigErrors::of(errors)
    }

    /// The words of the definitions, counted once.
    fn index(&self) -> &Index {
        let Checked { definitions, index, .. } = &*self.0;
        index.get_or_init(|| {
            let other_names: Vec<String> =
                definitions.iter().map(|definition| portable(&definition.name)).collect();
            let documents: Vec<Document<'_>> = definitions
                .iter()
                .zip(&other_names)
                .map(|(Definition { name, description, .. }, other_name)| Document {
                    name,
                    other_name,
                    text: description,
                })
                .collect();
            Index::of(&documents)
        })
    }

    /// Every tool with its definition, in order.
    pub(crate) fn tools(&self) -> impl Iterator<Item = (&Tool, &Definition)> {
        let Checked { entries, definitions, .. } = &*self.0;
        entries.iter().map(|entry| &entry.tool).zip(definitions)
    }

    /// The words of the definitions, and all of them as one part.
    pub(crate) fn whole(&self) -> (&Index, Part) {
        let index = self.index();
        (index, index.part((0..self.0.definitions.len()).collect()))
    }

    /// Where people decide on the calls that wait in the registry's own ledger.
    ///
    /// `None` where it has no ledger.
    ///
    /// ```
    /// use toolkit::ledger::{Filter, MemoryLedger};
    /// use toolkit::prelude::*;
    ///
    /// let registry = Registry::builder().ledger(MemoryLedger::new()).build()?;
    /// let desk = registry.desk().expect("it has a ledger");
    /// assert!(pollster::block_on(desk.waiting(&Filter::default()))?.is_empty());
    /// assert!(Registry::builder().build()?.desk().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn desk(&self) -> Option<Desk> {
        self.0.house.book.as_ref().map(Book::desk)
    }

    /// The error with the place where its tool is written.
    fn placed(&self, error: ToolConfigError) -> ToolConfigError {
        let entry = error.tool().and_then(|name| self.0.entries.named(name));
        match entry.and_then(|entry| entry.tool.place.clone()) {
            Some(place) => error.at(place),
            None => error,
        }
    }

    /// How many threads of [`blocking`](crate::Threads) tools did not come back in time, and have
    /// not come back since.
    ///
    /// Each is a function that goes on although nobody waits for it; a busy loop is one for ever.
    /// As many as [`Limits::lost_threads`](crate::Limits::lost_threads) are replaced.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// let registry = Registry::builder().build()?;
    /// assert_eq!(registry.lost_threads(), 0);
    /// # Ok::<(), toolkit::ToolConfigErrors>(())
    /// ```
    #[must_use]
    pub fn lost_threads(&self) -> usize {
        self.0.house.lost.count()
    }

    /// What an agent that acts for the caller sees, in a run that has read nothing yet.
    #[must_use]
    pub fn view(&self, caller: Caller) -> View {
        View::new(self.clone(), caller, Allowed::All)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.entries.iter().map(|entry| &entry.tool.name)).finish()
    }
}
