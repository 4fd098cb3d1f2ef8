//! A call waits for people in the ledger, and runs as it was shown or not at all.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolkit::ledger::{
    Desk, DeskError, Digest, Filter, Ledger, MemoryLedger, ParkedCall, Person, RowState, Settings,
    Timestamp,
};
use toolkit::prelude::*;
use toolkit::{Category, Limits};

/// What happened, and what the business says today.
#[derive(Default)]
struct Bank {
    refunds: Mutex<Vec<String>>,
    is_frozen: AtomicBool,
    balance: AtomicUsize,
}

impl Bank {
    fn refunds(&self) -> Vec<String> {
        self.refunds.lock().unwrap().clone()
    }
}

fn not_frozen(bank: &Bank) -> Result<(), ToolError> {
    if bank.is_frozen.load(Ordering::SeqCst) {
        return Err(ToolError::business("the account is frozen"));
    }
    Ok(())
}

/// Refunds an order.
#[tool(
    effect = "write",
    scopes("payments:write"),
    check = not_frozen(bank),
    approval(amount > 500.0, time_to_live = "2h"),
)]
fn refund(
    #[state] bank: &Bank,
    order_id: &str,
    amount: f64,
    #[arg(default = "EUR")] currency: &str,
) -> String {
    let line = format!("{amount} {currency} for {order_id}");
    bank.refunds.lock().unwrap().push(line.clone());
    format!("refunded {line}")
}

/// Closes an account for good.
#[tool(effect = "irreversible", approval(quorum = 2, four_eyes))]
fn close(#[state] bank: &Bank, account: &str) {
    bank.refunds.lock().unwrap().push(format!("closed {account}"));
}

/// Empties an account.
#[tool(
    effect = "write",
    approval(true),
    preview = format!("It would take {}.", bank.balance.load(Ordering::SeqCst)),
    preview_must_match,
)]
fn empty(#[state] bank: &Bank) -> usize {
    let taken = bank.balance.swap(0, Ordering::SeqCst);
    bank.refunds.lock().unwrap().push(format!("took {taken}"));
    taken
}

struct Office {
    bank: Arc<Bank>,
    ledger: Arc<MemoryLedger>,
    clock: Arc<AtomicU64>,
    desk: Desk,
}

fn office() -> Office {
    let clock = Arc::new(AtomicU64::new(1_000_000));
    let hands = Arc::clone(&clock);
    let ledger =
        Arc::new(MemoryLedger::with_clock(move || Timestamp(hands.load(Ordering::SeqCst))));
    let desk = Desk::new(Arc::clone(&ledger));
    Office { bank: Arc::default(), ledger, clock, desk }
}

fn ann() -> Caller {
    Caller::new("ann").scopes(["payments:write"])
}

fn person(name: &str) -> Person {
    Person::authenticated(name, "web").scopes(["approvals:decide"])
}

const NINE_HUNDRED: &str = r#"{"order_id": "O-1", "amount": 9e2}"#;

impl Office {
    /// A process of its own: nothing is shared with another one but the store and the world.
    fn process(&self) -> RegistryOf {
        self.process_within(Limits::default())
    }

    fn process_within(&self, limits: Limits) -> RegistryOf {
        let builder = Registry::builder()
            .tools(tools![refund, close, empty])
            .state(Arc::clone(&self.bank))
            .ledger(Arc::clone(&self.ledger))
            .limits(limits);
        RegistryOf(builder.build().unwrap())
    }

    fn parked(&self, tool: &str, arguments: &str) -> String {
        let outcome = self.process().call(tool, arguments);
        assert_eq!(outcome.status(), Status::AwaitingApproval, "{}", outcome.text());
        outcome.approval_id().unwrap().to_owned()
    }

    fn shown(&self, id: &str) -> ParkedCall {
        pollster::block_on(self.desk.show(id)).unwrap()
    }

