//! How many calls run at the same time: each holds a permit until it is over, however it ends.

use std::sync::Arc;

use async_lock::SemaphoreGuard;

use super::Way;
use super::ledger::refused;
use super::threads::Seat;
use super::time::{self, Time};
use crate::call::Outcome;
use crate::tool::Stopped;

/// What a call holds while it runs.
#[expect(dead_code, reason = "a permit does its work when it is dropped")]
pub(super) enum Permits<'a> {
    /// In the thread that dispatches it: one of the registry's, and one of the tool's.
    Here(SemaphoreGuard<'a>, Option<SemaphoreGuard<'a>>),
    /// In a thread of its own, which holds the permits for as long as it is gone.
    Apart(Arc<Seat>),
}

/// Takes the permits of a call in this thread, where nothing has to be waited for; whether it did.
pub(super) fn enter_at_once(way: &Way<'_>) -> bool {
    let permits = || {
        let tool = match &way.entry.room {
            None => None,
            Some(room) => Some(room.try_acquire()?),
        };
        Some(Permits::Here(way.house.room.try_acquire()?, tool))
    };
    permits().is_some_and(|permits| way.permits.set(permits).is_ok())
}

/// Takes what the call needs to run, right before it is claimed.
///
/// Who has no timer is not made to wait: two calls may wait for each other.
///
/// # Errors
/// It was not to be had in time, or the call is wanted no more; nothing ran.
pub(super) async fn enter(way: &Way<'_>) -> Result<(), Stopped> {
    time::wanted(way)?;
    let (house, tool) = (way.house, way.entry.room.as_ref());
    let permits = if way.entry.tool.policy.blocking {
        let tool = match tool {
            None => None,
            Some(room) => Some(one(way, room.try_acquire_arc(), room.acquire_arc()).await?),
        };
        let room = &house.room;
        let registry = one(way, room.try_acquire_arc(), room.acquire_arc()).await?;
        Permits::Apart(Seat::taken(registry, tool, Arc::clone(&house.lost)))
    } else {
        let tool = match tool {
            None => None,
            Some(room) => Some(one(way, room.try_acquire(), room.acquire()).await?),
        };
        let room = &house.room;
        Permits::Here(one(way, room.try_acquire(), room.acquire()).await?, tool)
    };
    way.permits.get_or_init(|| permits);
    time::wanted(way)
}

async fn one<P>(
    way: &Way<'_>,
    at_once: Option<P>,
    later: impl Future<Output = P>,
) -> Result<P, Stopped> {
    match at_once {
        Some(permit) => Ok(permit),
        None if way.house.timer.is_some() => time::within(way, Time::Tools, later).await,
        None => {
            let note = "as many calls run as may at the same time".to_owned();
            Err(refused(Outcome::unavailable(&way.entry.tool.name, note)))
        }
    }
}
