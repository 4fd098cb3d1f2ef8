//! What goes in comes out: odd texts, long ones, and numbers at their ends.

use std::sync::Arc;

use super::changes::holds;
use super::rows::{Rows, line, next};
use super::{Verdict, check, same, worked};
use crate::ledger::{Filter, HistoryLine, Ledger, Row, RowKey, RowState, Timestamp};

const TEXTS: [&str; 21] = [
    "",
    " ",
    " space around\t",
    "a\0b",
    "\0",
    "null",
    "NULL",
    "007",
    "1e3",
    "true",
    "'; DROP TABLE ledger; --",
    "\"\\ \\0 \\u0000 %s %_ $1 ?1 {}",
    "line\nline\r\nline\r",
    "\u{1}\u{1b}[31m\u{7f}\u{85}",
    "\u{feff}mark",
    "\u{202e}right to left",
    "e\u{301} \u{e9}",
    "\u{fffd}\u{ffff}",
    "\u{10ffff}",
    "日本語 \u{1f469}\u{200d}\u{1f680}",
    "{\"a\":[1,2.0,1e400]}",
];

const NUMBERS: [u64; 9] = [
    0,
    1,
    u32::MAX as u64 + 1,
    (1 << 53) + 1,
    (1 << 53) + 3,
    i64::MAX as u64,
    i64::MAX as u64 + 1,
    u64::MAX - 1,
    u64::MAX,
];

pub(super) async fn all(store: &Arc<dyn Ledger>, rows: Rows) -> Verdict {
    texts(store, rows.clone()).await?;
    long_ones(store, Rows::fresh()).await?;
    numbers(store, Rows::fresh()).await?;
    keys(store, rows).await
}

async fn texts(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    for text in TEXTS {
        let mut row = rows.row();
        row.tenant = format!("{}{text}", row.tenant);
        row.principal = text.to_owned();
        row.tool = text.to_owned();
        row.approval_id = row.approval_id.map(|id| format!("{text}{id}{text}"));
        row.document = text.to_owned();
        let said = told(&row, text);
        let created = worked(&format!("create with {text:?}"), store.create(&row, &said).await)?;
        check(created, || format!("create gave false with {text:?}"))?;
        holds(store, &format!("after a create with {text:?}"), &row, &[said]).await?;
        let filter = Filter {
            tenant: Some(row.tenant.clone()),
            principal: Some(text.to_owned()),
            ..Filter::default()
        };
        let found = worked("list", store.list(&filter).await)?;
        let found: Vec<RowKey> = found.into_iter().map(|row| row.key).collect();
        same(&format!("list of tenant and principal {text:?}"), &found, &vec![row.key])?;
    }
    Ok(())
}

fn told(row: &Row, text: &str) -> HistoryLine {
    let text = text.to_owned();
    HistoryLine { actor: text.clone(), event: text.clone(), detail: text, ..line(row) }
}

async fn long_ones(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    for bytes in [4_096, 70_000, 3_000_000] {
        let mut row = rows.row();
        row.document = "é\0\"x".chars().cycle().take(bytes).collect();
        let said = told(&row, &row.document.chars().take(bytes / 10).collect::<String>());
        worked("create with a long document", store.create(&row, &said).await)?;
        holds(store, &format!("after a create with {bytes} characters"), &row, &[said]).await?;
    }
    Ok(())
}

async fn numbers(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    let mut made = Vec::new();
    for number in NUMBERS {
        let at = Timestamp(number);
        // It is not over, so that nothing may be removed whatever the time is.
        let row =
            Row { state: RowState::Running, created_at: at, expires_at: Some(at), ..rows.row() };
        let said = HistoryLine { at, ..line(&row) };
        worked(&format!("create at {number}"), store.create(&row, &said).await)?;
        holds(store, &format!("after a create at {number}"), &row, &[said]).await?;
        made.push(row);
    }
    for number in NUMBERS {
        let filter = Filter {
            tenant: Some(rows.tenant.clone()),
            expired_at: Some(Timestamp(number)),
            ..Filter::default()
        };
        let found = worked("list", store.list(&filter).await)?;
        let right: Vec<Row> = made.iter().filter(|row| filter.fits(row)).cloned().collect();
        same(&format!("the rows that may be removed at {number}"), &found, &right)?;
    }
    Ok(())
}

/// Keys with many bytes that end or escape a text.
async fn keys(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    let mut made = Vec::new();
    for byte in [0, 1, b'\n', b'\\', 0x7f, 0x80, 0xfe, 0xff] {
        let RowKey(random) = rows.key();
        let key = RowKey(random.map(|random| if random % 2 == 0 { byte } else { random }));
        let row = Row { key, approval_id: Some(format!("approve-{key}")), ..rows.row() };
        worked("create", store.create(&row, &line(&row)).await)?;
        made.push(row);
    }
    for row in made {
        let after = next(&row);
        let swapped = worked("swap", store.swap(&after, &line(&after)).await)?;
        check(swapped, || format!("swap gave false for the key {}", row.key))?;
        holds(store, "with an odd key", &after, &[line(&row), line(&after)]).await?;
    }
    Ok(())
}
