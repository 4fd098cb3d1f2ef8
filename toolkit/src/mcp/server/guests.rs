//! Who is there over HTTP: the sessions and calls of each principal, and what their runs remember.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::StatusCode;
use tokio::time::Instant;
use toolkit_core::{Caller, RunMemory};

/// How many sessions may be open.
const MOST_SESSIONS: usize = 10_000;

/// How many principals are known at a time.
const MOST_GUESTS: usize = 100_000;

/// What one principal may have at a time, and for how long its run is remembered.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    pub(super) sessions: usize,
    pub(super) calls: usize,
    pub(super) remembers: Duration,
}

/// Tenant and principal.
type Owner = (Option<String>, String);

/// Who is there.
#[derive(Debug)]
pub(super) struct Guests {
    bounds: Bounds,
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    guests: BTreeMap<Owner, Guest>,
    /// The sessions in it, of which some may be over.
    sessions: usize,
}

#[derive(Debug)]
struct Guest {
    sessions: BTreeMap<Arc<str>, RunMemory>,
    /// Sessions that are being opened.
    opening: usize,
    /// The run of requests without a session.
    run: RunMemory,
    /// Requests that are not answered yet.
    calls: usize,
    /// When the last one was answered.
    seen: Instant,
}

/// A request that was let in, in the run that it is of.
#[derive(Debug, Clone)]
pub(super) struct LetIn {
    pub(super) caller: Arc<Caller>,
    pub(super) memory: RunMemory,
    place: Arc<Place>,
}

/// A place among those of a principal, given back when it is dropped.
#[derive(Debug)]
struct Place {
    guests: Arc<Guests>,
    owner: Owner,
    among: fn(&mut Guest) -> &mut usize,
}

/// A session that is being opened, of which nobody has the id yet.
#[derive(Debug)]
pub(super) struct Opening(Place);

/// Why a request is not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    /// Nobody has such a session, or somebody else.
    NoSession,
    /// The principal has as many calls that run.
    Calls(usize),
    /// The principal has as many sessions.
    Sessions(usize),
    /// All together have as many.
    Full,
}

