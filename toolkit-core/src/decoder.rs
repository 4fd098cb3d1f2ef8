//! Types decoded from what a model wrote, without a tool around them.

use std::fmt;
use std::marker::PhantomData;

use serde_json::Value;

use crate::arguments;
use crate::call::Arguments;
use crate::error::ToolConfigError;
use crate::limits::Limits;
use crate::problem::Problem;
use crate::schema::{self, Compiled};
use crate::tool::{ToolArg, type_schema};

/// Decodes what a model wrote into a type, checked as a tool's arguments are.
///
/// For answers that are not calls, like a structured output: the same schema, the
/// same text rules and the same report. The type is one that serde reads from an
/// object.
///
/// ```
/// use toolkit::Decoder;
/// use toolkit::prelude::*;
///
/// #[derive(Debug, PartialEq)]
/// #[arg_type]
/// struct Verdict {
///     #[schemars(range(min = 0, max = 10))]
///     score: u8,
///     reason: Option<String>,
/// }
///
/// let decoder = Decoder::<Verdict>::new()?;
/// let verdict = decoder.decode(r#"{"score": 7.0, "reason": null}"#)?;
/// assert_eq!(verdict, Verdict { score: 7, reason: None });
///
/// let report = decoder.decode(r#"{"score": 11, "why": "good"}"#).unwrap_err();
/// assert_eq!(
///     report.to_string(),
///     "$: unexpected field 'why' (allowed: score, reason)\n\
///      $.score: expected an integer from 0 to 10, got 11",
/// );
///
/// // What a model does not write as an object stands in one.
/// let error = Decoder::<Vec<u8>>::new().unwrap_err().to_string();
/// assert!(error.ends_with("is not read from an object; put it into a field of a struct"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Decoder<T> {
    published: Value,
    schema: Compiled,
    limits: Limits,
    decoded: PhantomData<fn() -> T>,
}

impl<T: ToolArg> Decoder<T> {
    /// Makes the type's schema and compiles it.
    ///
    /// # Errors
    /// A type that can not be read as any schema says, with what to write instead.
    pub fn new() -> Result<Self, ToolConfigError> {
        let made = type_schema::<T>().and_then(|published| {
            schema::compile(&published, true).map(|schema| (published, schema))
        });
        let refused = |faults: &[String]| {
            ToolConfigError::new(format!("`{}`: {}", T::schema_name(), faults.join("; ")))
        };
        let (mut published, schema) = made.map_err(|faults| refused(&faults))?;
        if published.get("type").is_some_and(|of| of != "object") {
            let fault = "it is not read from an object; put it into a field of a struct";
            return Err(refused(&[fault.to_owned()]));
        }
        schema::without_rust_formats(&mut published);
        Ok(Self { published, schema, limits: Limits::default(), decoded: PhantomData })
    }

    /// Sets the bounds on what is read and on what the report says.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The schema of what is accepted, JSON Schema 2020-12, to show to a model.
    #[must_use]
    pub const fn schema(&self) -> &Value {
        &self.published
    }

    /// Decodes text that holds one JSON object.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn decode(&self, text: &str) -> Result<T, Report> {
        self.decoded(Arguments::Text(text))
    }

    /// Decodes a value that was parsed already.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn decode_value(&self, value: &Value) -> Result<T, Report> {
        self.decoded(Arguments::Value(value))
    }

    fn decoded(&self, given: Arguments<'_>) -> Result<T, Report> {
        let decoded = if self.schema.is_complete() {
            given.decode(&self.schema, &self.limits)
        } else {
            let unmeasured = self.limits.unmeasured();
            arguments::normal_form(&self.schema, given, &self.limits)
                .and_then(|value| Arguments::Value(&value).decode(&self.schema, &unmeasured))
        };
        decoded.map_err(|problems| self.report(problems))
    }

    #[cold]
    fn report(&self, problems: Vec<Problem>) -> Report {
        let text = arguments::lines(&problems, &self.limits);
        Report { problems, text }
    }
}

impl<T> fmt::Debug for Decoder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("schema", &self.published).finish_non_exhaustive()
    }
}

/// Everything that is wrong with what a model wrote.
///
/// `Display` gives the lines that the model reads, within the limits.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::{Decoder, ProblemKind};
///
/// #[derive(Debug)]
/// #[arg_type]
/// struct Point {
///     x: f64,
///     y: f64,
/// }
///
/// let report = Decoder::<Point>::new()?.decode(r#"{"x": "1", "y": 2}"#).unwrap_err();
/// assert_eq!(report.problems()[0].kind(), ProblemKind::WrongType);
/// assert_eq!(
///     report.to_string(),
///     r#"$.x: expected a number, got text "1" (write 1 without quotes)"#,
/// );
/// # Ok::<(), toolkit::ToolConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    problems: Vec<Problem>,
    text: String,
}

impl Report {
    /// The problems one by one, ordered by place.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Report {}
