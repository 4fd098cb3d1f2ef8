//! Who does not know whether a write happened repeats it, and finds a row that fits.

use std::sync::Arc;

use super::changes::{holds, is_gone};
use super::faulty::{Fault, Faulty};
use super::rows::{Rows, line, next};
use super::{Verdict, check, worked};
use crate::ledger::{Ledger, LedgerError};

pub(super) async fn after_faults(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    for fault in [Fault::Before, Fault::After] {
        let faulty = Faulty::new(Arc::clone(store));
        let written = fault == Fault::After;
        let row = rows.row();

        faulty.fail_next_write(fault);
        unknown("create", &faulty.create(&row, &line(&row)).await)?;
        if written {
            holds(store, "after a create whose answer was lost", &row, &[line(&row)]).await?;
        } else {
            is_gone(store, "after a create that was never sent", &row.key).await?;
        }
        repeated("create", worked("create", faulty.create(&row, &line(&row)).await)?, written)?;
        holds(store, "after a create was repeated", &row, &[line(&row)]).await?;

        let after = next(&row);
        let lines = [line(&row), line(&after)];
        faulty.fail_next_write(fault);
        unknown("swap", &faulty.swap(&after, &line(&after)).await)?;
        if written {
            holds(store, "after a swap whose answer was lost", &after, &lines).await?;
        } else {
            holds(store, "after a swap that was never sent", &row, &[line(&row)]).await?;
        }
        repeated("swap", worked("swap", faulty.swap(&after, &line(&after)).await)?, written)?;
        holds(store, "after a swap was repeated", &after, &lines).await?;

        faulty.fail_next_write(fault);
        unknown("remove", &faulty.remove(&after.key, after.version).await)?;
        if written {
            is_gone(store, "after a remove whose answer was lost", &row.key).await?;
        } else {
            holds(store, "after a remove that was never sent", &after, &lines).await?;
        }
        let removed = faulty.remove(&after.key, after.version).await;
        repeated("remove", worked("remove", removed)?, written)?;
        is_gone(store, "after a remove was repeated", &row.key).await?;
    }
    Ok(())
}

fn unknown(what: &str, given: &Result<bool, LedgerError>) -> Verdict {
    check(matches!(given, Err(LedgerError::Unavailable(_))), || {
        format!("{what} gave {given:?}, where a fault was injected")
    })
}

fn repeated(what: &str, won: bool, written: bool) -> Verdict {
    check(won != written, || {
        let first = if written { "was written" } else { "was not written" };
        format!("a {what} that {first} was repeated, and gave {won}")
    })
}