impl Refused {
    pub(super) const fn status(&self) -> StatusCode {
        match self {
            Self::NoSession => StatusCode::NOT_FOUND,
            Self::Calls(_) | Self::Sessions(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Full => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(super) fn why(&self) -> String {
        match self {
            Self::NoSession => "there is no such session".to_owned(),
            Self::Calls(most) => {
                format!("{most} requests of yours are not answered yet; wait for one of them")
            }
            Self::Sessions(most) => {
                format!("{most} sessions of yours are open; go on in one of them, or end one")
            }
            Self::Full => "too many sessions are open".to_owned(),
        }
    }
}

impl Guests {
    pub(super) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self { bounds, book: Mutex::default() })
    }

    /// Lets a request of a caller in, in one of its sessions or in none.
    pub(super) fn let_in(
        self: &Arc<Self>,
        caller: Arc<Caller>,
        session: Option<&str>,
    ) -> Result<LetIn, Refused> {
        let owner = (caller.tenant_name().map(str::to_owned), caller.principal().to_owned());
        let mut book = self.book();
        let guest = book.guest(&owner, self.bounds.remembers)?;
        let memory = match session {
            Some(session) => guest.sessions.get(session).ok_or(Refused::NoSession)?.clone(),
            None => guest.run(self.bounds.remembers),
        };
        let place = self.place(owner, guest, |guest| &mut guest.calls, self.bounds.calls);
        drop(book);
        let place = Arc::new(place.ok_or(Refused::Calls(self.bounds.calls))?);
        Ok(LetIn { caller, memory, place })
    }

    /// Lets a caller open a session more, where so many are open of all, and these.
    pub(super) fn opening(
        self: &Arc<Self>,
        guest: &LetIn,
        open: usize,
        is_open: impl Fn(&str) -> bool,
    ) -> Result<Opening, Refused> {
        if open >= MOST_SESSIONS {
            return Err(Refused::Full);
        }
        let (owner, most) = (guest.place.owner.clone(), self.bounds.sessions);
        let mut book = self.book();
        if book.sessions >= MOST_SESSIONS.saturating_mul(2) {
            book.guests.values_mut().for_each(|guest| guest.forget_lost(&is_open));
            book.sessions = book.guests.values().map(|guest| guest.sessions.len()).sum();
        }
        let guest = book.guest(&owner, self.bounds.remembers)?;
        guest.forget_lost(&is_open);
        let left = most.saturating_sub(guest.sessions.len());
        let place = self.place(owner, guest, |guest| &mut guest.opening, left);
        drop(book);
        place.map(Opening).ok_or(Refused::Sessions(most))
    }

    /// Ends a session because its client said so: its run is over, and what it read with it.
    pub(super) fn closed(&self, of: &LetIn, session: &str) {
        self.book().close(&of.place.owner, session);
    }

    fn place(
        self: &Arc<Self>,
        owner: Owner,
        guest: &mut Guest,
        among: fn(&mut Guest) -> &mut usize,
        most: usize,
    ) -> Option<Place> {
        let taken = among(guest);
        if *taken >= most {
            return None;
        }
        *taken += 1;
        Some(Place { guests: Arc::clone(self), owner, among })
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opening {
    /// The session is there. It begins as what its principal did outside of a session left off.
    pub(super) fn opened(self, session: &str) {
        let Self(Place { guests, owner, .. }) = &self;
        let mut book = guests.book();
        if let Some(guest) = book.guests.get_mut(owner) {
            let memory = RunMemory::default();
            if guest.run(guests.bounds.remembers).is_tainted() {
                memory.taint();
            }
            guest.sessions.insert(session.into(), memory);
            book.sessions += 1;
        }
        // The place is given back by whoever has the book.
        drop(book);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.guests.book().leave(&self.owner, self.among);
    }
}

impl Book {
    fn close(&mut self, owner: &Owner, session: &str) {
        let guest = self.guests.get_mut(owner);
        if guest.is_some_and(|guest| guest.sessions.remove(session).is_some()) {
            self.sessions = self.sessions.saturating_sub(1);
        }
    }

    fn leave(&mut self, owner: &Owner, among: fn(&mut Guest) -> &mut usize) {
        if let Some(guest) = self.guests.get_mut(owner) {
            let taken = among(guest);
            *taken = taken.saturating_sub(1);
            guest.seen = Instant::now();
        }
    }

    /// What is known of a principal; where many are, those are forgotten of whom nothing is left.
    fn guest(&mut self, owner: &Owner, remembers: Duration) -> Result<&mut Guest, Refused> {
        if !self.guests.contains_key(owner) && self.guests.len() >= MOST_GUESTS {
            self.guests.retain(|_, guest| !guest.is_gone(remembers));
            if self.guests.len() >= MOST_GUESTS {
                return Err(Refused::Full);
            }
        }
        Ok(self.guests.entry(owner.clone()).or_insert_with(Guest::new))
    }
}

impl Guest {
    fn new() -> Self {
        let (sessions, run) = (BTreeMap::new(), RunMemory::default());
        Self { sessions, opening: 0, run, calls: 0, seen: Instant::now() }
    }

    /// The run outside of sessions; after a long silence it is another one.
    fn run(&mut self, remembers: Duration) -> RunMemory {
        if self.is_silent(remembers) {
            self.run = RunMemory::default();
        }
        self.run.clone()
    }

    fn is_silent(&self, remembers: Duration) -> bool {
        self.calls == 0 && self.seen.elapsed() >= remembers
    }

    fn is_gone(&self, remembers: Duration) -> bool {
        let is_idle = self.calls == 0 && self.opening == 0 && self.sessions.is_empty();
        is_idle && (!self.run.is_tainted() || self.is_silent(remembers))
    }

    /// Forgets sessions that ended in silence. Who was in one may go on in another, so what it
    /// read is remembered.
    fn forget_lost(&mut self, is_open: impl Fn(&str) -> bool) {
        let run = &self.run;
        self.sessions.retain(|session, memory| {
            let is_open = is_open(session);
            if !is_open && memory.is_tainted() {
                run.taint();
            }
            is_open
        });
    }
}
