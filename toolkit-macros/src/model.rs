//! A tool as written, and a tool as checked.

use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};

use crate::attr::{ArgKeys, Fits, ToolKeys, Value};

/// The function, as far as it does not depend on the keys.
pub(crate) struct Function {
    /// The function as written, without our attributes on its parameters.
    pub(crate) kept: TokenStream,
    /// Its `#[cfg]` attributes.
    pub(crate) cfgs: TokenStream,
    /// Its visibility.
    pub(crate) visibility: TokenStream,
    /// Its name.
    pub(crate) ident: Ident,
    /// The name of the type beside it.
    pub(crate) marker: Ident,
    /// Whether its use may warn.
    pub(crate) is_deprecated: bool,
    /// Whether it has to be awaited.
    pub(crate) flow: Flow,
    /// The path that the library is found under.
    pub(crate) root: TokenStream,
    /// What it stands in.
    pub(crate) surroundings: Surroundings,
}

/// What a function stands in.
pub(crate) enum Surroundings {
    /// A module or a block, where a type can stand beside it.
    Module,
    /// An `impl`, or beside a type of its name already.
    Impl,
    /// A toolbox.
    Toolbox(Rc<Within>),
}

/// What a method stands in.
pub(crate) struct Within {
    /// The type that the `impl` is of.
    pub(crate) ty: TokenStream,
    /// With whose methods it is: `Self`, or `Self as Trait`.
    pub(crate) owner: TokenStream,
    /// The types that the `impl` of a trait defines.
    pub(crate) types: Vec<Ident>,
}

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// By calling it.
    Sync,
    /// By calling and awaiting it.
    Async,
}

/// A tool as written; nothing in it is known to be right.
pub(crate) struct Written {
    /// The function.
    pub(crate) function: Function,
    /// What its doc comment says.
    pub(crate) doc: Vec<Value>,
    /// What `#[tool(…)]` says.
    pub(crate) keys: ToolKeys,
    /// The type of `self`.
    pub(crate) receiver: Option<Type>,
    /// Its parameters, without `self`.
    pub(crate) params: Vec<WrittenParam>,
    /// What it returns.
    pub(crate) output: Type,
    /// What a tool can not have.
    pub(crate) oddities: Vec<(Oddity, Span)>,
}

/// What a tool can not have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// A generic type.
    TypeParameter,
    /// A generic constant.
    ConstParameter,
    /// `self` outside of a toolbox.
    SelfParameter,
    /// `self` by value.
    TakesSelf,
    /// `&mut self`.
    ChangesSelf,
    /// `unsafe`.
    Unsafe,
    /// `extern`.
    Extern,
    /// Any number of arguments.
    Variadic,
    /// No body.
    NoBody,
    /// `#[tool]` a second time.
    Twice,
    /// A function that never returns.
    Never,
}

/// A parameter as written.
pub(crate) struct WrittenParam {
    /// Its name; `None` where the pattern is no name.
    pub(crate) ident: Option<Ident>,
    /// Where the pattern stands.
    pub(crate) span: Span,
    /// Its type.
    pub(crate) ty: Type,
    /// What its doc comment says.
    pub(crate) doc: Vec<Value>,
    /// The attributes of ours on it.
    pub(crate) marks: Vec<(Mark, Span)>,
    /// Its `#[cfg]` attributes.
    pub(crate) cfgs: TokenStream,
    /// What `#[arg(…)]` says.
    pub(crate) keys: ArgKeys,
}

/// An attribute of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `#[arg(…)]`.
    Arg,
    /// `#[state]`.
    State,
    /// `#[context]`.
    Context,
}

