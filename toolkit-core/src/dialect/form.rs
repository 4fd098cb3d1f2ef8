//! What one API takes of a JSON Schema: lists of what it takes, never of what it does not.

use std::fmt;

use super::budget::Room;
use crate::schema::is_keyword;

/// The form in which an API takes schemas, and what is done to what it does not take.
///
/// A dialect has one: [`Dialect::form`](super::Dialect::form).
///
/// ```
/// use toolkit::dialect::{Anthropic, Dialect, Form};
///
/// assert_eq!(Anthropic.form(), Form::ANTHROPIC);
/// assert_eq!(Anthropic.strict().form(), Form::ANTHROPIC.strict());
/// assert_eq!(Anthropic.strict().form().to_string(), "anthropic, strict");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form {
    target: Target,
    strictness: Strictness,
    pairs: bool,
    text: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Exact,
    Portable,
    Anthropic,
    OpenAi,
    GeminiParameters,
    GeminiJson,
    DeepSeek,
}

/// Whether the provider is to hold the model to the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strictness {
    Plain,
    Strict,
    /// Strict where a tool has such a form and the request has room for it.
    WherePossible,
}

/// The order is that of the numbers that hosts keep: one more comes last.
const TARGETS: [Target; 7] = [
    Target::Exact,
    Target::Portable,
    Target::Anthropic,
    Target::OpenAi,
    Target::GeminiParameters,
    Target::GeminiJson,
    Target::DeepSeek,
];

const STRICTNESS: [Strictness; 3] =
    [Strictness::Plain, Strictness::Strict, Strictness::WherePossible];

impl Form {
    /// The full schema, as it is.
    pub const EXACT: Self = Self::of(Target::Exact);
    /// The full schema with a plain object at its root, which every API takes.
    pub const PORTABLE: Self = Self::of(Target::Portable);
    /// `input_schema` of Anthropic's Messages API.
    pub const ANTHROPIC: Self = Self::of(Target::Anthropic);
    /// `parameters` of OpenAI's functions.
    pub const OPENAI: Self = Self::of(Target::OpenAi);
    /// `parameters` of Gemini's function declarations, a part of `OpenAPI`.
    pub const GEMINI_PARAMETERS: Self = Self::of(Target::GeminiParameters);
    /// `parametersJsonSchema` of Gemini's function declarations.
    pub const GEMINI_JSON: Self = Self::of(Target::GeminiJson);
    /// `parameters` of functions at `DeepSeek`.
    pub const DEEPSEEK: Self = Self::of(Target::DeepSeek);

    const fn of(target: Target) -> Self {
        Self { target, strictness: Strictness::Plain, pairs: false, text: false }
    }

