//! The ids that people decide by.

use std::sync::Arc;

use super::changes::{holds, is_gone};
use super::rows::{Rows, line, next};
use super::{Verdict, check, same, worked};
use crate::ledger::{Ledger, Row};

pub(super) async fn ids(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    let row = rows.row();
    let Some(id) = row.approval_id.clone() else { return Ok(()) };
    worked("create", store.create(&row, &line(&row)).await)?;

    // Ids are compared as they are.
    for other in [id.to_uppercase(), format!("{id} "), format!(" {id}"), format!("{id}%")] {
        let found = worked("load_parked", store.load_parked(&other).await)?.row;
        same(&format!("load_parked({other:?}) found the row of {id:?}"), &found, &None)?;
    }

    let rival = Row { approval_id: Some(id.clone()), ..rows.row() };
    let created = store.create(&rival, &line(&rival)).await;
    check(created != Ok(true), || "two rows were created with one approval id".to_owned())?;
    is_gone(store, "after a create with an approval id that is taken", &rival.key).await?;
    holds(store, "after a create with its approval id", &row, &[line(&row)]).await?;

    let other = rows.row();
    worked("create", store.create(&other, &line(&other)).await)?;
    let taking = Row { approval_id: Some(id.clone()), ..next(&other) };
    let swapped = store.swap(&taking, &line(&taking)).await;
    check(swapped != Ok(true), || "a row took the approval id of another by a swap".to_owned())?;
    holds(store, "after a swap to an approval id that is taken", &other, &[line(&other)]).await?;
    holds(store, "after a swap to its approval id", &row, &[line(&row)]).await?;

    // Rows without one do not stand in each other's way.
    let mut without = Vec::new();
    for _ in 0..2 {
        let row = Row { approval_id: None, ..rows.row() };
        let created = worked("create", store.create(&row, &line(&row)).await)?;
        check(created, || "a second row without an approval id was not created".to_owned())?;
        without.push(row);
    }
    for row in &without {
        holds(store, "after rows without an approval id", row, &[line(row)]).await?;
    }

    // What is given back may be taken.
    let after = Row { approval_id: None, ..next(&row) };
    let swapped = worked("swap", store.swap(&after, &line(&after)).await)?;
    check(swapped, || "a swap that gives an approval id back gave false".to_owned())?;
    let found = worked("load_parked", store.load_parked(&id).await)?.row;
    same("a row is found by the approval id that it gave back", &found, &None)?;
    let swapped = worked("swap", store.swap(&taking, &line(&taking)).await)?;
    check(swapped, || "an approval id that was given back can not be taken".to_owned())?;
    holds(store, "after it took an id", &taking, &[line(&other), line(&taking)]).await?;
    let removed = worked("remove", store.remove(&taking.key, taking.version).await)?;
    check(removed, || "remove gave false for the version that is there".to_owned())?;
    let created = worked("create", store.create(&rival, &line(&rival)).await)?;
    check(created, || "the approval id of a removed row can not be taken".to_owned())?;
    holds(store, "after it took the id of a removed row", &rival, &[line(&rival)]).await
}