/// A type as written.
pub(crate) struct Type {
    /// Its tokens, with the function's own lifetimes left to be inferred.
    pub(crate) tokens: TokenStream,
    /// Where it starts.
    pub(crate) span: Span,
    /// Where it ends.
    pub(crate) end: Span,
    /// What it refers to, where it is a reference.
    pub(crate) lent: Option<TokenStream>,
    /// Where `&mut` stands, if it is one.
    pub(crate) lent_mutably: Option<Span>,
    /// Where `&'static` stands, if it is one.
    pub(crate) lent_for_good: Option<Span>,
    /// A reference inside it.
    pub(crate) inner_reference: Option<Span>,
    /// A `dyn` in it.
    pub(crate) dynamic: Option<Span>,
    /// An `impl` in it.
    pub(crate) opaque: Option<Span>,
}

/// A tool in which every rule holds.
pub(crate) struct Tool {
    /// The function.
    pub(crate) function: Function,
    /// The name that the model asks for.
    pub(crate) name: String,
    /// A name for people.
    pub(crate) title: Option<Description>,
    /// What the model chooses by.
    pub(crate) description: Description,
    /// What the gates go by.
    pub(crate) policy: Policy,
    /// The type of `self`, in a toolbox.
    pub(crate) receiver: Option<Type>,
    /// The parameters.
    pub(crate) params: Vec<Param>,
    /// Whether the model says how much the result is to tell.
    pub(crate) formats: bool,
    /// What it returns.
    pub(crate) output: Type,
}

/// What the gates go by.
#[expect(clippy::struct_excessive_bools, reason = "each is a key that is written or not")]
pub(crate) struct Policy {
    /// The variant of `Effect`.
    pub(crate) effect: Option<&'static str>,
    /// The scopes that the caller must hold.
    pub(crate) scopes: Vec<String>,
    /// Whether a caller without the scopes sees the tool all the same.
    pub(crate) listed: bool,
    /// Whether a call without the scopes ends the run.
    pub(crate) fatal: bool,
    /// The variant of `OnUnknown`.
    pub(crate) on_unknown: Option<&'static str>,
    /// Whether an earlier run of a call took effect.
    pub(crate) verify: Option<TokenStream>,
    /// Why the calls are in no ledger.
    pub(crate) no_ledger: Option<String>,
    /// The names in the schema of what makes two calls the same call, each with its `#[cfg]`.
    pub(crate) idempotency: Vec<(TokenStream, String)>,
    /// The tools that must have succeeded before, each with the names in the schema of what is
    /// the same and their `#[cfg]`.
    pub(crate) requires: Vec<(String, Vec<(TokenStream, String)>)>,
    /// When a person must agree, and how.
    pub(crate) approval: Option<Agreement>,
    /// The business rules.
    pub(crate) checks: Vec<TokenStream>,
    /// What a call would do.
    pub(crate) preview: Option<TokenStream>,
    /// Whether an approved call runs only while that stays as it was.
    pub(crate) preview_must_match: bool,
    /// How many milliseconds its own code may take.
    pub(crate) timeout: Option<u64>,
    /// Whether it gets a thread of its own.
    pub(crate) blocking: bool,
    /// How many calls of it run at the same time.
    pub(crate) concurrency: Option<usize>,
    /// How many bytes of its result the model reads.
    pub(crate) result_limit: Option<usize>,
    /// The fields of `Policy` that say where data comes from and goes to.
    pub(crate) flows: Vec<&'static str>,
    /// The fields of `Hints` that are said.
    pub(crate) hints: Vec<(&'static str, bool)>,
    /// Whole arguments: the names in the schema with their `#[cfg]` and their values.
    pub(crate) examples: Vec<Vec<(TokenStream, String, Value)>>,
}

impl Policy {
    /// Whether an expression is asked in each call.
    pub(crate) fn has_rules(&self) -> bool {
        let asked = [self.verify.as_ref(), self.preview.as_ref(), self.checks.first()];
        self.approval.is_some() || asked.iter().any(Option::is_some)
    }
}

/// When a person must agree, and how.
pub(crate) struct Agreement {
    /// When; without it, at every call.
    pub(crate) rule: Option<TokenStream>,
    /// How many persons must agree.
    pub(crate) quorum: Option<u32>,
    /// Whether none of them may be the one whom the agent acts for.
    pub(crate) four_eyes: bool,
    /// How many milliseconds a call waits for them.
    pub(crate) time_to_live: Option<u64>,
}

/// The `impl` of a toolbox, as far as it does not depend on its tools.
pub(crate) struct Block {
    /// The `impl` as written, without our attributes in it.
    pub(crate) kept: TokenStream,
    /// Its `#[cfg]` attributes.
    pub(crate) cfgs: TokenStream,
    /// What it is an `impl` of.
    pub(crate) owner: Owner,
    /// How `#[tool]` is written in it, each way once.
    pub(crate) tool_paths: Vec<TokenStream>,
    /// The path that the library is found under.
    pub(crate) root: TokenStream,
}

/// What an `impl` is of.
pub(crate) struct Owner {
    /// The type.
    pub(crate) ty: TokenStream,
    /// The parameters of the `impl`, in their angle brackets.
    pub(crate) generics: TokenStream,
    /// What stands behind its `where`.
    pub(crate) bounds: TokenStream,
}

/// A toolbox as written; nothing in it is known to be right.
pub(crate) struct WrittenToolbox {
    /// The `impl`.
    pub(crate) block: Block,
    /// The tools.
    pub(crate) tools: Vec<Written>,
    /// What a toolbox can not have.
    pub(crate) oddities: Vec<(BlockOddity, Span)>,
}

/// What a toolbox can not have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockOddity {
    /// A generic type.
    TypeParameter,
    /// A generic constant.
    ConstParameter,
    /// A lifetime other than `'static`.
    Lifetime,
    /// `#[toolbox]` a second time.
    Twice,
    /// `#[tool]` on something else than a function.
    NoFunction,
    /// No tool.
    Empty,
}

