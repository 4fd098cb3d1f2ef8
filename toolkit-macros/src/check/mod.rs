//! The rules: what a tool must be, and what to write where it is not.

mod hint;
mod keyword;
mod policy;

use proc_macro2::Span;
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use crate::attr::{Literal, Once, Text, Value};
use crate::diag::{Diagnostics, with_help};
use crate::model::{
    Argument, Block, BlockOddity, Description, Function, Mark, Oddity, Param, Role, Surroundings,
    Tool, Toolbox, Type, Written, WrittenParam, WrittenToolbox, distinct_cfgs,
};

/// The names of the types that need no `use`; a struct of that name would hide one.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
    "i128", "isize", "f16", "f32", "f64", "f128",
];

/// Checks every rule; the function alone where one does not hold.
pub(crate) fn check(written: Written, diag: &mut Diagnostics) -> Result<Tool, Box<Function>> {
    oddities(&written, diag);
    root(&written, diag);
    distinct(&written.params, diag);
    too_many(&written.params, diag);
    opaque(&written.output, "a tool returns one concrete type: write it out", diag);
    let name = tool_name(&written, diag);
    let description = description(&written, diag);
    let policy = policy::policy(&written, diag);
    let formats = formats(&written, policy.effect, diag);
    let title = written.keys.title.get().and_then(|title| text("title", title, diag));
    let Written { function, receiver, params, output, .. } = written;
    let params = params.into_iter().enumerate();
    let params = params.filter_map(|(index, param)| self::param(index, param, diag)).collect();
    match description {
        Some(description) if diag.is_empty() => Ok(Tool {
            function,
            name,
            title,
            description,
            policy,
            receiver,
            params,
            formats,
            output,
        }),
        _ => Err(Box::new(function)),
    }
}

/// Whether a parameter is added by which the model says how much it wants to read.
fn formats(written: &Written, effect: Option<&str>, diag: &mut Diagnostics) -> bool {
    let formats = policy::is_set(&written.keys.formats);
    let is_taken = |param: &&WrittenParam| param.name().as_deref() == Some("format");
    if let Some(key) = written.keys.formats.key().filter(|_| formats)
        && written.params.iter().any(|param| is_taken(&param))
    {
        diag.at(
            key,
            "`formats` adds a parameter `format`, and there is one already: rename it, or take \
             `formats` away",
        );
    }
    if let Some(key) = written.keys.formats.key().filter(|_| formats)
        && matches!(effect, Some("Write" | "Irreversible"))
    {
        diag.at(
            key,
            "`formats` makes the form of the result a part of the call, so that to ask for the \
             other form would be another call with another effect: take `formats` away, and let \
             a tool that reads tell more",
        );
    }
    formats
}

/// Checks every rule of a toolbox; the `impl` alone where one does not hold.
pub(crate) fn check_toolbox(
    written: WrittenToolbox,
    diag: &mut Diagnostics,
) -> Result<Toolbox, Box<Block>> {
    let WrittenToolbox { block, tools, oddities } = written;
    for &(oddity, span) in &oddities {
        diag.at(span, said_of_block(oddity));
    }
    let tools: Vec<_> = tools.into_iter().filter_map(|tool| check(tool, diag).ok()).collect();
    if diag.is_empty() { Ok(Toolbox { block, tools }) } else { Err(Box::new(block)) }
}

/// What is said of something that a toolbox can not have.
const fn said_of_block(oddity: BlockOddity) -> &'static str {
    match oddity {
        BlockOddity::TypeParameter => {
            "a toolbox needs one concrete type, so that its tools have one schema: write the \
             `impl` for a concrete type instead of this type parameter\n\n\
             = help: a field that holds an `Arc<dyn Trait>` needs no type parameter"
        }
        BlockOddity::ConstParameter => {
            "a toolbox needs one concrete type, so that its tools have one schema: write the \
             `impl` for a concrete number instead of this const parameter"
        }
        BlockOddity::Lifetime => {
            "a registry keeps its toolboxes, so a toolbox can not borrow: \
             own the value, or hold it in an `Arc`"
        }
        BlockOddity::Twice => "`#[toolbox]` stands twice: keep one of the two",
        BlockOddity::NoFunction => "`#[tool]` goes on a function",
        BlockOddity::Empty => {
            "this toolbox has no tool: write `#[tool]` on the methods that the model may call"
        }
    }
}

fn oddities(written: &Written, diag: &mut Diagnostics) {
    for &(oddity, span) in &written.oddities {
        diag.at(span, said_of(oddity));
    }
    marker(written, diag);
}

