//! How many calls run at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{Limits, RegistryBuilder};

#[derive(Default)]
struct Crowd {
    inside: AtomicUsize,
    most: AtomicUsize,
}

impl Crowd {
    async fn visit(&self, time: Duration) {
        let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(inside, Ordering::SeqCst);
        tokio::time::sleep(time).await;
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

const SHORT: Duration = Duration::from_millis(100);

/// Reads, two at a time.
#[tool(effect = "read", concurrency = 2)]
async fn read(#[state] crowd: &Crowd) {
    crowd.visit(SHORT).await;
}

/// Reads, as many as there are.
#[tool(effect = "read")]
async fn browse(#[state] crowd: &Crowd) {
    crowd.visit(SHORT).await;
}

/// Writes, one at a time.
#[tool(effect = "write", concurrency = 1)]
async fn write(#[state] crowd: &Crowd, number: usize) {
    crowd.visit(SHORT + Duration::from_micros(number as u64)).await;
}

/// Counts, in the thread that calls it.
#[tool(effect = "read", concurrency = 1)]
fn count() -> usize {
    1
}

fn building(crowd: &Arc<Crowd>, at_once: usize) -> RegistryBuilder {
    Registry::builder()
        .tools(tools![read, browse, write, count])
        .state(Arc::clone(crowd))
        .ledger(MemoryLedger::new())
        .limits(Limits { at_once, ..Limits::default() })
}

async fn all(view: &View, tool: &str, calls: usize) -> Vec<Status> {
    let running: Vec<_> = (0..calls)
        .map(|number| {
            let arguments = if tool == "write" { json!({"number": number}) } else { json!({}) };
            let call = ToolCall::from_value(number.to_string(), tool, arguments);
            let view = view.clone();
            tokio::spawn(
                async move { view.dispatch(call, Options::default()).await.unwrap().status() },
            )
        })
        .collect();
    let mut statuses = Vec::new();
    for running in running {
        statuses.push(running.await.unwrap());
    }
    statuses
}

#[tokio::test(start_paused = true)]
async fn calls_wait_for_their_turn_where_somebody_wakes_them() {
    for (tool, at_once, most) in
        [("read", 64, 2), ("browse", 3, 3), ("write", 64, 1), ("read", 1, 1)]
    {
        let crowd = Arc::new(Crowd::default());
        let registry = building(&crowd, at_once).timer(tokio::time::sleep).build().unwrap();
        let view = registry.view(Caller::new("ann"));
        assert_eq!(all(&view, tool, 10).await, [Status::Ok; 10], "{tool}");
        assert_eq!(crowd.most(), most, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_waits_longer_than_the_tool_may_take_is_told_to_come_back() {
    let crowd = Arc::new(Crowd::default());
    let registry = building(&crowd, 64)
        .timer(tokio::time::sleep)
        .timeout(SHORT * 2 + SHORT / 2)
        .build()
        .unwrap();
    let statuses = all(&registry.view(Caller::new("ann")), "write", 5).await;
    let done = statuses.iter().filter(|status| **status == Status::Ok).count();
    assert_eq!((done, crowd.most()), (3, 1), "{statuses:?}");
    let late = statuses.iter().filter(|status| **status == Status::Unavailable).count();
    assert_eq!(late, 2, "{statuses:?}");
}

#[tokio::test(start_paused = true)]
async fn without_a_timer_nobody_waits_for_ever() {
    let crowd = Arc::new(Crowd::default());
    let registry = building(&crowd, 3).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let mut statuses = all(&view, "browse", 5).await;
    statuses.sort();
    let expected = [[Status::Ok; 3].as_slice(), &[Status::Unavailable; 2]].concat();
    assert_eq!(statuses, expected);
    assert_eq!(all(&view, "browse", 3).await, [Status::Ok; 3], "every place is free again");
    assert_eq!(all(&view, "count", 3).await, [Status::Ok; 3]);
}

/// Says hello, which is done when it returns.
#[tool(effect = "read")]
fn greet() -> &'static str {
    "hello"
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_nothing_is_let_through_a_full_house_with_a_time_to_end_as_well() {
    let crowd = Arc::new(Crowd::default());
    let house = || building(&crowd, 1).tools(tools![greet]).timer(tokio::time::sleep);
    for registry in [house().build(), house().timeout(SHORT * 9).build()] {
        let view = registry.unwrap().view(Caller::new("ann"));
        let visitor = view.clone();
        let visit = tokio::spawn(async move { all(&visitor, "browse", 1).await });
        while crowd.inside.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let greeted = view.dispatch(ToolCall::new("1", "greet", "{}"), Options::default()).await;
        let greeted = greeted.unwrap();
        let inside = crowd.inside.load(Ordering::SeqCst);
        assert_eq!((greeted.status(), greeted.text(), inside), (Status::Ok, "hello", 1));
        assert_eq!(visit.await.unwrap(), [Status::Ok]);
    }
}

#[derive(Default)]
struct Door {
    is_inside: AtomicBool,
    opens: AtomicBool,
}

/// Stays in the thread that calls it until the door opens.
#[tool(effect = "read", concurrency = 1)]
fn stay(#[state] door: &Door) {
    // A second one that is let in goes by.
    let is_second = door.is_inside.swap(true, Ordering::SeqCst);
    while !is_second && !door.opens.load(Ordering::SeqCst) {
        thread::yield_now();
    }
}

#[test]
fn a_function_that_waits_for_nothing_takes_its_place_as_well() {
    let door = Arc::new(Door::default());
    let registry = Registry::builder().tools(tools![stay]).state(Arc::clone(&door)).build();
    let view = registry.unwrap().view(Caller::new("ann"));
    let called = || view.dispatch_blocking(ToolCall::new("1", "stay", "{}"), Options::default());
    thread::scope(|scope| {
        let first = scope.spawn(called);
        while !door.is_inside.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        let second = called();
        door.opens.store(true, Ordering::SeqCst);
        assert_eq!(second.unwrap().status(), Status::Unavailable);
        assert_eq!(first.join().unwrap().unwrap().status(), Status::Ok);
    });
    assert_eq!(called().unwrap().status(), Status::Ok);
}

#[test]
fn bounds_of_no_size_are_found_when_the_registry_is_built() {
    let tool = Tool::dynamic("none", "Does.", json!({}), |_, _| async { Ok::<_, ToolError>(()) })
        .concurrency(0)
        .result_limit(3);
    let limits = Limits { at_once: 0, result_bytes: 10, ..Limits::default() };
    let errors = Registry::builder().tool(tool).limits(limits).build().unwrap_err();
    assert_eq!(
        errors.iter().map(ToolConfigError::message).collect::<Vec<_>>(),
        [
            "`Limits::result_bytes` is 10; at least 256 are needed to say that a result was cut",
            "`Limits::at_once` is 0, so that no call would run",
            "its concurrency is 0, so that no call would run",
            "its result limit is 3 bytes; at least 256 are needed to say that a result was cut",
        ],
    );
}
