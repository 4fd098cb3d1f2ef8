//! Crates as users have them: with nothing but the library, and with it under another name.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A crate's name, how it depends on the library, and its source.
const CRATES: [(&str, &str, &str); 3] = [
    ("alone", "toolkit = { path = PATH }", ALONE),
    ("renamed", "kit = { package = \"toolkit\", path = PATH }", RENAMED),
    ("hostile", "toolkit = { path = PATH }", include_str!("../../ui/pass/hostile.rs")),
];

/// All that a user writes, with the library for the only dependency.
const ALONE: &str = r##"//! A crate that depends on nothing else.

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
    pub async fn pay(
        &self,
        /// How much.
        #[arg(minimum = 0.01)]
        amount: f64,
        currency: Currency,
    ) -> Result<Receipt, Failure> {
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
"##;

/// The library under another name, without a word in the source for that where it is a macro's.
const RENAMED: &str = r##"//! A crate that calls the library something else.

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
        format!("{} {note}", cents.0)
    }
}

const fn fine(cents: &Cents) -> Result<(), ToolError> {
    let _ = cents.0;
    Ok(())
}

/// Adds.
#[tool(crate = kit, annotations(open_world_hint = false))]
#[must_use]
pub fn add(left: u8, #[arg(default = 2)] right: u8) -> u8 {
    left.saturating_add(right)
}

fn main() {
    let builder = Registry::builder().tools(tools![add]).toolbox(Desk);
    assert!(builder.build().is_err());
}
"##;

/// Every lint of clippy's groups is on, and denied; a lint that a program of this kind can not
/// keep is allowed in `hostile.rs` by its name.
#[test]
fn a_users_crate_compiles_without_a_lint_of_clippys() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let place = target.join("tmp/crates");
    let names = CRATES.map(|(name, ..)| name);
    written(
        &place.join("Cargo.toml"),
        &format!(
            "[workspace]\nresolver = \"3\"\nmembers = {names:?}\n\n[workspace.lints.rust]\n\
             missing_docs = \"deny\"\nunused_qualifications = \"deny\"\nunreachable_pub = \"allow\"\n\n\
             [workspace.lints.clippy]\nall = {{ level = \"deny\", priority = -1 }}\n\
             pedantic = {{ level = \"deny\", priority = -1 }}\n\
             nursery = {{ level = \"deny\", priority = -1 }}\n"
        ),
    );
    fs::copy(root.join("Cargo.lock"), place.join("Cargo.lock")).unwrap();
    let path = format!("{:?}", root.join("toolkit").display().to_string());
    for (name, dependency, source) in CRATES {
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{}\n\n[lints]\nworkspace = true\n",
            dependency.replace("PATH", &path)
        );
        written(&place.join(name).join("Cargo.toml"), &manifest);
        written(&place.join(name).join("src/main.rs"), source);
    }
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["clippy", "--workspace", "--offline", "--quiet"])
        .current_dir(&place)
        // What the library needs is there already, or is needed there next.
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn written(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}
