//! The keys of the attributes: a table each, and how a key is read.

mod form;
mod value;

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitStr, Token};

pub(crate) use form::{
    Annotations, Approval, Bytes, Count, Examples, Flag, Marker, Names, NoLedger, Requirements,
    Root, Rule, Text, Unknown, Words,
};
pub(crate) use value::{Literal, Value};

use crate::diag::{Diagnostics, did_you_mean, similar, with_help};

/// Writes a table of keys as a struct that reads them; a new key is one line.
macro_rules! keys {
    (
        $(#[$about:meta])*
        $keys:ident elsewhere $($elsewhere:literal in $other:ident),+ {
            $($(#[$doc:meta])* $word:literal $field:ident: $slot:ty $(, $fits:ident $keyword:literal)?;)*
        }
    ) => {
        $(#[$about])*
        #[derive(Default)]
        pub(crate) struct $keys {
            $($(#[$doc])* pub(crate) $field: $slot,)*
        }

        impl Keys for $keys {
            const WORDS: &'static [&'static str] = &[$($word),*];

            fn slot(&mut self, word: &str) -> Option<&mut dyn Slot> {
                match word {
                    $($word => Some(&mut self.$field),)*
                    _ => None,
                }
            }

            fn elsewhere(word: &str) -> Option<&'static str> {
                let places = [$(($elsewhere, $other::WORDS)),+];
                places.iter().find(|(_, words)| words.contains(&word)).map(|(place, _)| *place)
            }

            fn keywords(&self) -> Vec<Keyword<'_>> {
                let keywords: &[Option<Keyword<'_>>] = &[$($(self.$field.get().map(|value| Keyword {
                    fits: Fits::$fits,
                    key: $word,
                    word: $keyword,
                    value,
                }),)?)*];
                keywords.iter().flatten().copied().collect()
            }
        }
    };
}

/// The keys of one attribute.
pub(crate) trait Keys {
    /// The words of the keys.
    const WORDS: &'static [&'static str];

    /// Where the value of a key goes.
    fn slot(&mut self, word: &str) -> Option<&mut dyn Slot>;

    /// The place where a word is a key.
    fn elsewhere(word: &str) -> Option<&'static str>;

    /// The keys that become a keyword of JSON Schema, in the table's order.
    fn keywords(&self) -> Vec<Keyword<'_>>;

    /// Reads what stands between the parentheses, and goes on after every mistake.
    fn read(&mut self, tokens: TokenStream, diag: &mut Diagnostics) {
        let read = |input: ParseStream<'_>| {
            while !input.is_empty() {
                self.entry(input, diag);
            }
            Ok(())
        };
        let read: syn::Result<()> = read.parse2(tokens);
        diag.ok_or_push(read);
    }

    /// Reads one key, its value and the comma behind it.
    fn entry(&mut self, input: ParseStream<'_>, diag: &mut Diagnostics) {
        if let Ok(key) = input.call(Ident::parse_any) {
            let word = key.to_string();
            if let Some(slot) = self.slot(&word) {
                slot.take(&key, input, diag);
            } else {
                diag.error(&key, unknown(&word, Self::WORDS, Self::elsewhere(&word)));
                if let Some(slot) = similar(&word, Self::WORDS).and_then(|word| self.slot(word)) {
                    slot.spoil();
                }
                skip(input);
            }
        } else {
            if input.peek(LitStr)
                && let Some(slot) = self.slot("description")
            {
                slot.spoil();
            }
            diag.at(input.span(), "expected a key, like `description = \"…\"`");
            skip(input);
        }
        if !input.is_empty() && input.parse::<Token![,]>().is_err() {
            diag.at(input.span(), "expected `,` before the next key");
            skip(input);
        }
    }
}

/// A key that becomes a keyword of JSON Schema.
#[derive(Clone, Copy)]
pub(crate) struct Keyword<'a> {
    /// The types that it fits.
    pub(crate) fits: Fits,
    /// The key.
    pub(crate) key: &'static str,
    /// JSON Schema's word for it.
    pub(crate) word: &'static str,
    /// What is written behind it.
    pub(crate) value: &'a Value,
}

