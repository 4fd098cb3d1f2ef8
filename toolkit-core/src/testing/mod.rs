//! Holds tools to the test that this crate holds itself to.

mod arguments;
mod built;
mod conformance;
mod dice;
mod judge;
mod mistake;
mod reader;
mod texts;
mod trial;

use std::hash::{BuildHasher, Hasher, RandomState};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

pub use arguments::{Arguments, ArgumentsTree};
pub use conformance::{Fault, Faulty, conforms, conforms_on_threads, sequences};
pub use mistake::Mistake;
pub use texts::{Texts, TextsTree};
pub use trial::{Case, Trial};

use crate::error::ToolConfigErrors;
use crate::tool::Tool;

/// Holds a tool to its published schema: dispatched if and only if the schema accepts it.
///
/// So many calls are generated from the schema, valid and invalid, and taken through the
/// tool's real arguments gate and no further: nothing is run, and neither `check` nor
/// approval nor `#[state]` is asked. Beside it the `jsonschema` crate judges the normal
/// form by the published schema, formats by our reading of them.
///
/// The seed is printed. The environment's `TOOLKIT_SEED` repeats a run, and its
/// `TOOLKIT_CASES` says how many calls, whatever is said here.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Refunds an order.
/// #[tool(effect = "irreversible")]
/// fn refund(#[state] bank: &String, #[arg(minimum = 0.01)] amount: f64) {
///     panic!("nothing is run")
/// }
///
/// toolkit::testing::agree(Tool::of::<refund>(), 1_000);
/// ```
///
/// # Panics
/// With the smallest call that is found on which gate and schema disagree, and where the
/// schema is none that a registry would take.
#[track_caller]
#[expect(clippy::panic, clippy::print_stdout, reason = "it is an assertion of a test")]
pub fn agree(tool: impl Into<Tool>, cases: usize) -> Agreement {
    let seed = from_environment("TOOLKIT_SEED");
    let seed = seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let cases = from_environment("TOOLKIT_CASES")
        .map_or(cases, |cases| usize::try_from(cases).unwrap_or(usize::MAX));
    let tool = tool.into();
    let name = tool.name().to_owned();
    println!("agree {name}: TOOLKIT_SEED={seed} TOOLKIT_CASES={cases}");
    match Trial::of(tool).map_err(NoAgreement::Unfit).and_then(|t| t.agree(cases, seed, |_| {})) {
        Ok(agreement) => {
            println!("agree {name}: {agreement:?}");
            agreement
        }
        Err(reason) => panic!("{reason}"),
    }
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// How many generated calls were accepted and refused, by gate and judge alike.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::testing::{Agreement, agree};
///
/// /// Adds one.
/// #[tool]
/// fn increment(number: u8) -> u16 {
///     u16::from(number) + 1
/// }
///
/// let agreement: Agreement = agree(Tool::of::<increment>(), 200);
/// assert!(agreement.accepted > 20 && agreement.refused > 20);
/// assert_eq!(agreement.refused_by_type, 0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Agreement {
    /// Calls that the schema accepts and the gate let through.
    pub accepted: usize,
    /// Calls that both refused.
    pub refused: usize,
    /// Calls that the schema accepts and only a type's own `Deserialize` refused.
    pub refused_by_type: usize,
}

/// Why gate and judge are not of one mind.
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
/// use toolkit::testing::{NoAgreement, Trial};
///
/// let schema = json!({"type": "array"});
/// let tool = Tool::dynamic("list", "Lists.", schema, |_, _| async { Ok::<_, ToolError>(()) });
/// let reason = Trial::of(tool).map_err(NoAgreement::Unfit).unwrap_err();
/// assert!(reason.to_string().contains("`\"type\": \"object\"` must stand at the root"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoAgreement {
    /// The tool is none that a registry would take.
    #[error("{0}")]
    Unfit(ToolConfigErrors),
    /// The verdicts on a call differ.
    #[error("{0}")]
    Disagreed(Box<Disagreement>),
}

/// A call on which gate and judge disagree, as small as one was found.
///
/// ```
/// use toolkit::testing::{Disagreement, NoAgreement};
///
/// fn seed_of(reason: &NoAgreement) -> Option<u64> {
///     match reason {
///         NoAgreement::Disagreed(disagreement) => Some(disagreement.seed),
///         _ => None,
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(
    "gate and schema disagree\nschema       {schema}\n{case}\nseed         TOOLKIT_SEED={seed}"
)]
pub struct Disagreement {
    /// The published schema.
    pub schema: serde_json::Value,
    /// The call and both verdicts.
    pub case: Case,
    /// What repeats the run.
    pub seed: u64,
}

impl Trial {
    /// Compares the verdicts on so many generated calls; every one that agrees is shown to `each`.
    ///
    /// ```
    /// use toolkit::prelude::*;
    /// use toolkit::testing::Trial;
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn increment(number: u8) -> u16 {
    ///     u16::from(number) + 1
    /// }
    ///
    /// let mut longest = 0;
    /// let trial = Trial::of(Tool::of::<increment>())?;
    /// trial.agree(200, 7, |case| longest = longest.max(case.text.len()))?;
    /// assert!(longest > "{\"number\":0}".len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first call on which they disagree, shrunk.
    pub fn agree(
        &self,
        cases: usize,
        seed: u64,
        mut each: impl FnMut(&Case),
    ) -> Result<Agreement, NoAgreement> {
        let mut runner = runner(seed);
        let texts = self.texts();
        let mut agreement = Agreement::default();
        for _ in 0..cases {
            // The strategy asks for nothing that it could be refused.
            let Ok(mut tree) = texts.new_tree(&mut runner) else { continue };
            let case = self.case(&tree.current());
            if !case.is_agreed() {
                let case = self.shrunk(&mut tree, case);
                let disagreement = Disagreement { schema: self.schema().clone(), case, seed };
                return Err(NoAgreement::Disagreed(Box::new(disagreement)));
            }
            match (&case.gate, case.is_refused_by_type()) {
                (Ok(_), _) => agreement.accepted += 1,
                (Err(_), true) => agreement.refused_by_type += 1,
                (Err(_), false) => agreement.refused += 1,
            }
            each(&case);
        }
        Ok(agreement)
    }

    fn shrunk(&self, tree: &mut TextsTree, case: Case) -> Case {
        const MOST: usize = 2_000;
        let mut smallest = case;
        let mut moved = tree.simplify();
        for _ in 0..MOST {
            if !moved {
                break;
            }
            let case = self.case(&tree.current());
            moved = if case.is_agreed() {
                tree.complicate()
            } else {
                smallest = case;
                tree.simplify()
            };
        }
        smallest
    }
}

fn runner(seed: u64) -> TestRunner {
    // The generator takes 16 bytes, and does not take zeros alone.
    let bytes = (u128::from(seed) << 64 | 0x9e37_79b9_7f4a_7c15).to_le_bytes();
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::XorShift, &bytes))
}