/// The type beside a function hides another one of its name.
fn marker(written: &Written, diag: &mut Diagnostics) {
    let marker = &written.function.marker;
    let is_given = written.keys.marker.get().is_some();
    if let Surroundings::Toolbox(_) = written.function.surroundings {
        if is_given {
            let message = "no type stands beside a method: remove `type`";
            diag.error(marker, with_help(message, "`Tool::all_of` gives the tools of a toolbox"));
        }
        return;
    }
    let name = marker.unraw().to_string();
    if PRIMITIVES.contains(&name.as_str()) {
        let message = format!("a tool named `{name}` would hide the primitive type `{name}`");
        let help = "`type = Name` gives the type beside it another name, for `tools![Name]`";
        diag.error(marker, with_help(message, help));
    }
}

/// What is said of something that a tool can not have.
const fn said_of(oddity: Oddity) -> &'static str {
    match oddity {
        Oddity::TypeParameter => {
            "a tool needs one concrete schema: write a concrete type instead of this type parameter"
        }
        Oddity::ConstParameter => {
            "a tool needs one concrete schema: write a concrete number instead of this const parameter"
        }
        Oddity::SelfParameter => {
            "a method is a tool in a toolbox: write `#[toolbox]` above its `impl`\n\n\
             = help: or write a free function that takes the value as `#[state] name: &Type`"
        }
        Oddity::TakesSelf => {
            "a call can not take the toolbox, which other calls share: write `&self`"
        }
        Oddity::ChangesSelf => {
            "a toolbox is shared by calls that run at the same time: write `&self`\n\n\
             = help: keep what changes in a `Mutex` or an atomic"
        }
        Oddity::Unsafe => {
            "a model can not keep the promises of an `unsafe` function: \
             make it safe, and check what it relies on"
        }
        Oddity::Extern => "a tool is a Rust function: remove `extern`",
        Oddity::Variadic => "a tool needs one concrete schema: take a `Vec<T>` instead of `...`",
        Oddity::NoBody => "a tool needs a body: write `{ … }` instead of `;`",
        Oddity::Twice => "`#[tool]` stands twice: keep one of the two",
        Oddity::Never => "a tool has to return to its caller: write the type of its result",
    }
}

/// The library is found under one path in all of a toolbox.
fn root(written: &Written, diag: &mut Diagnostics) {
    if let Surroundings::Toolbox(_) = written.function.surroundings
        && let Some(root) = written.keys.root.get()
    {
        let path = &root.0;
        let message = "`crate` goes in `#[toolbox(…)]` on the `impl`";
        diag.error(path, format_args!("{message}: write `#[toolbox(crate = {path})]`"));
    }
}

/// The parameters that a model fills, at most: as many as `toolkit::__private` reads.
const MOST_ARGUMENTS: usize = 31;

/// The different `#[cfg]`s on parameters, at most: each doubles what is written.
const MOST_CFGS: usize = 4;

/// More parameters than a call is written for.
fn too_many(params: &[WrittenParam], diag: &mut Diagnostics) {
    if let Some(param) = params.iter().filter(|param| param.is_argument()).nth(MOST_ARGUMENTS) {
        let message = format!("a tool takes at most {MOST_ARGUMENTS} arguments");
        let help = "take a struct with `#[arg_type]` on it, whose fields belong together";
        diag.at(param.span, with_help(message, help));
    }
    let cfgs = params.iter().map(|param| &param.cfgs);
    if let Some(cfgs) = distinct_cfgs(cfgs).get(MOST_CFGS) {
        let message =
            format!("the parameters of a tool have at most {MOST_CFGS} different `#[cfg]`s");
        diag.error(cfgs, with_help(message, "write a tool for each case, with `#[cfg]` on it"));
    }
}

/// Two parameters can not have one name.
fn distinct(params: &[WrittenParam], diag: &mut Diagnostics) {
    let mut seen: Vec<String> = Vec::new();
    for param in params.iter().filter(|param| param.is_argument()) {
        let Some(name) = param.name() else { continue };
        // Two equal names without `rename` are the compiler's to report.
        if seen.contains(&name) && (param.keys.rename.get().is_some() || !twins(params, &name)) {
            let message =
                format!("two parameters are called `{name}`: the model could not tell them apart");
            diag.at(param.name_span(), message);
        }
        seen.push(name);
    }
}

fn twins(params: &[WrittenParam], name: &str) -> bool {
    params.iter().filter(|param| param.is_called(name)).count() > 1
}

impl WrittenParam {
    fn is_argument(&self) -> bool {
        self.marks.iter().all(|(mark, _)| !matches!(mark, Mark::State | Mark::Context))
    }

