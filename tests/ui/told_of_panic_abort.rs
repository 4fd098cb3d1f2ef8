//! Builds a registry and prints what the host's log is told meanwhile.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::fmt::Debug;

use toolkit::{Registry, ToolConfigErrors};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A log that is printed.
struct Printed;

impl Subscriber for Printed {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line;

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        println!("{field}: {value:?}");
    }
}

fn main() -> Result<(), ToolConfigErrors> {
    tracing::subscriber::with_default(Printed, || Registry::builder().build().map(drop))
}
