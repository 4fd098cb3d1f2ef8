//! What a function returns, as the output of its tool.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::marker::PhantomData;

use futures_util::FutureExt;
use futures_util::future::Map;

use super::passage::{Stopped, ToolFailure, ToolOutput};
use crate::error::Failure;
use crate::output::{self, Output, SchemaOf};

/// What a function returns, asked of the type and never of its spelling.
///
/// `Returned::<R>::told` finds the inherent function where `R` is a `Result`,
/// through any alias, and the one of [`Plain`] for every other type.
#[derive(Debug)]
pub struct Returned<R>(PhantomData<R>);

/// What a function gives, or why there is nothing.
type Told = Result<Output, Stopped>;

/// The output of a function that is awaited.
type Awaited<F> = Map<F, fn(<F as Future>::Output) -> Told>;

impl<T, E> Returned<Result<T, E>> {
    /// Asks for the schema of the value.
    #[must_use]
    pub const fn success() -> SchemaOf<T> {
        SchemaOf::ASKED
    }

    /// Splits what was returned into value and error.
    ///
    /// # Errors
    /// The function's own.
    pub const fn split(result: Result<T, E>) -> Result<T, E> {
        result
    }

    /// Turns what was returned into the tool's output.
    ///
    /// # Errors
    /// As [`returned`].
    pub fn told(result: Result<T, E>) -> Told
    where
        T: ToolOutput,
        E: ToolFailure,
    {
        returned(result)
    }

    /// The same, for a call that goes on later.
    pub fn ready(result: Result<T, E>) -> Ready<Told>
    where
        T: ToolOutput,
        E: ToolFailure,
    {
        ready(returned(result))
    }

    /// The same, of a function that is awaited.
    pub fn awaited<F>(called: F) -> Awaited<F>
    where
        T: ToolOutput,
        E: ToolFailure,
        F: Future<Output = Result<T, E>> + Send,
    {
        called.map(returned)
    }
}

/// What a function that returns no `Result` returns.
pub trait Plain {
    /// The value.
    type Value;

    /// Asks for the schema of the value.
    #[must_use]
    fn success() -> SchemaOf<Self::Value> {
        SchemaOf::ASKED
    }

    /// Takes what was returned as the value.
    ///
    /// # Errors
    /// None.
    fn split(value: Self::Value) -> Result<Self::Value, Infallible> {
        Ok(value)
    }

    /// Turns what was returned into the tool's output.
    ///
    /// # Errors
    /// As [`returned`].
    fn told(value: Self::Value) -> Told
    where
        Self::Value: ToolOutput,
    {
        returned(Self::split(value))
    }

    /// The same, for a call that goes on later.
    fn ready(value: Self::Value) -> Ready<Told>
    where
        Self::Value: ToolOutput,
    {
        ready(Self::told(value))
    }

    /// The same, of a function that is awaited.
    fn awaited<F>(called: F) -> Awaited<F>
    where
        Self::Value: ToolOutput,
        F: Future<Output = Self::Value> + Send,
    {
        called.map(Self::told)
    }
}

impl<R> Plain for Returned<R> {
    type Value = R;
}

/// Turns what a function returned into the tool's output.
///
/// # Errors
/// The function's own error, or a value that can not be serialised.
pub fn returned<T: ToolOutput, E: ToolFailure>(result: Result<T, E>) -> Told {
    match result {
        Ok(value) => output::of(&value).map_err(Stopped::Untellable),
        Err(error) => Err(Stopped::Failed(Failure::sort(error.into()))),
    }
}
