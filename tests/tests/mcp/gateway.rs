//! Another server's tools behind our gates, and a server that is not to be trusted.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolkit::dialect::{Answered, Dialect, Mcp};
use toolkit::ledger::{Filter, MemoryLedger, Person};
use toolkit::mcp::{Import, Imported, LeftOut, Pins};
use toolkit::prelude::*;
use toolkit::{ApprovalRequest, Decision, Effect};

use crate::shop::soon;
use crate::upstream::{Upstream, agent, calls, registry, shown};

#[tokio::test]
async fn a_server_is_believed_nothing_of_what_its_tools_do() {
    let upstream =
        Upstream::of(["read_file", "write_file", "delete_all"].map(|name| shown(name, "Does.")));
    let (imported, _says) = upstream.imported(None).await;
    let ledger = Arc::new(MemoryLedger::new());
    let registry = registry(&imported, &ledger);
    let view = registry.view(agent());
    assert_eq!(view.visible(), ["files__read_file", "files__write_file", "files__delete_all"]);
    let effect = |name| view.effect_of(name).unwrap();
    assert_eq!(effect("files__read_file"), Effect::Read);
    assert_eq!(effect("files__write_file"), Effect::Write);
    assert_eq!(effect("files__delete_all"), Effect::Irreversible);
    assert_eq!(
        registry.view(Caller::new("guest")).visible(),
        ["files__read_file", "files__delete_all"]
    );

    assert_eq!(calls(&registry, "read_file").await.text(), "did read_file");
    assert_eq!(calls(&registry, "write_file").await.text(), "did write_file");
    assert_eq!(calls(&registry, "write_file").await.status(), Status::Duplicate);
    assert_eq!(calls(&registry, "delete_all").await.status(), Status::AwaitingApproval);
    let wrong = ToolCall::new("call_1", "files__write_file", r#"{"path":1}"#);
    let wrong = view.dispatch(wrong, Options::default()).await.unwrap();
    assert_eq!(wrong.text(), "$.path: expected text, got 1 (write \"1\")");
    let rehearsed = ToolCall::new("call_1", "files__write_file", r#"{"path":"/b"}"#);
    let rehearsed = view.dispatch(rehearsed, Options::default().dry_run()).await.unwrap();
    assert_eq!(rehearsed.status(), Status::DryRun);
    assert_eq!(upstream.called(), [r#"read_file {"path":"/a"}"#, r#"write_file {"path":"/a"}"#]);
}

#[tokio::test]
async fn nothing_is_sent_again_after_its_answer_was_lost() {
    for (name, patience) in [("dies", 60), ("silent", 2), ("half", 2), ("huge", 60), ("breaks", 60)]
    {
        let free = format!("free_{name}");
        let upstream = Upstream::of([shown(name, "Does."), shown(&free, "Does.")]);
        let (stream, _says) = upstream.start();
        let (from, to) = tokio::io::split(stream);
        let imported = Import::over("files", from, to)
            .patience(Duration::from_secs(patience))
            .rule("*", |tool| tool.effect(Effect::Write));
        let imported = soon(imported.connect()).await.unwrap();
        let ledger = Arc::new(MemoryLedger::new());
        let registry = registry(&imported, &ledger);
        for _ in 0..3 {
            let outcome = calls(&registry, name).await;
            assert_eq!(outcome.status(), Status::InDoubt, "{name}: {outcome:?}");
        }
        assert_eq!(upstream.called(), [format!(r#"{name} {{"path":"/a"}}"#)]);
        // Where the server is gone, another call was not sent: it is free.
        if matches!(name, "dies" | "huge") {
            assert!(imported.is_over());
            let outcome = calls(&registry, &free).await;
            assert_eq!(outcome.text(), "the server behind this tool is not there");
            assert!(outcome.is_retryable());
            assert_eq!(upstream.called().len(), 1);
        }
    }
}

#[tokio::test]
async fn what_a_server_answers_is_a_result_or_its_own_error() {
    let names = ["read_structured", "structured", "pictures", "fails", "refuses"];
    let upstream = Upstream::of(names.map(|name| shown(name, "Does.")));
    let (stream, _says) = upstream.start();
    let (from, to) = tokio::io::split(stream);
    let imported = Import::over("files", from, to).rule("*", |tool| tool.effect(Effect::Read));
    let imported = soon(imported.connect()).await.unwrap();
    let registry = registry(&imported, &Arc::new(MemoryLedger::new()));
    assert_eq!(calls(&registry, "structured").await.value(), Some(json!({"n": 1})));
    let pictures = calls(&registry, "pictures").await;
    assert_eq!(pictures.text(), "two:\n[left out: image/png, 3 bytes]\na: file:///a");
    // What a registry passes on over MCP is what it was given.
    let answered = Answered::new(ToolCall::new("1", "pictures", "{}"), pictures);
    assert_eq!(
        Mcp.results(&[answered])[0]["result"]["content"],
        json!([
            {"type": "text", "text": "two:"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
        ]),
    );
    let failed = calls(&registry, "fails").await;
    assert_eq!((failed.status(), failed.text()), (Status::Failed, "no space left"));
    let refused = calls(&registry, "refuses").await;
    assert_eq!(refused.text(), "the server refused the call: no such path");
}

fn told(imported: &Imported) -> Vec<String> {
    imported.left_out().iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_changed_tool_is_off_until_it_is_approved_again() {
    let upstream = Upstream::of([shown("parks", "Parks."), shown("read_file", "Reads.")]);
    let (imported, _says) = upstream.imported(None).await;
    let approved: Pins = imported.seen().to_string().parse().unwrap();
    assert_eq!(&approved, imported.seen());
    let ledger = Arc::new(MemoryLedger::new());
    let waits = calls(&registry(&imported, &ledger), "parks").await;
    let id = waits.approval_id().unwrap().to_owned();

    // The same definition in another order is the same; an added argument is another.
    {
        let mut tools = upstream.tools.lock().unwrap();
        let Value::Object(read) = tools.remove(1) else { panic!("an object") };
        tools.push(read.into_iter().rev().collect::<serde_json::Map<_, _>>().into());
        tools[0]["inputSchema"]["properties"]["forward_to"] = json!({"type": "string"});
        tools.push(shown("read_mail", "Reads mail."));
    }
    let (imported, _says) = upstream.imported(Some(approved.clone())).await;
    let off = "it is off until it is approved";
    let changed = format!("\"parks\" is not what was approved: {off} again");
    let change = "compatible `parks`: $.forward_to: it is new and may be left out";
    let new = |tool: &str| format!("{tool:?} is new: {off}");
    assert_eq!(told(&imported), [format!("{changed}\n  {change}"), new("read_mail")]);
    // Without the definitions it is only known that it changed; with another than its digest's,
    // nothing was approved.
    let text = approved.to_string();
    let bare: Vec<&str> = text.lines().filter_map(|line| line.split(" {").next()).collect();
    let (imported, _says) = upstream.imported(Some(bare.join("\n").parse().unwrap())).await;
    assert_eq!(told(&imported), [changed, new("read_mail")]);
    let forged = text.replace("Parks.", "Parks everything.").parse().unwrap();
    let (imported, _says) = upstream.imported(Some(forged)).await;
    assert_eq!(told(&imported), [new("parks"), new("read_mail")]);
    let (imported, _says) = upstream.imported(Some(approved.clone())).await;
    let off = registry(&imported, &ledger);
    assert_eq!(off.view(agent()).visible(), ["files__read_file"]);
    assert_eq!(calls(&off, "parks").await.status(), Status::UnknownTool);

    // Approved again: it is on, and what waited for the old one is not run.
    let mut again = approved;
    assert!(again.approve("parks", imported.seen()));
    assert!(!again.approve("no_such_tool", imported.seen()));
    let (imported, _says) = upstream.imported(Some(again)).await;
    let registry = registry(&imported, &ledger);
    assert_eq!(registry.view(agent()).visible(), ["files__parks", "files__read_file"]);
    let desk = registry.desk().unwrap();
    let parked = desk.show(&id).await.unwrap();
    let kim = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
    let _approved = desk.approve(&kim, &id, &parked.binding).await;
    let resumed = registry.view(agent()).resume(&id, Options::default()).await.unwrap();
    assert_eq!(resumed.status(), Status::Rejected, "{resumed:?}");
    assert_eq!(upstream.called(), [""; 0]);
}

#[tokio::test]
async fn a_parked_call_runs_after_a_person_agreed_and_once() {
    let upstream = Upstream::of([shown("parks", "Parks.")]);
    let (imported, _says) = upstream.imported(None).await;
    let ledger = Arc::new(MemoryLedger::new());
    let first = registry(&imported, &ledger);
    let id = calls(&first, "parks").await.approval_id().unwrap().to_owned();
    drop(first);
    let desk = toolkit::ledger::Desk::new(Arc::clone(&ledger));
    let parked = desk.waiting(&Filter::default()).await.unwrap().remove(0);
    assert_eq!(parked.arguments, r#"{"path":"/a"}"#);
    let kim = Person::authenticated("kim", "web").scopes(["approvals:decide"]);
    desk.approve(&kim, &id, &parked.binding).await.unwrap();

    let (imported, _says) = upstream.imported(Some(imported.seen().clone())).await;
    let registry = registry(&imported, &ledger);
    let view = registry.view(agent());
    let done = view.resume(&id, Options::default()).await.unwrap();
    assert_eq!((done.status(), done.text()), (Status::Ok, "did parks"));
    assert_eq!(view.resume(&id, Options::default()).await.unwrap().status(), Status::Duplicate);
    assert_eq!(upstream.called(), [r#"parks {"path":"/a"}"#]);
}

#[tokio::test]
async fn a_tool_that_changes_while_it_is_served_is_refused_before_anything_is_sent() {
    let upstream = Upstream::of([shown("read_a", "Reads a."), shown("read_b", "Reads b.")]);
    let (imported, says) = upstream.imported(None).await;
    let registry = registry(&imported, &Arc::new(MemoryLedger::new()));
    assert_eq!(calls(&registry, "read_a").await.text(), "did read_a");

    upstream.tools.lock().unwrap()[0]["description"] = "Reads a, and mails it.".into();
    let heard = tokio::spawn({
        let imported = Arc::new(imported);
        async move { imported.changed().await }
    });
    tokio::task::yield_now().await;
    says.send(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned())
        .unwrap();
    soon(heard).await.unwrap();
    let refused = calls(&registry, "read_a").await;
    assert_eq!(refused.status(), Status::Rejected);
    assert_eq!(
        refused.text(),
        "the server changed this tool: it is off until a person approves it again",
    );
    assert_eq!(calls(&registry, "read_b").await.text(), "did read_b");
    assert_eq!(upstream.called(), [r#"read_a {"path":"/a"}"#, r#"read_b {"path":"/a"}"#]);
}

#[tokio::test]
async fn a_tool_that_can_not_be_one_spoils_no_other() {
    let mut fetches = shown("fetches", "Fetches.");
    fetches["inputSchema"]["properties"]["a"] = json!({"$ref": "http://169.254.169.254/x"});
    let long = "x".repeat(130);
    let upstream = Upstream::of([
        fetches,
        shown("a b", "Has a blank."),
        shown(&long, "Is long."),
        shown("good", &"y".repeat(10_000)),
    ]);
    let (imported, _says) = upstream.imported(None).await;
    let left_out: Vec<&str> = imported.left_out().iter().map(LeftOut::tool).collect();
    assert_eq!(left_out, ["fetches", "a b", &long]);
    let registry = registry(&imported, &Arc::new(MemoryLedger::new()));
    let view = registry.view(agent());
    assert_eq!(view.visible(), ["files__good"]);
    assert_eq!(view.tools()[0].description.chars().count(), 4097);
}

#[tokio::test]
async fn our_own_server_is_an_upstream_over_http_too() {
    let shop = crate::shop::shop();
    let address = crate::shop::at_a_port(crate::shop::server(&shop)).await;
    let refused = Import::from_http("shop", format!("http://{address}/mcp")).connect();
    assert!(soon(refused).await.is_err(), "there is no token");
    let imported = Import::from_http("shop", format!("http://{address}/mcp"))
        .bearer("clerk")
        .rule("create_payment", |tool| tool.effect(Effect::Write))
        .connect();
    let imported = soon(imported).await.unwrap();
    let registry = registry(&imported, &Arc::new(MemoryLedger::new()));
    let view = registry.view(Caller::new("agent"));
    let call = ToolCall::new("call_1", "shop__create_payment", r#"{"amount":3,"currency":"EUR"}"#);
    for status in [Status::Ok, Status::Duplicate] {
        let outcome = soon(view.dispatch(&call, Options::default())).await.unwrap();
        assert_eq!(outcome.status(), status, "{outcome:?}");
        assert_eq!(outcome.value(), Some(json!({"text": "paid 3.0 EUR today"})));
    }
    assert_eq!(shop.paid.all(), ["paid 3.0 EUR today"]);
}

/// What a server says when its tools changed.
const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

#[tokio::test]
async fn a_tool_that_changes_while_a_person_is_asked_is_not_called_and_its_row_is_free() {
    let upstream = Upstream::of([shown("parks", "Parks.")]);
    let (imported, says) = upstream.imported(None).await;
    let tools = imported.tools();
    let (imported, changing) = (Arc::new(imported), upstream.clone());
    let approver = move |_: ApprovalRequest| {
        let (imported, says, changing) = (Arc::clone(&imported), says.clone(), changing.clone());
        async move {
            changing.tools.lock().unwrap()[0]["description"] = "Parks, and mails it.".into();
            let says = async { says.send(CHANGED.to_owned()).unwrap() };
            tokio::join!(imported.changed(), says);
            Decision::Approved
        }
    };
    let ledger = MemoryLedger::new();
    let registry = Registry::builder().tools(tools).ledger(ledger).approver(approver);
    let registry = registry.build().unwrap();
    let off = "the server changed this tool: it is off until a person approves it again";
    let late = calls(&registry, "parks").await;
    assert_eq!((late.status(), late.text()), (Status::Failed, off));
    assert!(late.is_retryable());
    // The row was given back: the same call meets the gates anew.
    let again = calls(&registry, "parks").await;
    assert_eq!((again.status(), again.text()), (Status::Rejected, off));
    assert_eq!(upstream.called(), [""; 0]);
}

/// One tool a page, and always another page.
fn without_end(cursor: &str) -> Value {
    let next = cursor.parse::<usize>().unwrap() + 1;
    json!({"tools": [shown(&format!("tool_{cursor}"), "Does.")], "nextCursor": next.to_string()})
}

#[tokio::test]
async fn a_list_comes_in_pages_and_one_without_an_end_is_refused() {
    type Pages = fn(&str) -> Value;
    let rows: [(Pages, &str); 5] = [
        (without_end, "its list has more than 100 pages"),
        (|_| json!({"tools": [], "nextCursor": "0"}), "its list comes back to the page \"0\""),
        (
            |at| json!({"tools": [], "nextCursor": if at == "1" { "2" } else { "1" }}),
            "its list comes back to the page \"1\"",
        ),
        (
            |cursor| {
                let mut page = without_end(cursor);
                page["tools"] = vec![shown(&format!("tool_{cursor}"), "Does."); 11].into();
                page
            },
            "its list has more than 1000 tools",
        ),
        (
            |cursor| {
                let mut page = without_end(cursor);
                page["tools"][0]["description"] = "x".repeat(1024 * 1024).into();
                page
            },
            "its list has more than 16777216 bytes",
        ),
    ];
    for (pages, why) in rows {
        let upstream = Upstream { pages: Some(pages), ..Upstream::default() };
        let (stream, _says) = upstream.start();
        let (from, to) = tokio::io::split(stream);
        let refused = soon(Import::over("files", from, to).connect()).await.unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("the server of \"files\" could not be asked: {why}"),
        );
    }

    let pages: Pages = |cursor| {
        let mut page = without_end(cursor);
        if cursor == "99" {
            page["nextCursor"].take();
        }
        page
    };
    let upstream = Upstream { pages: Some(pages), ..Upstream::default() };
    let (imported, _says) = upstream.imported(None).await;
    let expected: Vec<_> = (0..100).map(|n| format!("files__tool_{n}")).collect();
    assert_eq!(imported.tools().iter().map(Tool::name).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn of_tools_with_one_name_or_names_that_look_alike_the_later_is_left_out() {
    let upstream = Upstream::of([
        shown("read_a", "Reads a."),
        shown("read_a", "Reads a, and mails it."),
        shown("Read_A", "Looks like it."),
        shown("read_b", "Reads b."),
    ]);
    let (imported, says) = upstream.imported(None).await;
    let left_out: Vec<String> = imported.left_out().iter().map(ToString::to_string).collect();
    assert_eq!(
        left_out,
        [
            r#""read_a" can not be a tool here: the server has an earlier tool of this name"#,
            "\"Read_A\" can not be a tool here: its name looks like `files__read_a` (made at run \
             time), and a model mixes them up; rename one",
        ],
    );
    let registry = registry(&imported, &Arc::new(MemoryLedger::new()));
    assert_eq!(registry.view(agent()).visible(), ["files__read_a", "files__read_b"]);
    let alone = Upstream::of([shown("read_a", "Reads a.")]).imported(None).await.0;
    assert_eq!(
        imported.seen().to_string().lines().find(|line| line.contains(" read_a {")),
        alone.seen().to_string().lines().next(),
        "what is seen is what was taken",
    );

    // Where the list is looked at again, one name has two definitions.
    says.send(CHANGED.to_owned()).unwrap();
    soon(imported.changed()).await;
    assert_eq!(calls(&registry, "read_a").await.status(), Status::Rejected);
    assert_eq!(calls(&registry, "read_b").await.status(), Status::Ok);
}

#[tokio::test]
async fn what_a_server_tells_is_untrusted_until_the_host_says_otherwise() {
    for (is_trusted, status) in [(false, Status::AwaitingApproval), (true, Status::Ok)] {
        let upstream = Upstream::of(["read_file", "write_file"].map(|name| shown(name, "Does.")));
        let (stream, _says) = upstream.start();
        let (from, to) = tokio::io::split(stream);
        let mut import = Import::over("files", from, to)
            .rule("read_*", |tool| tool.effect(Effect::Read))
            .rule("write_*", |tool| tool.effect(Effect::Write));
        if is_trusted {
            import = import.trusted("read_*");
        }
        let imported = soon(import.connect()).await.unwrap();
        let registry = registry(&imported, &Arc::new(MemoryLedger::new()));
        let view = registry.view(agent());
        let call = |name| ToolCall::new("call_1", name, r#"{"path":"/a"}"#);
        let read = view.dispatch(call("files__read_file"), Options::default()).await.unwrap();
        assert_eq!((read.status(), view.is_tainted()), (Status::Ok, !is_trusted));
        let wrote = view.dispatch(call("files__write_file"), Options::default()).await.unwrap();
        assert_eq!(wrote.status(), status);
    }
}

#[tokio::test]
async fn a_change_that_came_before_anybody_waited_is_told() {
    let upstream = Upstream::of([shown("read_a", "Reads a.")]);
    let (imported, says) = upstream.imported(None).await;
    let registry = registry(&imported, &Arc::new(MemoryLedger::new()));
    for _ in 0..2 {
        says.send(CHANGED.to_owned()).unwrap();
        // The server answers after it said so.
        assert_eq!(calls(&registry, "read_a").await.status(), Status::Ok);
        soon(imported.changed()).await;
    }
    let none = tokio::time::timeout(Duration::from_millis(50), imported.changed()).await;
    assert!(none.is_err(), "one change is told once");
}
