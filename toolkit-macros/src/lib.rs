//! The attributes of toolkit: `#[tool]`, `#[toolbox]` and `#[arg_type]`.
//!
//! Users find them in the `toolkit` crate.

mod arg_type;
mod attr;
mod block;
mod check;
mod diag;
mod expand;
mod fallback;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

use crate::diag::Diagnostics;

/// Turns a function into a tool that a language model may call.
///
/// The function stays as it is written and can be called. Beside it stands a type of the same
/// name, which `tools!` takes, so that one `use` brings both. A method is a tool in a
/// [`toolbox`](macro@toolbox).
///
/// The schema comes from the signature: names, types, whether an argument may be left out. A
/// parameter's doc comment describes it to the model.
#[proc_macro_attribute]
pub fn tool(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    annotated(attribute.into(), item.into()).into()
}

/// Lets a struct or an enum be the type of an argument or of a result.
///
/// It derives serde's `Serialize` and `Deserialize` and schemars' `JsonSchema`, without either in
/// the crate's dependencies. The type is closed: an unknown field is refused. Helper attributes
/// like `#[serde(rename_all = "camelCase")]` stand below `#[arg_type]`.
///
/// A struct of one unnamed field takes the constraints that its field takes.
///
/// | key | what it says | example |
/// |---|---|---|
/// | `crate` | where the library is found, if not under `::toolkit` | `crate = kit` |
#[proc_macro_attribute]
pub fn arg_type(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    arg_type::arg_type(attribute.into(), item.into()).into()
}

/// Turns the methods of a value into tools that a language model may call.
///
/// It stands above an `impl`, and each method with `#[tool(…)]` becomes a tool, with the keys
/// and the parameters of [`tool`](macro@tool). All other items are left alone, and every method
/// stays as it is written and can be called. `RegistryBuilder::toolbox` takes the value, as it
/// is or in an `Arc`.
///
/// | first parameter | what the method is called on |
/// |---|---|
/// | `&self` | the value, which all calls share |
/// | `self: Arc<Self>` | the same, which may be kept beyond the call |
/// | none | nothing |
///
/// Calls run at the same time, so `&mut self` does not compile: what changes is kept in a
/// `Mutex` or an atomic. The expressions of [`tool`](macro@tool) see `self` as they see the other
/// parameters; it is not seen inside of a text, like `"{self}"`.
///
/// # Which `impl`
///
/// Of one concrete type, also one like `Till<Euro>`, or of a trait for such a type, or of a
/// `dyn Trait` that is `Send + Sync`. A generic one has no one schema: let a field hold an
/// `Arc<dyn Trait>` instead. A type has one toolbox; where it should have two, let a type of its
/// own hold the value in an `Arc` for the second.
///
/// # Keys
///
/// | key | what it says | example |
/// |---|---|---|
/// | `crate` | where the library is found, if not under `::toolkit` | `crate = kit` |
#[proc_macro_attribute]
pub fn toolbox(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    collected(attribute.into(), item.into()).into()
}

/// Shows the four passes: parse, check, and expand or fall back.
fn annotated(attribute: TokenStream, item: TokenStream) -> TokenStream {
    if attribute.to_string() == expand::RESOLVED {
        return TokenStream::new();
    }
    let mut diag = Diagnostics::default();
    let Some(written) = parse::parse(attribute, item.clone(), &mut diag) else {
        return [diag.into_tokens(), item].into_iter().collect();
    };
    match check::check(written, &mut diag) {
        Ok(tool) => expand::expand(&tool),
        Err(function) => [diag.into_tokens(), fallback::fallback(&function)].into_iter().collect(),
    }
}

/// The same passes over an `impl`.
fn collected(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut diag = Diagnostics::default();
    let written = match block::parse(attribute, item, &mut diag) {
        Ok(written) => written,
        Err(item) => return [diag.into_tokens(), item].into_iter().collect(),
    };
    match check::check_toolbox(written, &mut diag) {
        Ok(toolbox) => expand::expand_toolbox(&toolbox),
        Err(block) => {
            [diag.into_tokens(), fallback::fallback_toolbox(&block)].into_iter().collect()
        }
    }
}
