//! Arguments as a provider sends them: JSON text, in all its spellings, and not quite JSON.

use std::fmt::Write as _;

use proptest::arbitrary::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::arguments::{Arguments, ArgumentsTree};
use super::dice::Dice;

/// Generates a tool's arguments as JSON text: [`Arguments`] in all spellings of JSON.
///
/// White space, escapes, `1e2` for `100` and `-0` for `0` say the same; numbers that no
/// type holds, repeated fields, deep nesting, half a surrogate pair and text that is cut
/// off or goes on break the text rules.
///
/// ```
/// use proptest::strategy::{Strategy, ValueTree};
/// use proptest::test_runner::TestRunner;
/// use serde_json::json;
/// use toolkit::testing::{Arguments, Texts};
///
/// let schema = json!({"properties": {"amount": {"type": "number"}}});
/// let texts = Texts::of(Arguments::of(schema));
/// let mut runner = TestRunner::deterministic();
/// let text: String = texts.new_tree(&mut runner)?.current();
/// let again = texts.new_tree(&mut TestRunner::deterministic())?.current();
/// assert_eq!(text, again);
/// # Ok::<(), proptest::test_runner::Reason>(())
/// ```
#[derive(Debug, Clone)]
pub struct Texts(Arguments);

impl Texts {
    /// Spells what the strategy gives.
    #[must_use]
    pub const fn of(arguments: Arguments) -> Self {
        Self(arguments)
    }
}

impl Strategy for Texts {
    type Tree = TextsTree;
    type Value = String;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let arguments = self.0.new_tree(runner)?;
        let spelling = any::<u64>().new_tree(runner)?.current();
        Ok(TextsTree { arguments, spelling: Some(spelling), was: None })
    }
}

/// A text, and how it gets simpler: [`Strategy::Tree`] of [`Texts`].
///
/// ```
/// use proptest::strategy::{Strategy, ValueTree};
/// use proptest::test_runner::TestRunner;
/// use serde_json::json;
/// use toolkit::testing::{Arguments, Texts, TextsTree};
///
/// let texts = Texts::of(Arguments::of(json!({})));
/// let mut tree: TextsTree = texts.new_tree(&mut TestRunner::deterministic())?;
/// while tree.simplify() {}
/// assert_eq!(tree.current(), "{}");
/// # Ok::<(), proptest::test_runner::Reason>(())
/// ```
#[derive(Debug, Clone)]
pub struct TextsTree {
    arguments: ArgumentsTree,
    /// `None`: plainly.
    spelling: Option<u64>,
    was: Option<u64>,
}

impl ValueTree for TextsTree {
    type Value = String;

    fn current(&self) -> String {
        let value = self.arguments.current();
        self.spelling.map_or_else(|| value.to_string(), |seed| spell(&value, seed))
    }

    fn simplify(&mut self) -> bool {
        if self.was.is_none()
            && let Some(spelling) = self.spelling.take()
        {
            self.was = Some(spelling);
            return true;
        }
        self.arguments.simplify()
    }

    fn complicate(&mut self) -> bool {
        if self.spelling.is_none() && self.was.is_some() && self.arguments.is_untouched() {
            self.spelling = self.was;
            return self.arguments.simplify();
        }
        self.arguments.complicate()
    }
}

/// Numbers at which the ways of holding them part.
const EDGES: [&str; 20] = [
    "9007199254740992",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1e19",
    "1e400",
    "-1e400",
    "5e-324",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257827",
    "16777217",
    "3.4028235e38",
    "1e39",
    "-0",
    "-0.0",
    "0e5",
    "2147483648.0",
];

fn spell(value: &Value, seed: u64) -> String {
    let mut speller = Speller { dice: Dice::of(seed), text: String::new(), is_odd: false };
    speller.is_odd = speller.dice.one_in(2);
    speller.value(value);
    let Speller { mut dice, mut text, .. } = speller;
    if dice.one_in(12) {
        spoil(&mut text, &mut dice);
    }
    text
}

struct Speller {
    dice: Dice,
    text: String,
    is_odd: bool,
}

impl Speller {
    fn space(&mut self) {
        if self.is_odd && self.dice.one_in(3) {
            let space = self.dice.word([" ", "\n", "\t", "\r\n", "  "]);
            self.text.push_str(space);
        }
    }

    fn value(&mut self, value: &Value) {
        self.space();
        match value {
            Value::Null => self.text.push_str("null"),
            Value::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Value::Number(number) => self.number(&number.to_string()),
            Value::String(text) => self.quoted(text),
            Value::Array(items) => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.text.push(',');
                    }
                    self.value(item);
                }
                self.space();
                self.text.push(']');
            }
            Value::Object(members) => {
                self.text.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        self.text.push(',');
                    }
                    self.member(name, value);
                    if self.is_odd && self.dice.one_in(64) {
                        self.text.push(',');
                        self.member(name, value);
                    }
                }
                self.space();
                self.text.push('}');
            }
        }
        self.space();
    }

    fn member(&mut self, name: &str, value: &Value) {
        self.space();
        self.quoted(name);
        self.space();
        self.text.push(':');
        self.value(value);
    }

    /// The same number in another spelling, or now and then another one.
    fn number(&mut self, digits: &str) {
        let is_whole = !digits.contains(['.', 'e', 'E']);
        let spelt = match self.dice.below(if self.is_odd { 12 } else { 1 }) {
            1 if is_whole => format!("{digits}.0"),
            2 if is_whole => format!("{digits}e0"),
            3 if is_whole => format!("{digits}0E-1"),
            4 if is_whole => format!("{digits}.000e+00"),
            5 if digits == "0" => "-0".to_owned(),
            6 if digits.ends_with("00") && is_whole => {
                format!("{}e2", digits.trim_end_matches("00"))
            }
            7 => self.dice.word(EDGES).to_owned(),
            _ => digits.to_owned(),
        };
        self.text.push_str(&spelt);
    }

    fn quoted(&mut self, text: &str) {
        self.text.push('"');
        for c in text.chars() {
            let must = matches!(c, '"' | '\\' | '\0'..='\u{1f}');
            if must || (self.is_odd && self.dice.one_in(6)) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a `String` does not fail.
                    let _written = write!(self.text, "\\u{unit:04x}");
                }
            } else {
                self.text.push(c);
            }
        }
        if self.is_odd && self.dice.one_in(256) {
            let half =
                self.dice.word(["\\ud800", "\\udc00", "\\ud83d\\u0041", "\\q", "\n", "\\u00"]);
            self.text.push_str(half);
        }
        self.text.push('"');
    }
}

/// Breaks a text: most of what comes out is no JSON.
fn spoil(text: &mut String, dice: &mut Dice) {
    let mut at = dice.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    match dice.below(9) {
        0 => text.truncate(at),
        1 => text.push_str(dice.word(["}", "{}", "\n\nI will now", "<|call|>", ",", "null"])),
        2 => text.insert_str(
            at,
            dice.word([",", "\"", "}", "]", "0", "-", ".", "e", "\u{feff}", "\u{0}"]),
        ),
        3 => {
            text.clear();
            text.push_str(
                dice.word(["", " \n", "null", "[]", "\"\"", "\"{}\"", "7", "true", "NaN"]),
            );
        }
        4 => *text = text.replacen(':', ": +", 1),
        5 => *text = text.replacen('"', "'", 2),
        6 => {
            // Around the deepest nesting that is taken.
            let depth = 29 + dice.below(6);
            let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            *text = text.replacen("null", &deep, 1);
        }
        7 => *text = text.replacen(':', ":0", 1),
        _ => *text = text.replacen(',', ",,", 1),
    }
}