keys! {
    /// What `#[tool(…)]` says.
    ToolKeys elsewhere
        "`#[arg(…)]` on a parameter" in ArgKeys,
        "`approval(…)`" in ApprovalKeys,
        "`annotations(…)`" in HintKeys
    {
        /// What the model chooses by.
        "description" description: Once<Value>;
        /// The name that the model asks for.
        "name" name: Once<Text>;
        /// A name for people.
        "title" title: Once<Value>;
        /// What the tool does to the world.
        "effect" effect: Once<Text>;
        /// The scopes that the caller must hold.
        "scopes" scopes: Once<Words>;
        /// Whether a caller without the scopes sees the tool all the same.
        "listed" listed: Once<Flag>;
        /// What becomes of a call without the scopes.
        "on_denied" on_denied: Once<Text>;
        /// When a person must agree, and how.
        "approval" approval: Once<Approval>;
        /// What a call would do, in the tool's own words.
        "preview" preview: Once<Rule>;
        /// Whether an approved call runs only while that stays as it was.
        "preview_must_match" preview_must_match: Once<Flag>;
        /// Whether the model says how much the result is to tell.
        "formats" formats: Once<Flag>;
        /// The business rules.
        "check" check: Many<Rule>;
        /// What must have succeeded before it in the same run.
        "requires" requires: Once<Requirements>;
        /// What makes two calls the same call.
        "idempotency" idempotency: Once<Names>;
        /// What becomes of a call of which nobody knows whether it took effect.
        "on_unknown" on_unknown: Once<Unknown>;
        /// Why the calls are in no ledger.
        "ledger" ledger: Once<NoLedger>;
        /// How long its own code may take.
        "timeout" timeout: Once<Text>;
        /// Whether it blocks its thread, and gets one of its own.
        "blocking" blocking: Once<Flag>;
        /// How many calls of it run at the same time.
        "concurrency" concurrency: Once<Count>;
        /// How many bytes of its result the model reads.
        "result_limit" result_limit: Once<Bytes>;
        /// Whether its result holds what strangers wrote.
        "reads_untrusted" reads_untrusted: Once<Flag>;
        /// Whether its result holds what is nobody else's business.
        "reads_private" reads_private: Once<Flag>;
        /// Whether it carries what it is given to others.
        "writes_external" writes_external: Once<Flag>;
        /// What a client of MCP is told beside the effect.
        "annotations" annotations: Once<Annotations>;
        /// Whole arguments that show the model the form.
        "examples" examples: Once<Examples>;
        /// The type beside the function.
        "type" marker: Once<Marker>;
        /// Where the library is found.
        "crate" root: Once<Root>;
    }
}

keys! {
    /// What `annotations(…)` says, in MCP's words.
    HintKeys elsewhere "`#[tool(…)]`, outside of `annotations(…)`" in ToolKeys {
        /// Whether nothing is changed.
        "read_only_hint" read_only: Once<Flag>;
        /// Whether a call may undo or overwrite what is there.
        "destructive_hint" destructive: Once<Flag>;
        /// Whether a second call of the same arguments changes nothing more.
        "idempotent_hint" idempotent: Once<Flag>;
        /// Whether it has to do with what is outside.
        "open_world_hint" open_world: Once<Flag>;
    }
}

keys! {
    /// What `approval(…)` says beside the rule.
    ApprovalKeys elsewhere "`#[tool(…)]`, outside of `approval(…)`" in ToolKeys {
        /// How many persons must agree.
        "quorum" quorum: Once<Count>;
        /// Whether none of them may be the one whom the agent acts for.
        "four_eyes" four_eyes: Once<Flag>;
        /// How long a call waits for them.
        "time_to_live" time_to_live: Once<Text>;
    }
}

keys! {
    /// What `#[toolbox(…)]` says.
    ToolboxKeys elsewhere "`#[tool(…)]` on a method" in ToolKeys {
        /// Where the library is found.
        "crate" root: Once<Root>;
    }
}

keys! {
    /// What `#[arg_type(…)]` says.
    TypeKeys elsewhere "`#[tool(…)]` on a function" in ToolKeys {
        /// Where the library is found.
        "crate" root: Once<Root>;
    }
}

keys! {
    /// What `#[arg(…)]` says.
    ArgKeys elsewhere "`#[tool(…)]` on the function" in ToolKeys {
        /// What the model fills the parameter by.
        "description" description: Once<Value>;
        /// The parameter's name in the schema.
        "rename" rename: Once<Text>;
        /// What is taken when nothing is given.
        "default" default: Once<Value>, Any "default";
        /// Values that the model can learn from.
        "examples" examples: Once<Value>, Any "examples";
        /// The least number.
        "minimum" minimum: Once<Value>, Number "minimum";
        /// The greatest number.
        "maximum" maximum: Once<Value>, Number "maximum";
        /// The number that every value is above.
        "exclusive_minimum" exclusive_minimum: Once<Value>, Number "exclusiveMinimum";
        /// The number that every value is below.
        "exclusive_maximum" exclusive_maximum: Once<Value>, Number "exclusiveMaximum";
        /// The number that divides every value.
        "multiple_of" multiple_of: Once<Value>, Number "multipleOf";
        /// The least number of characters.
        "min_length" min_length: Once<Value>, Text "minLength";
        /// The greatest number of characters.
        "max_length" max_length: Once<Value>, Text "maxLength";
        /// A regular expression that the text matches.
        "pattern" pattern: Once<Value>, Text "pattern";
        /// A format that the text has.
        "format" format: Once<Value>, Text "format";
        /// The least number of items.
        "min_items" min_items: Once<Value>, List "minItems";
        /// The greatest number of items.
        "max_items" max_items: Once<Value>, List "maxItems";
        /// Whether no item stands twice.
        "unique_items" unique_items: Once<Value>, List "uniqueItems";
    }
}