    /// The form in which the provider holds the model to the schema.
    ///
    /// The same where the provider has no such form for one tool.
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strictness = Strictness::Strict;
        self
    }

    /// Strict where the tool has such a form and the request has room for it, else plain.
    #[must_use]
    pub const fn strict_where_possible(mut self) -> Self {
        self.strictness = Strictness::WherePossible;
        self
    }

    /// Writes a map that the API does not take as a list of pairs.
    #[must_use]
    pub const fn maps_as_pairs(mut self) -> Self {
        self.pairs = true;
        self
    }

    /// Writes a value of any kind that the API does not take as JSON text in a string.
    #[must_use]
    pub const fn any_as_text(mut self) -> Self {
        self.text = true;
        self
    }

    /// The same in Gemini's `parameters`.
    pub(super) const fn in_parameters(mut self) -> Self {
        self.target = Target::GeminiParameters;
        self
    }

    /// The same for a tool that is sent strictly, or not.
    pub(super) const fn decided(mut self, strict: bool) -> Self {
        self.strictness = if strict { Strictness::Strict } else { Strictness::Plain };
        self
    }

    pub(super) const fn strictness(self) -> Strictness {
        self.strictness
    }

    pub(super) const fn writes_pairs(self) -> bool {
        self.pairs
    }

    pub(super) const fn writes_text(self) -> bool {
        self.text
    }

    pub(super) const fn is_exact(self) -> bool {
        matches!(self.target, Target::Exact)
    }

    /// Whether a call in this form may have to be decoded.
    pub(super) const fn re_encodes(self) -> bool {
        match self.target {
            Target::Exact | Target::Portable => false,
            Target::Anthropic | Target::OpenAi | Target::DeepSeek => {
                !matches!(self.strictness, Strictness::Plain)
            }
            Target::GeminiParameters | Target::GeminiJson => self.pairs || self.text,
        }
    }

    /// Whether one tool may be sent strictly and another one not.
    pub(super) const fn is_decided_by_tool(self) -> bool {
        match self.target {
            Target::Anthropic | Target::OpenAi | Target::DeepSeek => {
                matches!(self.strictness, Strictness::WherePossible)
            }
            Target::Exact | Target::Portable | Target::GeminiParameters | Target::GeminiJson => {
                false
            }
        }
    }

    /// What the API takes.
    pub(super) const fn rules(self) -> &'static Rules {
        let is_strict = matches!(self.strictness, Strictness::Strict);
        match self.target {
            Target::Exact | Target::Portable | Target::Anthropic | Target::OpenAi if !is_strict => {
                if matches!(self.target, Target::OpenAi) {
                    &OPENAI
                } else {
                    &PLAIN
                }
            }
            Target::DeepSeek if !is_strict => &OPENAI,
            Target::Exact | Target::Portable => &PLAIN,
            Target::Anthropic => &ANTHROPIC_STRICT,
            Target::OpenAi => &OPENAI_STRICT,
            Target::DeepSeek => &DEEPSEEK_STRICT,
            Target::GeminiParameters => &GEMINI_PARAMETERS,
            Target::GeminiJson => &GEMINI_JSON,
        }
    }

    /// Whether the tools of one request must all be strict, or none.
    pub(super) const fn is_all_or_nothing(self) -> bool {
        matches!(self.target, Target::DeepSeek)
    }

    /// What the strict schemas of one request may hold together.
    pub(super) const fn room(self) -> Room {
        match self.target {
            Target::Anthropic => Room::ANTHROPIC,
            Target::OpenAi => Room::OPENAI,
            Target::Exact
            | Target::Portable
            | Target::GeminiParameters
            | Target::GeminiJson
            | Target::DeepSeek => Room::ANY,
        }
    }

    /// A pattern that the names of the arguments must match, in words, and whether one does.
    pub(super) fn misnamed(self, name: &str) -> Option<&'static str> {
        let fits = |first: fn(char) -> bool, rest: fn(char) -> bool| {
            name.len() <= 64 && name.starts_with(first) && name.chars().all(rest)
        };
        match self.target {
            Target::Exact | Target::Portable | Target::OpenAi | Target::DeepSeek => None,
            Target::Anthropic => {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
                (!fits(is_plain, is_plain)).then_some("^[a-zA-Z0-9_.-]{1,64}$")
            }
            Target::GeminiParameters | Target::GeminiJson => {
                let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
                let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
                (!fits(starts, is_plain)).then_some("^[A-Za-z_][A-Za-z0-9_]{0,63}$")
            }
        }
    }

    /// The form as a number, which a call is marked with.
    pub(crate) fn code(self) -> u16 {
        let at = |found: Option<usize>| found.and_then(|at| u16::try_from(at).ok()).unwrap_or(0);
        let target = at(TARGETS.iter().position(|target| *target == self.target));
        let strictness = at(STRICTNESS.iter().position(|one| *one == self.strictness));
        target << 4 | strictness << 2 | u16::from(self.pairs) << 1 | u16::from(self.text)
    }

    /// The form that a number stands for.
    pub(crate) fn decoded(code: u16) -> Option<Self> {
        Some(Self {
            target: *TARGETS.get(usize::from(code >> 4))?,
            strictness: *STRICTNESS.get(usize::from(code >> 2 & 3))?,
            pairs: code & 2 != 0,
            text: code & 1 != 0,
        })
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.target {
            Target::Exact => "exact",
            Target::Portable => "portable",
            Target::Anthropic => "anthropic",
            Target::OpenAi => "openai",
            Target::GeminiParameters => "gemini, parameters",
            Target::GeminiJson => "gemini",
            Target::DeepSeek => "deepseek",
        })?;
        match self.strictness {
            Strictness::Plain => Ok(()),
            Strictness::Strict => f.write_str(", strict"),
            Strictness::WherePossible => f.write_str(", strict where possible"),
        }
    }
}

/// What an API takes of a schema.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is the answer to one question")]
pub(super) struct Rules {
    /// Whether schemas are taken as they are but for a few places.
    pub(super) is_open: bool,
    /// The keywords that are taken; those that hold schemas have flags of their own.
    keywords: Keywords,
    /// The formats of text that are taken.
    pub(super) formats: &'static [&'static str],
    /// Expressions that are no part of a pattern.
    pub(super) patterns: Patterns,
    /// Whether each object must say that it takes no other fields, or may not.
    pub(super) closing: Closing,
    /// Whether each property must be required, so that absence is written as null.
    pub(super) all_required: bool,
    pub(super) references: References,
    /// Whether null is a flag beside the type.
    pub(super) nullable: bool,
    /// Whether a union stands alone in its node.
    pub(super) lone_unions: bool,
    pub(super) constants: bool,
    pub(super) values: Values,
    pub(super) tuples: bool,
    pub(super) maps: bool,
    /// Whether a value of any kind has a form.
    pub(super) anything: bool,
    pub(super) nulls: bool,
    pub(super) empty_objects: bool,
    pub(super) items: Items,
    /// Whether the model may write an enum's values in other case.
    pub(super) loose_case: bool,
    /// Whether an array must say what its items are.
    pub(super) needs_items: bool,
    /// Keywords that may not stand at the root, beside unions.
    pub(super) refused_at_root: &'static [&'static str],
}