    /// Whether the function calls it so.
    fn is_called(&self, word: &str) -> bool {
        self.ident.as_ref().is_some_and(|ident| ident.unraw() == word)
    }

    /// The name in the schema.
    fn name(&self) -> Option<String> {
        let renamed = self.keys.rename.get().map(|rename| rename.text.clone());
        renamed.or_else(|| self.ident.as_ref().map(|ident| ident.unraw().to_string()))
    }

    /// Where that name stands.
    fn name_span(&self) -> Span {
        self.keys.rename.get().map_or(self.span, |rename| rename.span)
    }
}

fn opaque(ty: &Type, message: &str, diag: &mut Diagnostics) {
    if let Some(span) = ty.opaque {
        diag.at(span, format_args!("`impl` can not stand here: {message}"));
    }
}

fn tool_name(written: &Written, diag: &mut Diagnostics) -> String {
    const RULE: &str =
        "a name is 1 to 64 letters, digits, `_` or `-`, and starts with a letter or `_`";
    let ident = &written.function.ident;
    let (name, span) = match written.keys.name.get() {
        Some(Text { text, span }) => (text.clone(), *span),
        None => (ident.unraw().to_string(), ident.span()),
    };
    if written.keys.name.get().is_some() || written.keys.name.is_absent() {
        let say = match written.keys.name {
            Once::Absent => "; write one for the model with `name = \"…\"`",
            Once::Broken | Once::Given { .. } => "",
        };
        if !is_name(&name, "_-") {
            diag.at(span, format_args!("`{name}` can not be a tool's name: {RULE}{say}"));
        }
    }
    name
}

/// Whether it is a name of at most 64 characters; `signs` may stand in it.
fn is_name(name: &str, signs: &str) -> bool {
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let holds = name.chars().all(|sign| sign.is_ascii_alphanumeric() || signs.contains(sign));
    starts && holds && name.len() <= 64
}

/// The key, or the doc comment.
fn description(written: &Written, diag: &mut Diagnostics) -> Option<Description> {
    const WHY: &str = "the model chooses a tool by its description and by nothing else";
    const HOW: &str = "write `description = \"…\"` or a doc comment: what the tool does, \
                       when to use it, and when not";
    match &written.keys.description {
        Once::Given { value: description, .. } => text("description", description, diag),
        Once::Broken => None,
        Once::Absent => {
            let doc = doc_text(&written.doc);
            if doc.is_none() {
                let ident = &written.function.ident;
                let message = format!("the tool `{}` has no description: {WHY}", ident.unraw());
                diag.error(ident, with_help(message, HOW));
            }
            doc
        }
    }
}

/// A text that says something, or an expression of which only the compiler knows.
fn text(key: &str, value: &Value, diag: &mut Diagnostics) -> Option<Description> {
    match &value.literal {
        Literal::Text(text) if text.trim().is_empty() => {
            diag.error(&value.tokens, format_args!("`{key}` is blank: {}", why(key)));
            None
        }
        Literal::Text(text) => Some(Description::Read(text.clone(), value.span())),
        Literal::Unknown => Some(Description::Constant(value.tokens.clone())),
        _ => {
            diag.error(&value.tokens, format_args!("`{key}` takes text: write `{key} = \"…\"`"));
            None
        }
    }
}

fn why(key: &str) -> &'static str {
    match key {
        "title" => "write a name for people, or leave the key out",
        _ => "the model chooses by the description and by nothing else",
    }
}

