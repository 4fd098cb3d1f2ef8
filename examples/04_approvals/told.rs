//! How a call is told to a person.

use std::io::{self, Write};
use std::time::Duration;

use toolkit::ledger::{DoubtfulCall, HistoryLine, ParkedCall, Timestamp, printable};

/// One line of a list.
pub(crate) fn tell_in_short(
    call: &ParkedCall,
    now: Timestamp,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ParkedCall { id, tool, expires_at, .. } = call;
    let asked_by = asked_by(&call.requester, &call.tenant);
    writeln!(out, "{id}  {tool} for {asked_by}, expires {}", until(*expires_at, now))
}

/// Everything that a person needs to decide.
pub(crate) fn tell(call: &ParkedCall, now: Timestamp, out: &mut dyn Write) -> io::Result<()> {
    let ParkedCall { id, state, asked_at, expires_at, binding, .. } = call;
    writeln!(out, "{id} is {state}")?;
    line(out, "call", &call.rendered)?;
    line(out, "arguments", &printable(&call.arguments))?;
    line(out, "preview", call.preview.as_deref().unwrap_or("none"))?;
    let asked_by = asked_by(&call.requester, &call.tenant);
    line(out, "asked by", &format!("{asked_by}, {}", since(*asked_at, now)))?;
    line(out, "scopes", &printable(&call.scopes.join(", ")))?;
    line(out, "needs", &needs(call))?;
    line(out, "expires", &until(*expires_at, now))?;
    line(out, "binding", &binding.to_string())
}

/// Who must agree, and who did.
fn needs(call: &ParkedCall) -> String {
    let people = if call.quorum == 1 { "person" } else { "people" };
    let mut needs = format!("{} {people} to agree", call.quorum);
    if call.four_eyes {
        let requester = printable(&call.requester);
        needs.extend([", and ", requester.as_str(), " is not one of them"]);
    }
    for (index, vote) in call.votes.iter().enumerate() {
        let before = if index == 0 { "; agreed: " } else { ", " };
        let (by, channel) = (printable(&vote.by), printable(&vote.channel));
        needs.extend([before, by.as_str(), " (", channel.as_str(), ")"]);
    }
    needs
}

/// A call of which nobody knows whether it took effect.
pub(crate) fn tell_doubtful(
    call: &DoubtfulCall,
    now: Timestamp,
    out: &mut dyn Write,
) -> io::Result<()> {
    let DoubtfulCall { doubt, cause, settles_at, .. } = call;
    writeln!(out, "{} is in doubt", doubt.key)?;
    line(out, "call", &call.rendered)?;
    line(out, "arguments", &printable(&call.arguments))?;
    let asked_by = asked_by(&call.requester, &call.tenant);
    line(out, "asked by", &asked_by)?;
    line(out, "since", &since(call.since, now))?;
    line(out, "cause", &printable(cause))?;
    let settled = if *settles_at <= now {
        "yes: the attempt can not take effect any more".to_owned()
    } else {
        format!("no: the attempt can take effect for {} yet", span(settles_at.since(now)))
    };
    line(out, "settled", &settled)?;
    line(out, "doubt", &doubt.to_string())
}

/// One thing that happened.
pub(crate) fn tell_past(past: &HistoryLine, now: Timestamp, out: &mut dyn Write) -> io::Result<()> {
    let HistoryLine { at, actor, event, detail, .. } = past;
    let (actor, when, detail) = (printable(actor), since(*at, now), printable(detail));
    let colon = if detail.is_empty() { "" } else { ": " };
    writeln!(out, "{event} by {actor}, {when}{colon}{detail}")
}

/// Writes a text beside its name, further lines under the first.
fn line(out: &mut dyn Write, name: &str, text: &str) -> io::Result<()> {
    for (index, line) in text.lines().enumerate() {
        writeln!(out, "  {:10}  {line}", if index == 0 { name } else { "" })?;
    }
    Ok(())
}

fn asked_by(requester: &str, tenant: &str) -> String {
    let of = if tenant.is_empty() { "" } else { " of " };
    format!("{}{of}{}", printable(requester), printable(tenant))
}

fn since(then: Timestamp, now: Timestamp) -> String {
    format!("{} ago", span(now.since(then)))
}

fn until(then: Timestamp, now: Timestamp) -> String {
    if then <= now { since(then, now) } else { format!("in {}", span(then.since(now))) }
}

/// A duration in the largest unit of which there are two.
pub(crate) fn span(duration: Duration) -> String {
    const UNITS: [(u64, &str); 3] = [(24 * 60 * 60, "days"), (60 * 60, "h"), (60, "min")];
    let seconds = duration.as_secs();
    let unit = UNITS.into_iter().find(|(length, _)| seconds >= 2 * length);
    let (length, unit) = unit.unwrap_or((1, "s"));
    format!("{} {unit}", seconds / length)
}
