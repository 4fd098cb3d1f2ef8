//! Every filter, against what the filter itself says fits.

use std::sync::Arc;

use super::rows::{Rows, line, next};
use super::{Verdict, same, worked};
use crate::ledger::{Filter, Ledger, LedgerError, Row, RowState, Timestamp};

/// A day in a year that has not come: no row may be removed yet.
const LATER: u64 = 4_000_000_000_000;

pub(super) async fn filters(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    let mut made = Vec::new();
    for (index, state) in (0_u64..).zip(RowState::ALL.into_iter().cycle().take(40)) {
        let mut row = rows.row();
        row.state = state;
        row.principal = String::from(if index % 3 == 0 { "" } else { "ann" });
        // The last created is not the youngest, and some are of one moment.
        row.created_at = Timestamp(row.created_at.0 - index % 7);
        row.expires_at = (index % 4 != 0).then_some(Timestamp(LATER + index));
        worked("create", store.create(&row, &line(&row)).await)?;
        if index % 5 == 0 {
            row = Row { state: RowState::Done, ..next(&row) };
            worked("swap", store.swap(&row, &line(&row)).await)?;
        }
        if index % 11 == 10 {
            worked("remove", store.remove(&row.key, row.version).await)?;
        } else {
            made.push(row);
        }
    }
    made.sort_by_key(|row| (row.created_at, row.key));
    for filter in every(&rows.tenant) {
        let found = worked("list", store.list(&filter).await)?;
        let right = made.iter().filter(|row| filter.fits(row)).cloned();
        let right: Vec<Row> = right.take(filter.limit.unwrap_or(usize::MAX)).collect();
        same(&format!("list gave other rows for {filter:?}"), &found, &right)?;
    }
    let nobody = Filter { tenant: Some(String::new()), ..Filter::default() };
    for row in worked("list", store.list(&nobody).await)? {
        same("list of the empty tenant gave a row of another", &row.tenant, &String::new())?;
    }
    everywhere(store, &made).await
}

/// Without a tenant, rows of others may stand among ours.
async fn everywhere(store: &Arc<dyn Ledger>, made: &[Row]) -> Verdict {
    let found: Result<_, LedgerError> = store.list(&Filter::default()).await;
    let found = worked("list", found)?;
    let ours: Vec<Row> = found.iter().filter(|row| made.contains(row)).cloned().collect();
    same("list of everything left rows out, or gave them in another order", &ours, &made.to_vec())?;
    let of = |row: &Row| (row.created_at, row.key);
    let ordered = found.is_sorted_by_key(of);
    same("list of everything is the oldest first", &ordered, &true)
}

fn every(tenant: &str) -> Vec<Filter> {
    let mut sets = vec![vec![], RowState::ALL.to_vec()];
    sets.push(vec![RowState::Running, RowState::InDoubt, RowState::Parked]);
    sets.extend(RowState::ALL.map(|state| vec![state]));
    let mut filters = Vec::new();
    for states in sets {
        for principal in [None, Some(""), Some("ann"), Some("an"), Some("Ann")] {
            for expired_at in [None, Some(0), Some(LATER + 9), Some(LATER + 100)] {
                for limit in [None, Some(0), Some(1), Some(3), Some(1_000), Some(usize::MAX)] {
                    filters.push(Filter {
                        states: states.clone(),
                        tenant: Some(tenant.to_owned()),
                        principal: principal.map(str::to_owned),
                        expired_at: expired_at.map(Timestamp),
                        limit,
                    });
                }
            }
        }
    }
    filters
}