/// The lines of a doc comment as one text; `None` where they say nothing.
fn doc_text(lines: &[Value]) -> Option<Description> {
    let mut read = Some(String::new());
    for line in lines {
        read = match (&line.literal, read) {
            (Literal::Text(line), Some(text)) => Some(text + &unindented(line) + "\n"),
            _ => None,
        };
    }
    let span = lines.first().map_or_else(Span::call_site, Value::span);
    match read.as_deref().map(str::trim) {
        Some("") => None,
        Some(text) => Some(Description::Read(text.to_owned(), span)),
        None => {
            let lines = lines.iter().map(|line| &line.tokens);
            Some(Description::Constant(quote!(::core::concat!(#(#lines, "\n"),*))))
        }
    }
}

/// A doc comment without the indentation that its place in the source gave it.
///
/// A line comment has one space of it; the later lines of a block comment share theirs.
fn unindented(comment: &str) -> String {
    let mut lines = comment.split('\n');
    let first = lines.next().unwrap_or_default();
    let later: Vec<&str> = lines.collect();
    let indent = |line: &&&str| line.len() - line.trim_start().len();
    let shared =
        later.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(&line)).min();
    let later = later.iter().map(|line| line.get(shared.unwrap_or_default()..).unwrap_or_default());
    let first = first.strip_prefix(' ').unwrap_or(first);
    std::iter::once(first).chain(later).map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn param(index: usize, param: WrittenParam, diag: &mut Diagnostics) -> Option<Param> {
    marks(&param, diag);
    opaque(&param.ty, "an argument needs one concrete type, so that it has one schema", diag);
    let role = if param.is_argument() {
        lent(&param.ty, diag);
        Role::Argument(Argument {
            name: argument_name(&param, diag)?,
            description: argument_description(&param, diag),
            keywords: keyword::constraints(&param.keys, diag),
        })
    } else if param.marks.iter().any(|(mark, _)| *mark == Mark::State) {
        if let Some(span) = param.ty.lent_for_good {
            let message = "a state is lent for one call, and `'static` is for good";
            diag.at(span, with_help(message, "write `&T` without `'static`, or `Arc<T>`"));
        }
        Role::State
    } else {
        Role::Context
    };
    let unnamed = || format_ident!("pattern{index}", span = Span::mixed_site());
    let WrittenParam { ident, ty, cfgs, .. } = param;
    Some(Param { ident: ident.unwrap_or_else(unnamed), cfgs, ty, role })
}

/// Who fills a parameter must be said once.
fn marks(param: &WrittenParam, diag: &mut Diagnostics) {
    let mut fillers =
        param.marks.iter().filter_map(|(mark, span)| mark.filler().map(|word| (word, span)));
    let filler = fillers.next();
    for (word, span) in fillers {
        let first = filler.map_or("", |(first, _)| first);
        let message =
            format_args!("a parameter is filled by one of `#[{first}]` and `#[{word}]`: keep one");
        diag.at(*span, message);
    }
    for &(mark, span) in &param.marks {
        match (mark, filler) {
            (Mark::Arg, Some((word, _))) => {
                let message = "`#[arg]` is for what the model fills";
                diag.at(
                    span,
                    format_args!("{message}, and it never fills `#[{word}]`: keep one of the two"),
                );
            }
            (Mark::Arg, None) | (Mark::State | Mark::Context, _) => {}
        }
    }
}

impl Mark {
    /// The word of the attribute, if it says who fills the parameter.
    const fn filler(self) -> Option<&'static str> {
        match self {
            Self::State => Some("state"),
            Self::Context => Some("context"),
            Self::Arg => None,
        }
    }
}

/// What can not be decoded and then lent.
fn lent(ty: &Type, diag: &mut Diagnostics) {
    if let Some(span) = ty.lent_mutably {
        diag.at(
            span,
            "an argument is lent with `&`, not `&mut`: write `mut name: Type` to change it",
        );
    } else if let Some(span) = ty.lent_for_good {
        let message = "an argument is lent for its call, and `'static` is for good";
        let help = "write `&` without `'static`, or the owned type, like `String`";
        diag.at(span, with_help(message, help));
    } else if let Some(span) = ty.dynamic {
        diag.at(
            span,
            "`dyn` can not stand here: an argument needs one concrete type to be decoded",
        );
    } else if let Some(span) = ty.inner_reference {
        let message = "a reference inside a type can not be decoded";
        let help = "write the owned type, like `Option<String>` or `Vec<String>`";
        diag.at(span, with_help(message, help));
    }
}

fn argument_name(param: &WrittenParam, diag: &mut Diagnostics) -> Option<String> {
    const RULE: &str = "a name is 1 to 64 letters, digits or `_`, and does not start with a digit";
    if matches!(param.keys.rename, Once::Broken) {
        return None;
    }
    let Some(name) = param.name() else {
        let message = "a tool's parameter needs a name: the model fills it by name";
        let help = "write `name: Type` and take the value apart in the body, or \
                    `#[arg(rename = \"…\")]`";
        diag.at(param.span, with_help(message, help));
        return None;
    };
    let say = match param.keys.rename {
        Once::Broken | Once::Given { .. } => "",
        Once::Absent => "; write one for the model with `#[arg(rename = \"…\")]`",
    };
    if !is_name(&name, "_") {
        let message = format!("`{name}` can not be a parameter's name: {RULE}{say}");
        diag.at(param.name_span(), message);
    }
    Some(name)
}

/// The key or the doc comment, not both.
fn argument_description(param: &WrittenParam, diag: &mut Diagnostics) -> Option<Description> {
    let doc = doc_text(&param.doc);
    let Some(given) = param.keys.description.get() else {
        return doc;
    };
    if doc.is_some() {
        let message = "the parameter has two descriptions: keep the doc comment or `description`";
        diag.error(&given.tokens, message);
    }
    text("description", given, diag)
}
