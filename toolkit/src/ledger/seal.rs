//! A row's seal: by it a store notices a row that something else has changed.

use toolkit_core::ledger::{LedgerError, Row};
use xxhash_rust::xxh64::Xxh64;

/// The seal of a row (XXH64 over its fields, each after its length).
///
/// It finds slips of a hand, not forgers: who may write to the store may write a seal.
pub(super) fn seal(row: &Row) -> u64 {
    let Row {
        key,
        version,
        state,
        tenant,
        principal,
        tool,
        approval_id,
        created_at,
        expires_at,
        document,
    } = row;
    let mut sum = Xxh64::new(0);
    let mut add = |bytes: &[u8]| {
        sum.update(&(bytes.len() as u64).to_le_bytes());
        sum.update(bytes);
    };
    add(&key.0);
    add(&version.to_le_bytes());
    for text in [state.as_str(), tenant, principal, tool, document] {
        add(text.as_bytes());
    }
    add(approval_id.as_deref().map_or(&[][..], str::as_bytes));
    add(&[u8::from(approval_id.is_some()), u8::from(expires_at.is_some())]);
    add(&created_at.0.to_le_bytes());
    add(&expires_at.unwrap_or_default().0.to_le_bytes());
    sum.digest()
}

/// The row, where it is as its seal says.
pub(super) fn sealed(row: Row, found: u64) -> Result<Row, LedgerError> {
    if seal(&row) == found {
        return Ok(row);
    }
    let key = row.key;
    Err(LedgerError::corrupt(format!(
        "the row {key} was changed by something else than a ledger: it does not fit its seal"
    )))
}
