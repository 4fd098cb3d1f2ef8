//! What is looked for, by stable codes.

use std::fmt;

/// What a finding counts for.
///
/// ```
/// use toolkit::{Level, Lint, Rule};
///
/// let lint = Lint::new().level(Rule::NoUseWhen, Level::Allow);
/// assert_eq!(lint.level_of(Rule::NoUseWhen), Level::Allow);
/// assert_eq!(lint.level_of(Rule::Vague), Level::Deny);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It is not told.
    Allow,
    /// It is told.
    Warn,
    /// It is told, and fails a test.
    Deny,
}

macro_rules! rules {
    ($($name:ident $code:literal $level:ident $doc:literal;)*) => {
        /// A rule of the lint, with a code that stays the same.
        ///
        /// ```
        /// use toolkit::Rule;
        ///
        /// assert_eq!(Rule::NoUseWhen.code(), "no-use-when");
        /// assert!(Rule::ALL.iter().all(|rule| !rule.code().is_empty()));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $doc] $name,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The rule's code.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }

            /// The level that it has without a word.
            #[must_use]
            pub const fn default_level(self) -> Level {
                match self {
                    $(Self::$name => Level::$level,)*
                }
            }
        }
    };
}

rules! {
    Vague "vague" Deny "A description of words that say nothing, like \"handles various data\".";
    RepeatsName "repeats-name" Deny "A description that only says the name again.";
    NoUseWhen "no-use-when" Warn "A description, beside other tools, that does not say when to use the tool.";
    NoSibling "no-sibling" Warn "A description near to another tool's, and neither names the other.";
    Overlap "overlap" Deny "Two tools of the same arguments and nearly the same words.";
    NearEqualNames "near-equal-names" Deny "Two names that differ in a letter, a plural or their order.";
    NoFamilyPrefix "no-family-prefix" Warn "A name without the prefix that the others of its family have.";
    LowLevelChain "low-level-chain" Warn "Tools that must be called one after the other, where one would do.";
    UndescribedParameter "undescribed-parameter" Deny "A parameter without a description.";
    ClosedSetInWords "closed-set-in-words" Deny "A free text whose description lists the values that it may have.";
    FormatInWords "format-in-words" Deny "A free text whose description names a format that the schema does not hold.";
    WideId "wide-id" Warn "An id as a number that JSON readers may round.";
    TooManyParameters "too-many-parameters" Warn "More parameters than a model fills well.";
    HiddenInstruction "hidden-instruction" Deny "An instruction to the model that is no description of the tool.";
    InvisibleCharacters "invisible-characters" Deny "Characters that a person does not see and a model reads.";
    OverLimit "over-limit" Warn "A description or a name longer than a provider takes.";
    OverBudget "over-budget" Warn "Definitions that cost more tokens than they may.";
    KeywordRule "keyword-rule" Warn "A prompt that ties a tool to a word of the user.";
    HiddenToolNamed "hidden-tool-named" Deny "A prompt that names a tool that the view does not show.";
    Contradiction "contradiction" Deny "A prompt that says the opposite of a description.";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
