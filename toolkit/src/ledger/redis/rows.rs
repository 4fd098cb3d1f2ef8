//! How rows and lines stand in Redis.

use std::collections::BTreeMap;

use redis::{FromRedisValue, Value};
use toolkit_core::ledger::{HistoryLine, LedgerError, Row, RowKey, RowState, Timestamp};

use crate::ledger::seal::{seal, sealed};

/// A row's fields and their values, one after the other.
pub(super) fn fields(row: &Row) -> Vec<(&'static str, String)> {
    let mut fields = vec![
        ("version", row.version.to_string()),
        ("state", row.state.to_string()),
        ("tenant", row.tenant.clone()),
        ("principal", row.principal.clone()),
        ("tool", row.tool.clone()),
        ("created_at", row.created_at.0.to_string()),
        ("document", row.document.clone()),
        ("seal", seal(row).to_string()),
    ];
    fields.extend(row.approval_id.clone().map(|id| ("approval_id", id)));
    fields.extend(row.expires_at.map(|at| ("expires_at", at.0.to_string())));
    fields
}

/// A row as its fields say, which may be none.
pub(super) fn read(name: &str, fields: Vec<(String, Vec<u8>)>) -> Result<Option<Row>, LedgerError> {
    if fields.is_empty() {
        return Ok(None);
    }
    let mut fields: BTreeMap<String, Vec<u8>> = fields.into_iter().collect();
    let wrong = |what: &str| LedgerError::corrupt(format!("the row {name}: {what}"));
    let mut field = |field: &str| match fields.remove(field) {
        Some(value) => match String::from_utf8(value) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(wrong(&format!("its `{field}`: {error}"))),
        },
        None => Ok(None),
    };
    let missing = |field: &str| wrong(&format!("it has no `{field}`"));
    let mut text = |name: &str| field(name)?.ok_or_else(|| missing(name));
    let number = |name: &str, value: &str| {
        value.parse::<u64>().map_err(|error| wrong(&format!("its `{name}`: {error}")))
    };
    let row = Row {
        key: name.parse()?,
        version: number("version", &text("version")?)?,
        state: text("state")?.parse::<RowState>()?,
        tenant: text("tenant")?,
        principal: text("principal")?,
        tool: text("tool")?,
        created_at: Timestamp(number("created_at", &text("created_at")?)?),
        document: text("document")?,
        approval_id: None,
        expires_at: None,
    };
    let found = number("seal", &text("seal")?)?;
    let expires_at = field("expires_at")?.map(|at| number("expires_at", &at)).transpose()?;
    let row =
        Row { approval_id: field("approval_id")?, expires_at: expires_at.map(Timestamp), ..row };
    sealed(row, found).map(Some)
}

/// How many values one line is.
pub(super) const OF_A_LINE: usize = 5;

pub(super) fn line(line: &HistoryLine) -> [String; OF_A_LINE] {
    let HistoryLine { key: _, version, at, actor, event, detail } = line;
    [version.to_string(), at.0.to_string(), actor.clone(), event.clone(), detail.clone()]
}

pub(super) fn read_line(key: RowKey, values: &[String]) -> Result<HistoryLine, LedgerError> {
    let wrong = || LedgerError::corrupt(format!("the history of the row {key} is not as written"));
    let [version, at, actor, event, detail] = values else { return Err(wrong()) };
    let (Ok(version), Ok(at)) = (version.parse(), at.parse()) else { return Err(wrong()) };
    Ok(HistoryLine {
        key,
        version,
        at: Timestamp(at),
        actor: actor.clone(),
        event: event.clone(),
        detail: detail.clone(),
    })
}

/// A server's answer, as one expects it.
pub(super) fn answered<T: FromRedisValue>(value: Value) -> Result<T, LedgerError> {
    T::from_redis_value(value).map_err(LedgerError::corrupt)
}