impl Rules {
    pub(super) fn takes(&self, keyword: &str) -> bool {
        match self.keywords {
            // Which standard is meant goes without saying.
            Keywords::All => is_keyword(keyword) && !matches!(keyword, "$schema" | "$vocabulary"),
            Keywords::Of(some) => some.contains(&keyword),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keywords {
    /// Those of JSON Schema 2020-12.
    All,
    Of(&'static [&'static str]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    Must,
    May,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum References {
    /// Also recursive ones; nothing may stand beside one.
    All,
    /// Nothing may stand beside one.
    NotRecursive,
    /// Only recursive ones, below what may be left out.
    OnlyRecursive,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    Any,
    Primitives,
    TextsAndNumbers,
    Texts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patterns {
    All,
    /// Those that are regular: no word boundaries, no wide counts.
    Simple,
    NoLookAround,
    None,
}

/// What `minItems` and `maxItems` may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Items {
    Any,
    /// At least one, and nothing else.
    AtLeastOne,
    Nothing,
}

const PLAIN: Rules = Rules {
    is_open: true,
    keywords: Keywords::All,
    formats: &[],
    patterns: Patterns::All,
    closing: Closing::May,
    all_required: false,
    references: References::All,
    nullable: false,
    lone_unions: false,
    constants: true,
    values: Values::Any,
    tuples: true,
    maps: true,
    anything: true,
    nulls: true,
    empty_objects: true,
    items: Items::Any,
    loose_case: false,
    needs_items: false,
    refused_at_root: &[],
};

const OPENAI: Rules =
    Rules { tuples: false, needs_items: true, refused_at_root: &["not", "enum", "const"], ..PLAIN };

const ANTHROPIC_STRICT: Rules = Rules {
    is_open: false,
    keywords: Keywords::Of(&["default", "pattern"]),
    formats: &[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "uri",
        "ipv4",
        "ipv6",
        "uuid",
    ],
    patterns: Patterns::Simple,
    closing: Closing::Must,
    all_required: false,
    references: References::NotRecursive,
    nullable: false,
    lone_unions: false,
    constants: true,
    values: Values::Primitives,
    tuples: false,
    maps: false,
    anything: false,
    nulls: true,
    empty_objects: true,
    items: Items::AtLeastOne,
    loose_case: true,
    needs_items: true,
    refused_at_root: &[],
};

const OPENAI_STRICT: Rules = Rules {
    keywords: Keywords::Of(&[
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "pattern",
    ]),
    formats: &[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uuid",
    ],
    patterns: Patterns::NoLookAround,
    all_required: true,
    references: References::All,
    items: Items::Any,
    loose_case: false,
    ..ANTHROPIC_STRICT
};

const DEEPSEEK_STRICT: Rules = Rules {
    keywords: Keywords::Of(&[
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "default",
        "pattern",
    ]),
    formats: &["email", "hostname", "ipv4", "ipv6", "uuid"],
    items: Items::Nothing,
    ..OPENAI_STRICT
};

const GEMINI_PARAMETERS: Rules = Rules {
    keywords: Keywords::Of(&[
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "minProperties",
        "maxProperties",
    ]),
    formats: &["date-time"],
    patterns: Patterns::All,
    closing: Closing::Never,
    references: References::None,
    nullable: true,
    lone_unions: true,
    constants: false,
    values: Values::Texts,
    nulls: false,
    empty_objects: false,
    items: Items::Any,
    loose_case: false,
    ..ANTHROPIC_STRICT
};

const GEMINI_JSON: Rules = Rules {
    keywords: Keywords::Of(&["minimum", "maximum"]),
    formats: &["date-time", "date", "time"],
    patterns: Patterns::None,
    closing: Closing::May,
    references: References::OnlyRecursive,
    nullable: false,
    lone_unions: false,
    values: Values::TextsAndNumbers,
    tuples: true,
    maps: true,
    anything: true,
    nulls: true,
    empty_objects: true,
    ..GEMINI_PARAMETERS
};
