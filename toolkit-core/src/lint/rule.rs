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

/// A rule of the lint, with a code that stays the same.
///
/// ```
/// use toolkit::Rule;
///
/// assert_eq!(Rule::NoUseWhen.code(), "no-use-when");
/// assert!(Rule::ALL.contains(&Rule::Vague));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// A description of words that say nothing, like "handles various data".
    Vague,
    /// A description that only says the name again.
    RepeatsName,
    /// A description, beside other tools, that does not say when to use the tool.
    NoUseWhen,
    /// A description near to another tool's, and neither names the other.
    NoSibling,
    /// Two tools of the same arguments and nearly the same words.
    Overlap,
    /// Two names that differ in a letter, a plural or their order.
    NearEqualNames,
    /// A name without the prefix that the others of its family have.
    NoFamilyPrefix,
    /// Tools that must be called one after the other, where one would do.
    LowLevelChain,
    /// A parameter without a description.
    UndescribedParameter,
    /// A free text whose description lists the values that it may have.
    ClosedSetInWords,
    /// A free text whose description names a format that the schema does not hold.
    FormatInWords,
    /// An id as a number that JSON readers may round.
    WideId,
    /// More parameters than a model fills well.
    TooManyParameters,
    /// An instruction to the model that is no description of the tool.
    HiddenInstruction,
    /// A description or a name longer than a provider takes.
    OverLimit,
    /// Definitions that cost more tokens than they may.
    OverBudget,
    /// A prompt that ties a tool to a word of the user.
    KeywordRule,
    /// A prompt that names a tool that the view does not show.
    HiddenToolNamed,
    /// A prompt that says the opposite of a description.
    Contradiction,
}

impl Rule {
    /// Every rule.
    pub const ALL: &'static [Self] = &[
        Self::Vague,
        Self::RepeatsName,
        Self::NoUseWhen,
        Self::NoSibling,
        Self::Overlap,
        Self::NearEqualNames,
        Self::NoFamilyPrefix,
        Self::LowLevelChain,
        Self::UndescribedParameter,
        Self::ClosedSetInWords,
        Self::FormatInWords,
        Self::WideId,
        Self::TooManyParameters,
        Self::HiddenInstruction,
        Self::OverLimit,
        Self::OverBudget,
        Self::KeywordRule,
        Self::HiddenToolNamed,
        Self::Contradiction,
    ];

    /// The rule's code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Vague => "vague",
            Self::RepeatsName => "repeats-name",
            Self::NoUseWhen => "no-use-when",
            Self::NoSibling => "no-sibling",
            Self::Overlap => "overlap",
            Self::NearEqualNames => "near-equal-names",
            Self::NoFamilyPrefix => "no-family-prefix",
            Self::LowLevelChain => "low-level-chain",
            Self::UndescribedParameter => "undescribed-parameter",
            Self::ClosedSetInWords => "closed-set-in-words",
            Self::FormatInWords => "format-in-words",
            Self::WideId => "wide-id",
            Self::TooManyParameters => "too-many-parameters",
            Self::HiddenInstruction => "hidden-instruction",
            Self::OverLimit => "over-limit",
            Self::OverBudget => "over-budget",
            Self::KeywordRule => "keyword-rule",
            Self::HiddenToolNamed => "hidden-tool-named",
            Self::Contradiction => "contradiction",
        }
    }

    /// The level that it has without a word.
    #[must_use]
    pub const fn default_level(self) -> Level {
        match self {
            Self::Vague
            | Self::RepeatsName
            | Self::Overlap
            | Self::NearEqualNames
            | Self::UndescribedParameter
            | Self::ClosedSetInWords
            | Self::FormatInWords
            | Self::HiddenInstruction
            | Self::HiddenToolNamed
            | Self::Contradiction => Level::Deny,
            Self::NoUseWhen
            | Self::NoSibling
            | Self::NoFamilyPrefix
            | Self::LowLevelChain
            | Self::WideId
            | Self::TooManyParameters
            | Self::OverLimit
            | Self::OverBudget
            | Self::KeywordRule => Level::Warn,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
