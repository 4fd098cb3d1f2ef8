//! Canonical arguments are what they are: read again, they are the same bytes.

use std::cell::LazyCell;
use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use toolkit::prelude::*;

use crate::{in_time, tools};

/// A view whose approver notes what it was shown.
struct Shown {
    view: View,
    canonical: Arc<Mutex<Option<String>>>,
}

impl Shown {
    fn new() -> Self {
        let canonical: Arc<Mutex<Option<String>>> = Arc::default();
        let noted = Arc::clone(&canonical);
        let approver = move |request: ApprovalRequest| {
            let text = request.canonical_arguments().to_owned();
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            ready(Decision::Approved)
        };
        let registry = Registry::builder().tools(tools()).approver(approver).build();
        Self { view: registry.expect("the registry is right").view(Caller::new("fuzz")), canonical }
    }

    /// What was shown of a call, and what it came to.
    fn of(&self, arguments: &str) -> (Option<String>, Outcome) {
        let call = ToolCall::new("c", "change", arguments);
        let outcome = self.view.dispatch_blocking(call, Options::default());
        let shown = self.canonical.lock().unwrap_or_else(PoisonError::into_inner).take();
        (shown, outcome.expect("nothing is fatal"))
    }
}

thread_local! {
    static SHOWN: LazyCell<Shown> = LazyCell::new(Shown::new);
}

/// Takes a text through the gates, and what was shown of it once more.
pub fn canonical(text: &str) {
    SHOWN.with(|shown| {
        in_time(text.len(), || {
            let (Some(first), outcome) = shown.of(text) else { return };
            assert_eq!(outcome.status(), Status::Ok, "what was shown runs: {outcome:?}");
            let (second, again) = shown.of(&first);
            // Defaults that were written in may make it longer than a call may be.
            if again.status() == Status::Ok {
                assert_eq!(second.as_deref(), Some(&*first));
                assert_eq!(again.text(), outcome.text(), "the function got the same");
            } else {
                assert!(first.len() > 64 * 1024, "{again:?} of {first}");
            }
        });
    });
}
