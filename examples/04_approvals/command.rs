//! What the command line asks for.

use std::path::PathBuf;

use toolkit::ledger::{Haste, Resolution};

pub(crate) const USAGE: &str = "\
usage: approvals [--ledger FILE] COMMAND
  list                      what waits for a person
  show ID                   one call, as it would run
  approve ID [--by NAME]    agree to the call as it is shown then
  decline ID [REASON] [--by NAME]
                            refuse it, or take an agreement back; the model reads the reason
  history ID                what happened to it, by an approval's id or a row's key
  in-doubt                  calls of which nobody knows whether they took effect
  resolve DOUBT applied TEXT REASON [--by NAME]
                            it took effect; the same call is answered with the text
  resolve DOUBT not-applied|run-again REASON [--by NAME] [--force]
                            the same call may run; --force: it was not settled when it was listed
The ledger is target/shop/calls.db where none is named, NAME is $USER.";

/// Where `support_agent --tickets` keeps its ledger.
const LEDGER: &str = "target/shop/calls.db";

/// What is asked for, of which ledger, and by whom.
pub(crate) struct Command {
    pub(crate) ledger: PathBuf,
    pub(crate) by: Option<String>,
    pub(crate) what: What,
}

pub(crate) enum What {
    List,
    Show { id: String },
    Approve { id: String },
    Decline { id: String, reason: Option<String> },
    History { id: String },
    InDoubt,
    Resolve { doubt: String, resolution: Resolution, haste: Haste, reason: String },
}

impl What {
    /// Whether a person says something by it.
    const fn is_decision(&self) -> bool {
        matches!(self, Self::Approve { .. } | Self::Decline { .. } | Self::Resolve { .. })
    }
}

impl Command {
    pub(crate) fn parse(arguments: &[&str]) -> Option<Self> {
        let (mut ledger, mut by, mut haste) = (None, None, Haste::Settled);
        let mut words = Vec::new();
        let mut rest = arguments.iter().copied();
        while let Some(word) = rest.next() {
            match word {
                "--ledger" => ledger = Some(PathBuf::from(rest.next()?)),
                "--by" => by = Some(rest.next().filter(|name| !name.trim().is_empty())?.to_owned()),
                "--force" => haste = Haste::Forced,
                option if option.starts_with("--") => return None,
                word => words.push(word),
            }
        }
        let what = what(&words, haste)?;
        let is_fit = (by.is_none() || what.is_decision())
            && (haste == Haste::Settled || matches!(what, What::Resolve { .. }));
        is_fit.then(|| Self { ledger: ledger.unwrap_or_else(|| LEDGER.into()), by, what })
    }
}

fn what(words: &[&str], haste: Haste) -> Option<What> {
    let resolve = |doubt: &str, resolution, reason: &str| {
        let (doubt, reason) = (doubt.to_owned(), reason.to_owned());
        Some(What::Resolve { doubt, resolution, haste, reason })
    };
    match *words {
        ["list"] => Some(What::List),
        ["show", id] => Some(What::Show { id: id.to_owned() }),
        ["approve", id] => Some(What::Approve { id: id.to_owned() }),
        ["decline", id] => Some(What::Decline { id: id.to_owned(), reason: None }),
        ["decline", id, reason] => {
            Some(What::Decline { id: id.to_owned(), reason: Some(reason.to_owned()) })
        }
        ["history", id] => Some(What::History { id: id.to_owned() }),
        ["in-doubt"] => Some(What::InDoubt),
        ["resolve", doubt, "applied", text, reason] => {
            resolve(doubt, Resolution::Applied(text.to_owned()), reason)
        }
        ["resolve", doubt, "not-applied", reason] => resolve(doubt, Resolution::NotApplied, reason),
        ["resolve", doubt, "run-again", reason] => resolve(doubt, Resolution::RunAgain, reason),
        _ => None,
    }
}
