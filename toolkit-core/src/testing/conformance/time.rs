//! The store's clock.

use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use super::rows::{Rows, line};
use super::{Verdict, check, worked};
use crate::ledger::{HistoryLine, Ledger, Row, Timestamp};

/// How far the clocks of two machines may be apart.
const APART: Duration = Duration::from_secs(60);

pub(super) async fn moves_on(store: &Arc<dyn Ledger>, mut rows: Rows) -> Verdict {
    let row = rows.row();
    let real = Timestamp::default().plus(UNIX_EPOCH.elapsed().unwrap_or_default());
    let first = worked("load", store.load(&row.key).await)?.now;
    check(first.since(real).max(real.since(first)) <= APART, || {
        format!("the store's time is {}, and in truth it is about {}", first.0, real.0)
    })?;
    let mut latest = passes(store, &row, first).await?;
    // What rows tell of other times is not the time.
    for at in [Timestamp(0), Timestamp(u64::MAX)] {
        let row = Row { created_at: at, ..rows.row() };
        let said = HistoryLine { at, ..line(&row) };
        worked("create", store.create(&row, &said).await)?;
        let now = worked("load", store.load(&row.key).await)?.now;
        check(now >= latest && now.since(latest) <= APART, || {
            format!("after a line of the time {}, the store's time is {}", at.0, now.0)
        })?;
        latest = passes(store, &row, now).await?;
    }
    let told = match &row.approval_id {
        Some(id) => worked("load_parked", store.load_parked(id).await)?.now,
        None => latest,
    };
    check(told >= latest && told.since(latest) <= APART, || {
        format!("load_parked tells the time {} after load told {}", told.0, latest.0)
    })
}

/// Waits until the store tells a later time, and gives it.
#[expect(clippy::disallowed_methods, reason = "it measures the store's clock")]
async fn passes(store: &Arc<dyn Ledger>, row: &Row, first: Timestamp) -> Result<Timestamp, String> {
    let start = Instant::now();
    let mut latest = first;
    while latest == first {
        let now = worked("load", store.load(&row.key).await)?.now;
        check(now >= latest, || {
            format!("the store's time went back from {} to {}", latest.0, now.0)
        })?;
        check(start.elapsed() < Duration::from_secs(2), || {
            format!("the store's time stood still at {} for two seconds", latest.0)
        })?;
        latest = now;
    }
    let (told, truly) = (latest.since(first), start.elapsed());
    check(told <= truly + Duration::from_secs(1), || {
        format!("the store's time went on by {told:?} within {truly:?}")
    })?;
    Ok(latest)
}