/// The types that a keyword fits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fits {
    /// Every type.
    Any,
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// Lists.
    List,
}

/// What can stand behind a key.
pub(crate) trait Form: Sized {
    /// How it is written.
    const SHAPE: &'static str;

    /// Reads it.
    fn read(input: ParseStream<'_>, diag: &mut Diagnostics) -> syn::Result<Self>;

    /// What the key says alone.
    fn alone() -> Option<Self> {
        None
    }
}

/// Where a key's value goes.
pub(crate) trait Slot {
    /// Reads the value behind the key.
    fn take(&mut self, key: &Ident, input: ParseStream<'_>, diag: &mut Diagnostics);

    /// Notes that the key was meant, so that its absence is not reported as well.
    fn spoil(&mut self);
}

/// A key that can stand once.
#[derive(Default)]
pub(crate) enum Once<T> {
    /// It is not written.
    #[default]
    Absent,
    /// It is written, and a mistake in it is reported.
    Broken,
    /// It is written.
    Given {
        /// Where the key stands.
        key: Span,
        /// What stands behind it.
        value: T,
    },
}

impl<T> Once<T> {
    /// What was written.
    pub(crate) fn get(&self) -> Option<&T> {
        match self {
            Self::Given { value, .. } => Some(value),
            Self::Absent | Self::Broken => None,
        }
    }

    /// Where it is written.
    pub(crate) const fn key(&self) -> Option<Span> {
        match self {
            Self::Given { key, .. } => Some(*key),
            Self::Absent | Self::Broken => None,
        }
    }

    /// Whether nobody tried to write it.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<T: Form> Slot for Once<T> {
    fn take(&mut self, key: &Ident, input: ParseStream<'_>, diag: &mut Diagnostics) {
        if !self.is_absent() {
            diag.error(key, format_args!("`{key}` stands twice: keep one of the two"));
            skip(input);
            return;
        }
        let given = |value| Self::Given { key: key.span(), value };
        *self = value(key, input, diag).map_or(Self::Broken, given);
    }

    fn spoil(&mut self) {
        if self.is_absent() {
            *self = Self::Broken;
        }
    }
}

/// A key that can stand any number of times.
pub(crate) struct Many<T>(pub(crate) Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Form> Slot for Many<T> {
    fn take(&mut self, key: &Ident, input: ParseStream<'_>, diag: &mut Diagnostics) {
        self.0.extend(value(key, input, diag));
    }

    fn spoil(&mut self) {}
}

/// Reads the value behind a key, or reports how it is written.
fn value<T: Form>(key: &Ident, input: ParseStream<'_>, diag: &mut Diagnostics) -> Option<T> {
    let start = input.cursor();
    let shape = T::SHAPE;
    if input.is_empty() || input.peek(Token![,]) {
        if let Some(value) = T::alone() {
            return Some(value);
        }
        diag.error(key, format_args!("`{key}` has no value: write `{key}{shape}`"));
        return None;
    }
    match T::read(input, diag) {
        Ok(value) if input.is_empty() || input.peek(Token![,]) => Some(value),
        Ok(_) => {
            let message = format_args!("`{key}` ends here: write `,` before the next key");
            diag.at(input.span(), message);
            skip(input);
            None
        }
        Err(error) => {
            let ends = error.to_string().starts_with("unexpected end of input");
            let span = if ends { key.span() } else { error.span() };
            if start == input.cursor() || ends {
                diag.at(span, format_args!("`{key}` is written `{key}{shape}`"));
            } else if error.to_string().contains("write `") {
                diag.at(span, error);
            } else {
                diag.at(span, format_args!("{error}: write `{key}{shape}`"));
            }
            skip(input);
            None
        }
    }
}

/// Says that a key is unknown, and which one was meant.
fn unknown(word: &str, words: &[&str], elsewhere: Option<&str>) -> String {
    let message = format!("unknown key `{word}`");
    match elsewhere {
        Some(place) => with_help(message, format_args!("`{word}` goes in {place}")),
        None => did_you_mean(message, word, words),
    }
}

/// Skips to the comma before the next key.
fn skip(input: ParseStream<'_>) {
    while !input.is_empty() {
        if input.peek(Token![,]) && (input.peek2(Ident::peek_any) || comma_is_last(input)) {
            return;
        }
        if input.parse::<proc_macro2::TokenTree>().is_err() {
            return;
        }
    }
}

/// Whether nothing stands after the comma.
fn comma_is_last(input: ParseStream<'_>) -> bool {
    input.cursor().token_tree().is_some_and(|(_, rest)| rest.eof())
}
