//! Instructions where valgrind is found, else the least time of many rounds.

use std::pin::pin;
use std::process::Command;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use toolkit::{Abort, Outcome};

use crate::Figure;

/// Does the work once; what it gives is kept from being optimised away.
pub(crate) type Contender = Box<dyn Fn() -> usize>;

/// The argument that makes this program run one contender alone.
pub(crate) const INNER: &str = "--inner";

const CALLS: u32 = 10;

/// Runs a dispatch in which nothing is awaited.
#[inline]
pub(crate) fn answered(dispatch: impl Future<Output = Result<Outcome, Abort>>) -> Outcome {
    let polled = pin!(dispatch).poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(outcome) = polled else { panic!("nothing is awaited") };
    outcome.expect("no abort")
}

/// Runs one that comes out right; the length of what the model reads.
pub(crate) fn dispatched(dispatch: impl Future<Output = Result<Outcome, Abort>>) -> usize {
    let outcome = answered(dispatch);
    assert!(!outcome.is_error(), "{}", outcome.text());
    outcome.text().len()
}

/// The unit, the contender and the floor, each for one call.
pub(crate) fn both(figure: &Figure) -> (&'static str, f64, f64) {
    let counts = (instructions(&figure.name, "contender"), instructions(&figure.name, "floor"));
    if let (Some(contender), Some(floor)) = counts {
        return ("instructions", contender, floor);
    }
    let (mut contender, mut floor) = (f64::MAX, f64::MAX);
    for _ in 0..200 {
        contender = contender.min(nanoseconds(&figure.contender));
        floor = floor.min(nanoseconds(&figure.floor));
    }
    ("least nanoseconds", contender, floor)
}

fn nanoseconds(contender: &Contender) -> f64 {
    const ROUNDS: u32 = 1_000;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        std::hint::black_box(contender());
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS)
}

/// Instructions of one call, as callgrind counts them inside `counted_region` alone.
fn instructions(figure: &str, part: &str) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--toggle-collect=*counted_region*",
        ])
        .arg(program)
        .args([INNER, &format!("{figure}/{part}")])
        .output()
        .ok()?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected = report.lines().find_map(|line| line.split_once("Collected : "))?.1;
    let count: f64 = collected.split_whitespace().next()?.parse().ok()?;
    (count > 0.0).then_some(count / f64::from(CALLS))
}

/// Warms a contender up, then runs it where the instructions are counted.
pub(crate) fn counted(contender: &Contender) {
    for _ in 0..2 {
        std::hint::black_box(contender());
    }
    std::hint::black_box(counted_region(contender));
}

#[inline(never)]
fn counted_region(contender: &Contender) -> usize {
    (0..CALLS).map(|_| contender()).sum()
}
