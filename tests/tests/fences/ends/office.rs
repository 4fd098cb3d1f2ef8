//! A ledger in memory, with a clock and with somebody who changes its rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use toolkit::__private::ledger::Record;
use toolkit::RegistryBuilder;
use toolkit::ledger::{Digest, Filter, Ledger, MemoryLedger, Settings, Timestamp};
use toolkit::prelude::*;

/// A ledger, and its clock.
pub(super) struct Office {
    pub(super) ledger: Arc<MemoryLedger>,
    clock: Arc<AtomicU64>,
}

impl Office {
    pub(super) fn new() -> Self {
        let clock = Arc::new(AtomicU64::new(1_000_000));
        let hands = Arc::clone(&clock);
        let ledger = MemoryLedger::with_clock(move || Timestamp(hands.load(Ordering::SeqCst)));
        Self { ledger: Arc::new(ledger), clock }
    }

    pub(super) fn later(&self, time: Duration) {
        self.clock.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    pub(super) fn view(&self, tools: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> View {
        let settings = Settings { most_parked: 4, ..Settings::default() };
        let builder = Registry::builder().ledger(Arc::clone(&self.ledger));
        let registry = tools(builder.ledger_settings(settings)).build().unwrap();
        registry.view(Caller::new("ann"))
    }

    /// Changes the only row behind everybody's back.
    pub(super) fn change_row(&self, change: impl FnOnce(&str) -> String) {
        let rows = pollster::block_on(self.ledger.list(&Filter::default())).unwrap();
        let [row] = &rows[..] else { panic!("{rows:?}") };
        let lines = pollster::block_on(self.ledger.history(&row.key)).unwrap();
        let mut changed = row.clone();
        changed.document = change(&row.document);
        changed.version += 1;
        assert!(pollster::block_on(self.ledger.swap(&changed, &lines[0])).unwrap());
    }

    /// Writes the arguments of a parked call in other bytes, as another version might have.
    pub(super) fn write_otherwise(&self, id: &str, arguments: &str) {
        let row = pollster::block_on(self.ledger.load_parked(id)).unwrap().row.unwrap();
        let lines = pollster::block_on(self.ledger.history(&row.key)).unwrap();
        let mut record = Record::read(&row).unwrap();
        arguments.clone_into(&mut record.arguments);
        record.fingerprint = Digest::of_arguments(arguments);
        let mut approval = record.approval.clone().unwrap();
        approval.binding = record.binding_of(approval.id, &approval.rendered, approval.expires_at);
        record.approval = Some(approval);
        let changed = record.row(row.version + 1).unwrap();
        assert!(pollster::block_on(self.ledger.swap(&changed, &lines[0])).unwrap());
    }
}
