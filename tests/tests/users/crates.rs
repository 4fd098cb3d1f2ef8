//! Crates as users have them: with nothing but the library, and with it under another name.

use crate::program::Program;

/// All that a user writes, with the library for the only dependency.
const ALONE: &str = r#"//! A crate that depends on nothing else.

use toolkit::prelude::*;

/// Currency of a payment.
#[derive(Debug, Clone)]
#[arg_type]
#[serde(rename_all = "lowercase")]
pub enum Currency {
    /// The euro.
    Eur,
    /// The dollar.
    Usd,
}

/// What came of it.
#[arg_type]
pub struct Receipt {
    /// How much.
    #[schemars(range(min = 0.01))]
    pub amount: f64,
    /// Of what.
    pub currency: Currency,
}

/// A desk.
#[derive(Debug)]
pub struct Desk {
    limit: f64,
}

#[toolbox]
impl Desk {
    /// Pays.
    #[tool(effect = "write", approval(amount > self.limit), examples((amount = 2.5, currency = "eur")))]
    async fn pay(
        &self,
        /// How much.
        #[arg(minimum = 0.01)]
        amount: f64,
        currency: Currency,
    ) -> Result<Receipt, Failure> {
        std::future::ready(()).await;
        Ok(Receipt { amount, currency })
    }
}

/// Adds.
#[tool]
#[must_use]
pub const fn add(left: u8, right: Option<u8>) -> u8 {
    match right {
        Some(right) => left.saturating_add(right),
        None => left,
    }
}

fn main() {
    let double = Tool::from_fn("double", "Doubles.", |receipt: Receipt, _| receipt.amount * 2.0);
    let builder = Registry::builder().tools(tools![add]).tool(double.effect(toolkit::Effect::Read));
    assert!(builder.toolbox(Desk { limit: 500.0 }).build().is_err());
}
"#;

/// The library under another name, without a word in the source for that where it is a macro's.
const RENAMED: &str = r#"//! A crate that calls the library something else.

use kit::prelude::*;

/// Currency of a payment.
#[arg_type(crate = kit)]
pub struct Cents(pub u64);

/// A desk.
#[derive(Debug)]
pub struct Desk;

#[toolbox(crate = kit)]
impl Desk {
    /// Pays.
    #[tool(effect = "read", check = fine(&cents), approval(cents.0 > 500))]
    pub async fn pay(&self, #[arg(minimum = 1)] cents: Cents, note: &str) -> String {
        std::future::ready(()).await;
        format!("{} {note}", cents.0)
    }
}

fn fine(cents: &Cents) -> Result<(), ToolError> {
    if cents.0 > 1_000 { Err(ToolError::business("too much")) } else { Ok(()) }
}

/// Adds.
#[tool(crate = kit, annotations(open_world_hint = false))]
#[must_use]
pub const fn add(left: u8, #[arg(default = 2)] right: u8) -> u8 {
    left.saturating_add(right)
}

fn main() {
    let builder = Registry::builder().tools(tools![add]).toolbox(Desk);
    assert!(builder.build().is_err());
}
"#;

/// What a user may have on: every group of clippy's, and what rustc says of an interface.
const LINTS: [&str; 6] = [
    "-Dwarnings",
    "-Dmissing_docs",
    "-Dunused_qualifications",
    "-Dclippy::all",
    "-Dclippy::pedantic",
    "-Dclippy::nursery",
];

#[test]
fn a_crate_that_depends_on_nothing_else_compiles_without_a_lint_of_clippys() {
    Program::new("alone", "toolkit", ALONE).is_clean(&LINTS);
}

#[test]
fn a_crate_that_renames_the_library_compiles_without_a_lint_of_clippys() {
    Program::new("renamed", "kit", RENAMED).is_clean(&LINTS);
}

/// What a program of this kind can not keep is allowed in it by its name.
#[test]
fn a_crate_that_hides_all_it_can_compiles_without_a_lint_of_clippys() {
    Program::new("hostile", "toolkit", include_str!("../../ui/pass/hostile.rs")).is_clean(&LINTS);
}
