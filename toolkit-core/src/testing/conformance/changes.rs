//! Create, swap and remove, one after the other.

use std::sync::Arc;

use super::rows::{Rows, changed, line, next};
use super::{Verdict, check, same, worked};
use crate::ledger::{HistoryLine, Ledger, Row, RowKey};

/// That a key has this row and this history, and the approval id leads to it.
pub(super) async fn holds(
    store: &Arc<dyn Ledger>,
    when: &str,
    row: &Row,
    lines: &[HistoryLine],
) -> Verdict {
    let found = worked("load", store.load(&row.key).await)?.row;
    same(&format!("{when}, load gave another row"), &found.as_ref(), &Some(row))?;
    let found = worked("history", store.history(&row.key).await)?;
    same(&format!("{when}, the history is another"), &found.as_slice(), &lines)?;
    if let Some(id) = &row.approval_id {
        let found = worked("load_parked", store.load_parked(id).await)?.row;
        same(&format!("{when}, load_parked gave another row"), &found.as_ref(), &Some(row))?;
    }
    Ok(())
}

/// That a key has no row and no history.
pub(super) async fn is_gone(store: &Arc<dyn Ledger>, when: &str, key: &RowKey) -> Verdict {
    let found = worked("load", store.load(key).await)?.row;
    same(&format!("{when}, load gave a row"), &found, &None)?;
    let found = worked("history", store.history(key).await)?;
    same(&format!("{when}, there is a history"), &found, &Vec::new())
}

pub(super) async fn unknown(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    let row = rows.row();
    is_gone(store, "before a row is created", &row.key).await?;
    let found = worked("load_parked", store.load_parked("no such id").await)?.row;
    same("load_parked gave a row for an id that no row has", &found, &None)?;
    for version in [0, 1, 2, u64::MAX] {
        let row = Row { version, ..row.clone() };
        let swapped = worked("swap", store.swap(&row, &line(&row)).await)?;
        check(!swapped, || format!("swap to version {version} won where there is no row"))?;
        let removed = worked("remove", store.remove(&row.key, version).await)?;
        check(!removed, || format!("remove of version {version} won where there is no row"))?;
    }
    is_gone(store, "after nothing was swapped and removed", &row.key).await
}

pub(super) async fn create(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    let row = rows.row();
    let created = worked("create", store.create(&row, &line(&row)).await)?;
    check(created, || "create gave false for a free key".to_owned())?;
    holds(store, "after a row was created", &row, &[line(&row)]).await?;
    for taken in [row.clone(), Row { key: row.key, ..rows.row() }] {
        let created = worked("create", store.create(&taken, &line(&taken)).await)?;
        check(!created, || "create won for a key that is taken".to_owned())?;
        holds(store, "after a create that lost", &row, &[line(&row)]).await?;
        let other = taken.approval_id.filter(|id| Some(id) != row.approval_id.as_ref());
        if let Some(id) = other {
            let found = worked("load_parked", store.load_parked(&id).await)?.row;
            same("a create that lost left its approval id behind", &found, &None)?;
        }
    }
    Ok(())
}

pub(super) async fn swap(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    let mut row = rows.row();
    let mut lines = vec![line(&row)];
    worked("create", store.create(&row, &line(&row)).await)?;
    for _ in 0..5 {
        for version in [0, 1, row.version, row.version + 2, row.version + 3, u64::MAX] {
            let wrong = Row { version, ..changed(&row) };
            let swapped = worked("swap", store.swap(&wrong, &line(&wrong)).await)?;
            check(!swapped, || {
                format!("swap to version {version} won from version {}", row.version)
            })?;
            holds(store, "after a swap that lost", &row, &lines).await?;
        }
        let after = changed(&row);
        let swapped = worked("swap", store.swap(&after, &line(&after)).await)?;
        check(swapped, || format!("swap gave false from the version before, {}", row.version))?;
        if let Some(id) = &row.approval_id {
            let found = worked("load_parked", store.load_parked(id).await)?.row;
            same("a row is found by the approval id that it had before", &found, &None)?;
        }
        lines.push(line(&after));
        row = after;
        holds(store, "after a swap", &row, &lines).await?;
    }
    // A line is told in its place, whatever its time says.
    for at in [7, 9, 8, 9, 0] {
        row = next(&row);
        let mut said = line(&row);
        said.at.0 = at;
        worked("swap", store.swap(&row, &said).await)?;
        lines.push(said);
    }
    holds(store, "after lines whose times go back", &row, &lines).await
}

pub(super) async fn remove(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    let first = rows.row();
    let row = changed(&first);
    let beside = rows.row();
    worked("create", store.create(&first, &line(&first)).await)?;
    worked("create", store.create(&beside, &line(&beside)).await)?;
    worked("swap", store.swap(&row, &line(&row)).await)?;
    let lines = [line(&first), line(&row)];
    for version in [0, 1, 3, u64::MAX] {
        let removed = worked("remove", store.remove(&row.key, version).await)?;
        check(!removed, || format!("remove of version {version} won where version 2 is there"))?;
        holds(store, "after a remove that lost", &row, &lines).await?;
    }
    let removed = worked("remove", store.remove(&row.key, 2).await)?;
    check(removed, || "remove gave false for the version that is there".to_owned())?;
    is_gone(store, "after a row was removed", &row.key).await?;
    for id in [&first, &row].into_iter().filter_map(|row| row.approval_id.as_deref()) {
        let found = worked("load_parked", store.load_parked(id).await)?.row;
        same("a removed row is found by its approval id", &found, &None)?;
    }
    holds(store, "after another row was removed", &beside, &[line(&beside)]).await?;
    let removed = worked("remove", store.remove(&row.key, 2).await)?;
    check(!removed, || "remove won for a row that is gone".to_owned())?;
    let late = changed(&row);
    let swapped = worked("swap", store.swap(&late, &line(&late)).await)?;
    check(!swapped, || "swap won for a row that is gone".to_owned())?;
    let created = worked("create", store.create(&first, &line(&first)).await)?;
    check(created, || "create gave false for a key whose row was removed".to_owned())?;
    holds(store, "after a removed row was created anew", &first, &[line(&first)]).await
}
