//! A schema by itself, which judges any value as it is.

use std::collections::BTreeMap;

use serde_json::Value;

use super::judge::judge;
use super::text::{Json, read};
use crate::limits::Limits;
use crate::schema::{Compiled, Reading, compile_as};

/// A schema without a tool: null is null, formats are annotations, and any JSON value is judged.
#[derive(Debug)]
pub struct BareSchema(Compiled);

impl BareSchema {
    /// Compiles a schema, which may refer to others by their addresses.
    ///
    /// # Errors
    /// Every reason why it can not be.
    pub fn compile(schema: &Value, others: BTreeMap<String, Value>) -> Result<Self, Vec<String>> {
        let reading = Reading { bare: true, others, ..Reading::default() };
        compile_as(schema, &reading).map(Self)
    }

    /// Whether it accepts the value that a JSON text is.
    #[must_use]
    pub fn accepts(&self, json: &str) -> bool {
        let limits = Limits::default();
        let wrapped = format!("{{\"value\":{json}}}");
        let Ok((Json::Object(members), problems)) = read(&wrapped, &limits) else { return false };
        problems.is_empty()
            && members.iter().all(|(_, value)| judge(&self.0, value, &limits).is_ok())
    }
}
