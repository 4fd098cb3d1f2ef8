//! A value that only its function, and of a result the model, may see.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::serialised;

/// What stands in the place of a secret.
pub(crate) const HIDDEN: &str = "[secret]";

/// The keyword of JSON Schema by which a secret argument is known.
pub(crate) const KEYWORD: &str = "writeOnly";

/// An argument or a result that no log, prompt, report, ledger or `Debug` shows.
///
/// As an argument it is a parameter of its own, also as `Option<Secret<T>>`; its schema is that
/// of `T` with `"writeOnly": true`, and a field of a dynamic tool's schema with that keyword is
/// as secret. As a result, or in one, the model reads it, and nobody else does.
///
/// A call with a secret can not wait in a ledger for people, since a row that it could run from
/// would hold the secret; an approver in line may be asked, who does not see it. A row of such a
/// call has a digest of it, made with the key of
/// [`RegistryBuilder::secret_key`](crate::RegistryBuilder::secret_key).
///
/// Anything else that serialises it, writes `[secret]`. Memory is not wiped, and the host has
/// the call as the model sent it.
///
/// ```
/// use toolkit::Secret;
/// use toolkit::prelude::*;
///
/// /// Signs in.
/// #[tool]
/// fn sign_in(user: &str, #[arg(min_length = 8)] password: Secret<String>) -> Secret<String> {
///     Secret::new(format!("token of {user}, {} letters", password.expose().len()))
/// }
///
/// let view = Registry::builder().tools(tools![sign_in]).build()?.view(Caller::new("ann"));
/// let dispatch = |arguments| {
///     let call = ToolCall::new("call_1", "sign_in", arguments);
///     view.dispatch_blocking(call, Options::default())
/// };
/// let outcome = dispatch(r#"{"user": "ann", "password": "correct horse"}"#)?;
/// assert_eq!(outcome.text(), "token of ann, 13 letters");
/// assert!(!format!("{outcome:?}").contains("token"));
///
/// let outcome = dispatch(r#"{"user": "ann", "password": "horse"}"#)?;
/// assert_eq!(outcome.text(), "$.password: is not accepted, and is not shown since it is secret");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Makes a value secret.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value, for the one who must have it.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// Gives the value away; it is secret no more.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Secret<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Secret<T> {
    // It stands where it is used, so that its keyword does.
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Secret_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        if generator.contract().is_deserialize() {
            schema.insert(KEYWORD.to_owned(), true.into());
        }
        schema
    }
}

impl<T: Serialize> Serialize for Secret<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serialised::secret() {
            self.0.serialize(serializer)
        } else {
            serializer.serialize_str(HIDDEN)
        }
    }
}
