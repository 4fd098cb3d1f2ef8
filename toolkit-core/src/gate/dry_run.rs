//! Gate 6: a rehearsal ends here, and tells what would run.

use super::Way;
use crate::call::Outcome;
use crate::problem::{cut, printable};
use crate::tool::{Rule, Rules, Said, Stopped};

pub(super) async fn stop(way: &Way<'_>, rules: &dyn Rules) -> Result<(), Stopped> {
    if !way.is_rehearsal {
        return Ok(());
    }
    let told = if let Said::Preview(told) = rules.said(Rule::Preview).await? {
        let text = told.map_err(Stopped::Failed)?;
        shown(&text, way.house.limits.report_bytes)
    } else {
        let arguments = way.canonical().map_or("", |canonical| canonical.told_text());
        format!("{} would run with {}", way.entry.tool.name, printable(arguments))
    };
    Err(Stopped::Refused(Box::new(Outcome::dry_run(&told))))
}

/// What a tool's author wrote, with everything that does not print escaped, and cut.
pub(super) fn shown(text: &str, bytes: usize) -> String {
    let lines: Vec<String> = text.lines().map(printable).collect();
    let text = lines.join("\n");
    let start = cut(&text, bytes);
    if start.len() < text.len() { format!("{start}…") } else { text }
}