    fn approve(&self, name: &str, id: &str) -> Result<RowState, DeskError> {
        let seen = self.shown(id).binding;
        pollster::block_on(self.desk.approve(&person(name), id, &seen))
    }

    fn decline(&self, name: &str, id: &str, reason: Option<&str>) -> Result<(), DeskError> {
        pollster::block_on(self.desk.decline(&person(name), id, reason))
    }

    fn later(&self, time: Duration) {
        self.clock.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    fn states(&self) -> Vec<RowState> {
        let rows = pollster::block_on(self.ledger.list(&Filter::default())).unwrap();
        rows.into_iter().map(|row| row.state).collect()
    }
}

struct RegistryOf(Registry);

impl RegistryOf {
    fn call(&self, tool: &str, arguments: &str) -> Outcome {
        let call = ToolCall::new("call_1", tool, arguments);
        self.0.view(ann()).dispatch_blocking(call, Options::default()).unwrap()
    }

    fn resume(&self, id: &str) -> Outcome {
        self.0.view(ann()).resume_blocking(id, Options::default()).unwrap()
    }
}

#[test]
fn a_call_is_parked_in_one_process_approved_in_another_and_runs_in_a_third() {
    let office = office();
    let outcome = office.process().call("refund", NINE_HUNDRED);
    let id = outcome.approval_id().unwrap().to_owned();
    assert_eq!(
        outcome.text(),
        format!(
            "refund waits for a person to agree (approval {id}); nothing ran yet. \
             Do not call it again; tell the user that it waits."
        ),
    );
    assert_eq!((outcome.is_error(), outcome.is_retryable()), (true, false));
    assert_eq!((outcome.category(), outcome.executed()), (Some(Category::Permission), false));

    let shown = office.shown(&id);
    assert_eq!(shown.arguments, r#"{"order_id":"O-1","amount":900,"currency":"EUR"}"#);
    assert_eq!((shown.requester.as_str(), shown.tool.as_str()), ("ann", "refund"));
    assert_eq!(shown.expires_at.since(shown.asked_at), Duration::from_secs(2 * 60 * 60));
    assert_eq!(office.approve("kim", &id), Ok(RowState::Approved));
    assert_eq!(office.bank.refunds(), [""; 0]);

    let ran = office.process().resume(&id);
    assert_eq!((ran.status(), ran.text()), (Status::Ok, "refunded 900 EUR for O-1"));
    let again = office.process().resume(&id);
    assert_eq!((again.status(), again.result_text()), (Status::Duplicate, ran.text()));
    let sent_again = office.process().call("refund", NINE_HUNDRED);
    assert_eq!(sent_again.status(), Status::Duplicate);
    assert_eq!(office.bank.refunds(), ["900 EUR for O-1"]);
}

#[test]
fn what_needs_nobody_runs_at_once() {
    let office = office();
    let outcome = office.process().call("refund", r#"{"order_id": "O-1", "amount": 20}"#);
    assert_eq!(outcome.status(), Status::Ok);
    assert_eq!(office.states(), [RowState::Done]);
}

#[test]
fn the_same_call_waits_by_the_same_id_whoever_sends_it_again() {
    let office = office();
    let id = office.parked("refund", NINE_HUNDRED);
    assert_eq!(office.parked("refund", NINE_HUNDRED), id);
    office.approve("kim", &id).unwrap();
    assert_eq!(office.parked("refund", NINE_HUNDRED), id, "a host resumes it; a model does not");
    office.bank.is_frozen.store(true, Ordering::SeqCst);
    assert_eq!(office.parked("refund", NINE_HUNDRED), id, "no rule of today is asked of it");
    assert_eq!(office.bank.refunds(), [""; 0]);
}

/// Waiting is an outcome and no error of the host: who tries again after errors has none to see.
#[test]
fn a_layer_that_tries_again_asks_once_and_runs_nothing() {
    let office = office();
    let process = office.process();
    let view = process.0.view(ann());
    let mut told = Vec::new();
    for attempt in 0..3 {
        let call = ToolCall::new(format!("call_{attempt}"), "refund", NINE_HUNDRED);
        match view.dispatch_blocking(call, Options::default()) {
            Ok(outcome) => told.push((outcome.status(), outcome.is_retryable())),
            Err(abort) => panic!("{abort:?}"),
        }
    }
    assert_eq!(told, [(Status::AwaitingApproval, false); 3]);
    assert_eq!((office.states(), office.bank.refunds()), (vec![RowState::Parked], vec![]));
}

#[test]
fn nothing_runs_that_was_not_decided() {
    let office = office();
    let id = office.parked("refund", NINE_HUNDRED);
    let outcome = office.process().resume(&id);
    assert_eq!(outcome.status(), Status::AwaitingApproval);
    assert_eq!((outcome.approval_id(), office.bank.refunds().len()), (Some(id.as_str()), 0));
}

#[test]
fn declined_revoked_and_expired_are_told_apart() {
    let office = office();
    let declined = office.parked("refund", NINE_HUNDRED);
    office.decline("kim", &declined, Some("over the limit")).unwrap();
    let outcome = office.process().resume(&declined);
    assert_eq!(outcome.status(), Status::Declined);
    let refused = "declined by a person (over the limit). Do not retry; tell the user.";
    assert_eq!(outcome.text(), refused);
    assert_eq!(office.process().call("refund", NINE_HUNDRED).text(), refused);

    let revoked = office.parked("refund", r#"{"order_id": "O-2", "amount": 900}"#);
    office.approve("kim", &revoked).unwrap();
    pollster::block_on(office.desk.revoke(&person("kim"), &revoked, None)).unwrap();
    let outcome = office.process().resume(&revoked);
    assert_eq!(outcome.status(), Status::Declined);

    let expired = office.parked("refund", r#"{"order_id": "O-3", "amount": 900}"#);
    office.later(Duration::from_secs(2 * 60 * 60));
    let outcome = office.process().resume(&expired);
    assert_eq!(outcome.status(), Status::Expired);
    assert_eq!(
        outcome.text(),
        "nobody decided on refund in time; nothing ran. It was not refused. Tell the user.",
    );
    assert_eq!(office.bank.refunds(), [""; 0]);
}

#[test]
fn an_approval_that_ran_out_before_it_was_used_runs_nothing() {
    let office = office();
    let id = office.parked("refund", NINE_HUNDRED);
    office.approve("kim", &id).unwrap();
    office.later(Duration::from_secs(2 * 60 * 60));
    assert_eq!(office.process().resume(&id).status(), Status::Expired);
    assert_eq!(office.bank.refunds(), [""; 0]);
}

#[test]
fn one_of_many_parked_calls_is_approved_and_no_other() {
    let office = office();
    let ids: Vec<String> = (1..=3)
        .map(|order| {
            let arguments = format!(r#"{{"order_id": "O-{order}", "amount": 900}}"#);
            office.parked("refund", &arguments)
        })
        .collect();
    office.approve("kim", &ids[1]).unwrap();
    let statuses: Vec<Status> = ids.iter().map(|id| office.process().resume(id).status()).collect();
    assert_eq!(statuses, [Status::AwaitingApproval, Status::Ok, Status::AwaitingApproval],);
    assert_eq!(office.bank.refunds(), ["900 EUR for O-2"]);
}

#[test]
fn a_decision_on_something_else_than_what_would_run_does_not_count() {
    let office = office();
    let id = office.parked("refund", NINE_HUNDRED);
    let other = office.parked("refund", r#"{"order_id": "O-2", "amount": 900}"#);
    let seen = office.shown(&other).binding;
    let stale = pollster::block_on(office.desk.approve(&person("kim"), &id, &seen));
    assert_eq!(stale, Err(DeskError::StaleView));
    let forged = pollster::block_on(office.desk.approve(&person("kim"), &id, &Digest([7; 32])));
    assert_eq!(forged, Err(DeskError::StaleView));
    assert_eq!(office.process().resume(&id).status(), Status::AwaitingApproval);
}

#[test]
fn quorum_and_four_eyes_are_asked_of_people_and_never_of_an_approver_in_line() {
    let office = office();
    let registry = Registry::builder()
        .tools(tools![close])
        .state(Arc::clone(&office.bank))
        .ledger(Arc::clone(&office.ledger))
        .approver(|_: ApprovalRequest| async { panic!("one word is not enough") })
        .build()
        .unwrap();
    let outcome = RegistryOf(registry).call("close", r#"{"account": "A-1"}"#);
    let id = outcome.approval_id().unwrap();
    assert_eq!(office.approve("ann", id), Err(DeskError::FourEyes));
    assert_eq!(office.approve("kim", id), Ok(RowState::Parked));
    assert_eq!(office.process().resume(id).status(), Status::AwaitingApproval);
    let twice = office.approve("kim", id).unwrap_err();
    assert!(matches!(twice, DeskError::AlreadyDecided { .. }), "{twice}");
    assert_eq!(office.approve("lee", id), Ok(RowState::Approved));
    assert_eq!(office.process().resume(id).status(), Status::Ok);
    assert_eq!(office.bank.refunds(), ["closed A-1"]);
}

#[test]
fn who_may_not_decide_decides_nothing() {
    let office = office();
    let id = office.parked("refund", NINE_HUNDRED);
    let seen = office.shown(&id).binding;
    let guest = Person::authenticated("guest", "web");
    let outcome = pollster::block_on(office.desk.approve(&guest, &id, &seen));
    assert_eq!(outcome, Err(DeskError::NotAllowed { scope: "approvals:decide".to_owned() }));
    assert_eq!(office.process().resume(&id).status(), Status::AwaitingApproval);
}

#[test]
fn a_call_is_resumed_for_its_own_caller_alone() {
    let office = office();
    let id = office.parked("refund", NINE_HUNDRED);
    office.approve("kim", &id).unwrap();
    let registry = office.process().0;
    let scopes = ["payments:write"];
    for caller in [Caller::new("bob").scopes(scopes), ann().tenant("furniture")] {
        let outcome = registry.view(caller).resume_blocking(&id, Options::default()).unwrap();
        assert_eq!(outcome.status(), Status::Rejected);
        assert_eq!(
            outcome.text(),
            format!("no call of this caller is known by the approval \"{id}\"; nothing ran"),
        );
    }
    for unknown in ["apr_00000000000000000000000000", "apr_1", "", "\u{1b}[2J"] {
        let outcome = office.process().resume(unknown);
        assert_eq!(outcome.status(), Status::Rejected);
        assert!(outcome.text().is_ascii(), "{}", outcome.text());
    }
    assert_eq!(office.process().resume(&id).status(), Status::Ok);
}

#[test]
fn todays_scopes_rules_and_tools_count() {
    let office = office();
    let registry = office.process().0;

    let rule = office.parked("refund", NINE_HUNDRED);
    office.approve("kim", &rule).unwrap();
    office.bank.is_frozen.store(true, Ordering::SeqCst);
    let outcome = office.process().resume(&rule);
    assert_eq!((outcome.status(), outcome.text()), (Status::Rejected, "the account is frozen"));
    office.bank.is_frozen.store(false, Ordering::SeqCst);
    assert_eq!(office.process().resume(&rule).status(), Status::Ok);

    let scope = office.parked("refund", r#"{"order_id": "O-2", "amount": 900}"#);
    office.approve("kim", &scope).unwrap();
    let bare = registry.view(Caller::new("ann"));
    let outcome = bare.resume_blocking(&scope, Options::default()).unwrap();
    assert_eq!(outcome.status(), Status::Denied);
    let again = office.process().resume(&scope);
    assert_eq!(again.status(), Status::Denied, "it stays denied");
    assert_eq!(again.host_note(), Some("missing scope `payments:write`"));

    let narrowed = office.parked("refund", r#"{"order_id": "O-3", "amount": 900}"#);
    office.approve("kim", &narrowed).unwrap();
    let view = registry.view(ann()).scoped(["close"]);
    let outcome = view.resume_blocking(&narrowed, Options::default()).unwrap();
    assert_eq!(outcome.status(), Status::UnknownTool);
    assert_eq!(office.process().resume(&narrowed).status(), Status::Ok, "in its own view it runs");

    let gone = office.parked("refund", r#"{"order_id": "O-4", "amount": 900}"#);
    office.approve("kim", &gone).unwrap();
    let without = Registry::builder()
        .tools(tools![close])
        .state(Arc::clone(&office.bank))
        .ledger(Arc::clone(&office.ledger));
    let outcome = RegistryOf(without.build().unwrap()).resume(&gone);
    assert_eq!(outcome.status(), Status::Rejected);
    assert_eq!(
        outcome.text(),
        "refund did not run: it is gone since a person was asked. Propose the call again.",
    );
    assert_eq!(office.process().resume(&gone).status(), Status::Rejected);
    assert_eq!(office.bank.refunds(), ["900 EUR for O-1", "900 EUR for O-3"]);
}

mod changed {
    use toolkit::prelude::*;

    /// Refunds an order, and tells the press.
    #[tool(effect = "write", scopes("payments:write"), approval(amount > 500.0))]
    pub fn refund(order_id: &str, amount: f64, #[arg(default = "EUR")] currency: &str) {
        panic!("a changed tool runs {order_id} {amount} {currency}")
    }

    pub mod harmless {
        use toolkit::prelude::*;

        /// Refunds an order.
        #[tool(effect = "read", scopes("payments:write"))]
        pub fn refund(order_id: &str, amount: f64, #[arg(default = "EUR")] currency: &str) {
            panic!("a changed tool runs {order_id} {amount} {currency}")
        }
    }

    pub mod narrower {
        use toolkit::prelude::*;

        /// Refunds an order.
        #[tool(effect = "write", scopes("payments:write"))]
        pub fn refund(order_id: &str, #[arg(maximum = 800)] amount: f64) {
            panic!("a changed tool runs {order_id} {amount}")
        }
    }
}

#[test]
fn a_tool_that_changed_since_it_was_shown_does_not_run() {
    for (tool, words) in [
        (Tool::of::<changed::refund>(), "it changed"),
        (Tool::of::<changed::harmless::refund>(), "it changed"),
        (Tool::of::<changed::narrower::refund>(), "it takes other arguments"),
    ] {
        let office = office();
        let id = office.parked("refund", NINE_HUNDRED);
        office.approve("kim", &id).unwrap();
        let registry =
            Registry::builder().tool(tool).ledger(Arc::clone(&office.ledger)).build().unwrap();
        let outcome = RegistryOf(registry).resume(&id);
        assert_eq!(outcome.status(), Status::Rejected);
        assert_eq!(
            outcome.text(),
            format!(
                "refund did not run: {words} since a person was asked. Propose the call again."
            ),
        );
        assert!(outcome.is_retryable());
        assert_eq!(office.states(), [RowState::Invalidated]);
        let late = office.approve("kim", &id).unwrap_err();
        assert_eq!(late, DeskError::TooLate { state: RowState::Invalidated });
    }
}

#[test]
fn what_was_shown_runs_where_more_is_taken_no_longer() {
    let bytes = "$: the arguments are 34 bytes long; at most 30 are accepted";
    for (limits, report) in [
        (Limits { argument_bytes: 30, ..Limits::default() }, bytes),
        (Limits { values: 2, ..Limits::default() }, "$: more than 2 values; send fewer"),
        (Limits { depth: 0, ..Limits::default() }, "$: nested more than 0 levels deep"),
    ] {
        let office = office();
        let id = office.parked("refund", NINE_HUNDRED);
        office.approve("kim", &id).unwrap();
        let process = office.process_within(limits);
        let sent = process.call("refund", NINE_HUNDRED);
        assert_eq!((sent.status(), sent.text()), (Status::Invalid, report));
        let ran = process.resume(&id);
        assert_eq!((ran.status(), ran.text()), (Status::Ok, "refunded 900 EUR for O-1"));
        assert_eq!(office.bank.refunds(), ["900 EUR for O-1"]);
    }
}

#[test]
fn what_would_happen_now_must_be_what_was_shown_where_the_tool_says_so() {
    let office = office();
    office.bank.balance.store(70, Ordering::SeqCst);
    let id = office.parked("empty", "{}");
    assert_eq!(office.shown(&id).preview.as_deref(), Some("It would take 70."));
    office.approve("kim", &id).unwrap();
    office.bank.balance.store(7_000, Ordering::SeqCst);
    let outcome = office.process().resume(&id);
    assert_eq!(outcome.status(), Status::AwaitingApproval);
    let anew = outcome.approval_id().unwrap();
    assert_ne!(anew, id);
    assert_eq!(office.shown(anew).preview.as_deref(), Some("It would take 7000."));
    assert_eq!(office.bank.refunds(), [""; 0]);
    office.approve("kim", anew).unwrap();
    assert_eq!(office.process().resume(anew).status(), Status::Ok);
    assert_eq!(office.bank.refunds(), ["took 7000"]);
}

#[test]
fn a_rehearsal_of_what_waits_changes_nothing() {
    let office = office();
    let id = office.parked("refund", NINE_HUNDRED);
    office.approve("kim", &id).unwrap();
    let view = office.process().0.view(ann());
    let outcome = view.resume_blocking(&id, Options::default().dry_run()).unwrap();
    assert_eq!(outcome.status(), Status::DryRun);
    let before = pollster::block_on(office.ledger.list(&Filter::default())).unwrap();
    let bare = office.process().0.view(Caller::new("ann"));
    let outcome = bare.resume_blocking(&id, Options::default().dry_run()).unwrap();
    assert_eq!(outcome.status(), Status::Denied);
    // One of them is kept in no ledger any more.
    let tools: [fn() -> Tool; 2] =
        [Tool::of::<changed::refund>, Tool::of::<changed::harmless::refund>];
    for tool in tools {
        let builder = || Registry::builder().tool(tool()).ledger(Arc::clone(&office.ledger));
        let changed = builder().build().unwrap().view(ann());
        let outcome = changed.resume_blocking(&id, Options::default().dry_run()).unwrap();
        assert_eq!(outcome.status(), Status::Rejected);
        let shadow = builder().dry_run().build().unwrap().view(ann());
        let outcome = shadow.resume_blocking(&id, Options::default()).unwrap();
        assert_eq!(outcome.status(), Status::Rejected);
    }
    assert_eq!(pollster::block_on(office.ledger.list(&Filter::default())).unwrap(), before);
    assert_eq!(office.process().resume(&id).status(), Status::Ok);
}

#[test]
fn a_rehearsal_keeps_no_row_and_asks_nobody() {
    let office = office();
    let view = office.process().0.view(ann());
    let call = ToolCall::new("call_1", "refund", NINE_HUNDRED);
    let outcome = view.dispatch_blocking(&call, Options::default().dry_run()).unwrap();
    assert_eq!((outcome.status(), outcome.is_error()), (Status::DryRun, false));
    assert_eq!(
        outcome.text(),
        "dry run: every check was passed and nothing ran. \
         refund would run with {\"order_id\":\"O-1\",\"amount\":900,\"currency\":\"EUR\"}",
    );
    assert_eq!((office.states(), office.bank.refunds()), (vec![], vec![]));

    let shadow = Registry::builder()
        .tools(tools![empty])
        .state(Arc::clone(&office.bank))
        .ledger(Arc::clone(&office.ledger))
        .dry_run()
        .build()
        .unwrap();
    let outcome = RegistryOf(shadow).call("empty", "{}");
    assert_eq!(outcome.text(), "dry run: every check was passed and nothing ran. It would take 0.",);
    office.bank.is_frozen.store(true, Ordering::SeqCst);
    let outcome = view.dispatch_blocking(call, Options::default().dry_run()).unwrap();
    assert_eq!(outcome.status(), Status::Rejected);
}

#[test]
fn a_principal_can_not_flood_the_people_who_decide() {
    let office = office();
    let registry = Registry::builder()
        .tools(tools![refund])
        .state(Arc::clone(&office.bank))
        .ledger(Arc::clone(&office.ledger))
        .ledger_settings(Settings { most_parked: 2, ..Settings::default() })
        .build()
        .unwrap();
    let outcomes: Vec<(Status, Option<String>)> = (1..=3)
        .map(|order| {
            let arguments = format!(r#"{{"order_id": "O-{order}", "amount": 900}}"#);
            let call = ToolCall::new("call_1", "refund", arguments);
            let view = registry.view(ann());
            let outcome = view.dispatch_blocking(call, Options::default()).unwrap();
            (outcome.status(), outcome.host_note().map(str::to_owned))
        })
        .collect();
    let full = "2 calls of the caller wait for a person".to_owned();
    assert_eq!(
        outcomes,
        [
            (Status::AwaitingApproval, None),
            (Status::AwaitingApproval, None),
            (Status::Unavailable, Some(full)),
        ],
    );
}

#[test]
fn an_approver_in_line_is_asked_once_and_a_finished_call_asks_nobody() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let office = office();
    let registry = Registry::builder()
        .tools(tools![refund])
        .state(Arc::clone(&office.bank))
        .ledger(Arc::clone(&office.ledger))
        .approver(move |_: ApprovalRequest| {
            count.fetch_add(1, Ordering::SeqCst);
            std::future::ready(Decision::Approved)
        })
        .build()
        .unwrap();
    let registry = RegistryOf(registry);
    assert_eq!(registry.call("refund", NINE_HUNDRED).status(), Status::Ok);
    assert_eq!(registry.call("refund", NINE_HUNDRED).status(), Status::Duplicate);
    office.bank.is_frozen.store(true, Ordering::SeqCst);
    assert_eq!(registry.call("refund", NINE_HUNDRED).status(), Status::Duplicate);
    assert_eq!((asked.load(Ordering::SeqCst), office.bank.refunds().len()), (1, 1));
}

#[test]
fn a_tool_that_people_decide_on_needs_a_place_where_its_calls_wait() {
    let messages = |builder: toolkit::RegistryBuilder| {
        let errors = builder.state(Bank::default()).build().unwrap_err();
        errors.iter().map(|error| error.message().to_owned()).collect::<Vec<_>>()
    };
    let no_ledger = "it changes something and there is no ledger, so that a repeated call would \
                     run twice; add `.ledger(…)`, or say `ledger = none(\"…\")` and why that is \
                     right";
    assert_eq!(
        messages(Registry::builder().tools(tools![refund])),
        [
            no_ledger,
            "it needs a person's approval and there is nobody to ask; add `.ledger(…)`, where its \
             calls wait, or `.approver(…)`",
        ],
    );
    let approver = |_: ApprovalRequest| async { Decision::Approved };
    assert_eq!(
        messages(Registry::builder().tools(tools![close]).approver(approver)),
        [
            no_ledger,
            "it needs a person's approval and there is nobody to ask; add `.ledger(…)`, where its \
             calls wait for all who must agree",
        ],
    );
}
