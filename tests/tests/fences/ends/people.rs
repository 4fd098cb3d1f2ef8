//! Calls that a person is asked about.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolkit::Category;
use toolkit::ledger::{Desk, Person};
use toolkit::prelude::*;
use toolkit_tests::call;

use super::office::Office;
use super::ran::look;
use super::{Told, assert_told, end};

/// Closes an account, to which a person must agree.
#[tool(effect = "write", approval(true))]
fn close(account: &str) -> String {
    format!("closed {account}")
}

mod of_today {
    use toolkit::prelude::*;

    /// Closes an account, and tells the press.
    #[tool(effect = "write", approval(true))]
    pub fn close(account: &str) {
        panic!("nothing runs: {account}")
    }
}

mod harmless {
    use toolkit::prelude::*;

    /// Closes an account, which changes nothing any more.
    #[tool(effect = "read")]
    pub fn close(account: &str) {
        panic!("nothing runs: {account}")
    }
}

pub(super) fn people_that_are_asked() -> Vec<Told> {
    let office = Office::new();
    let view = office.view(|builder| builder.tools(tools![close]));
    let desk = Desk::new(Arc::clone(&office.ledger));
    let kim = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
    let closed = |view: &View, account: &str| {
        call(view, "close", &json!({ "account": account }).to_string())
    };
    let resumed = |view: &View, id: &str| view.resume_blocking(id, Options::default()).unwrap();
    let approve = |id: &str| {
        let seen = pollster::block_on(desk.show(id)).unwrap().binding;
        pollster::block_on(desk.approve(&kim, id, &seen)).unwrap();
    };
    let waits = end(
        Status::AwaitingApproval,
        "close waits for a person to agree (approval ID); nothing ran yet. \
         Do not call it again; tell the user that it waits.",
    );
    let waits = waits.of(Category::Permission).waits();
    let overtaken = |why: &str| {
        let text =
            format!("close did not run: {why} since a person was asked. Propose the call again.");
        end(Status::Rejected, &text).of(Category::Business).again()
    };
    let declined = |reason: &str| {
        let text = format!("declined by a person{reason}. Do not retry; tell the user.");
        end(Status::Declined, &text).of(Category::Permission)
    };
    let parked = |account: &str| closed(&view, account).approval_id().unwrap().to_owned();

    let mut told = vec![(closed(&view, "A-1"), waits.clone())];
    let id = parked("A-1");
    told.push((resumed(&view, &id), waits.clone()));
    approve(&id);
    told.push((resumed(&view, &id), end(Status::Ok, "closed A-1").ran()));
    let note = "(done before: this is the first result again, nothing ran now)\nclosed A-1";
    told.push((resumed(&view, &id), end(Status::Duplicate, note).first(Status::Ok)));

    let id = parked("A-2");
    pollster::block_on(desk.decline(&kim, &id, Some("too\u{7} \"late\""))).unwrap();
    told.push((resumed(&view, &id), declined(r#" (too\u{7} \"late\")"#)));
    let id = parked("A-3");
    pollster::block_on(desk.decline(&kim, &id, None)).unwrap();
    told.push((resumed(&view, &id), declined("")));

    let id = parked("A-4");
    office.later(Duration::from_secs(60 * 60));
    let late = "nobody decided on close in time; nothing ran. It was not refused. Tell the user.";
    told.push((resumed(&view, &id), end(Status::Expired, late).of(Category::Permission)));

    let nothing = |id: &str| {
        let text = format!("no call of this caller is known by the approval {id}; nothing ran");
        end(Status::Rejected, &text).of(Category::Validation)
    };
    told.push((resumed(&view, "apr_\u{7}"), nothing(r#""apr_\u{7}""#)));

    let id = parked("A-5");
    let other = office.view(|builder| builder.tools(tools![look]));
    told.push((resumed(&other, &id), overtaken("it is gone")));
    let id = parked("A-6");
    let other = office.view(|builder| builder.tool(Tool::of::<of_today::close>()));
    let rehearsed = other.resume_blocking(&id, Options::default().dry_run()).unwrap();
    told.push((rehearsed, overtaken("it changed")));
    told.push((resumed(&other, &id), overtaken("it changed")));

    // A tool whose calls no ledger keeps; who rehearses changes nothing of what waits.
    let id = parked("A-7");
    let other = office.view(|builder| builder.tool(Tool::of::<harmless::close>()));
    let in_shadow = office.view(|builder| builder.tool(Tool::of::<harmless::close>()).dry_run());
    let rehearsed = other.resume_blocking(&id, Options::default().dry_run()).unwrap();
    told.push((rehearsed, overtaken("it changed")));
    told.push((resumed(&in_shadow, &id), overtaken("it changed")));
    told.push((resumed(&view, &id), waits.clone()));
    told.push((resumed(&other, &id), overtaken("it changed")));
    told.push((resumed(&view, &id), overtaken("it changed")));

    // Arguments that are not written as today's tool would write them.
    let id = parked("A-8");
    office.write_otherwise(&id, r#"{ "account": "A-8" }"#);
    let rehearsed = view.resume_blocking(&id, Options::default().dry_run()).unwrap();
    let other_arguments = "close does not take the arguments as they were shown";
    let invalid = end(Status::Invalid, other_arguments).of(Category::Validation).again();
    told.push((rehearsed, invalid));
    told.push((resumed(&view, &id), overtaken("it takes other arguments")));

    for account in ["A-9", "A-10", "A-11", "A-12"] {
        told.push((closed(&view, account), waits.clone()));
    }
    let unavailable = end(Status::Unavailable, "close was not executed; try again later");
    told.push((
        closed(&view, "A-13"),
        unavailable.of(Category::Transient).again().note("4 calls of the caller wait for a person"),
    ));
    told
}

#[test]
fn a_call_that_waits_for_people_says_how_they_decided() {
    assert_told(people_that_are_asked());
}