/// A toolbox in which every rule holds.
pub(crate) struct Toolbox {
    /// The `impl`.
    pub(crate) block: Block,
    /// The tools.
    pub(crate) tools: Vec<Tool>,
}

/// A text that the model reads.
pub(crate) enum Description {
    /// It was read, and says something.
    Read(String, Span),
    /// Only the compiler can tell whether it says something.
    Constant(TokenStream),
}

/// A parameter in which every rule holds.
pub(crate) struct Param {
    /// Its name, or a local of ours where it is a pattern.
    pub(crate) ident: Ident,
    /// Its `#[cfg]` attributes.
    pub(crate) cfgs: TokenStream,
    /// Its type.
    pub(crate) ty: Type,
    /// Who fills it.
    pub(crate) role: Role,
}

/// Who fills a parameter.
pub(crate) enum Role {
    /// The model.
    Argument(Argument),
    /// The registry.
    State,
    /// The call.
    Context,
}

/// What the model is told of a parameter.
pub(crate) struct Argument {
    /// Its name in the schema.
    pub(crate) name: String,
    /// What it is.
    pub(crate) description: Option<Description>,
    /// What it must satisfy.
    pub(crate) keywords: Vec<Constraint>,
}

/// A keyword of JSON Schema and its value.
pub(crate) struct Constraint {
    /// The types that it fits.
    pub(crate) fits: Fits,
    /// JSON Schema's word for it.
    pub(crate) keyword: &'static str,
    /// Its value.
    pub(crate) value: Value,
}

/// The `#[cfg]`s of parameters, each once.
pub(crate) fn distinct_cfgs<'a>(
    all: impl Iterator<Item = &'a TokenStream>,
) -> Vec<&'a TokenStream> {
    let mut distinct: Vec<&TokenStream> = Vec::new();
    for cfgs in all.filter(|cfgs| !cfgs.is_empty()) {
        if distinct.iter().all(|other| other.to_string() != cfgs.to_string()) {
            distinct.push(cfgs);
        }
    }
    distinct
}
