//! A long JSON result as fewer whole rows: a list that is cut in a row is no JSON.

use std::ops::Range;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::problem::Path;

/// What is said of the rows that are left, and how to ask for them: by which parameter, from which
/// number on.
pub(crate) fn left(count: usize, next: Option<(&str, usize)>) -> String {
    let rows = if count == 1 { "row is" } else { "rows are" };
    match next {
        Some((parameter, next)) => format!("{count} {rows} left: {AGAIN}{parameter} {next}"),
        None => format!("{count} {rows} left: ask for fewer, more narrowly"),
    }
}

const AGAIN: &str = "call again with ";

/// What comes after the rows of a `Rows`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    left: usize,
    more: Option<String>,
}

impl Page {
    /// The page that a text is, by what stands around its list.
    fn around(head: &str, tail: &str) -> Option<Self> {
        let rest = tail.strip_prefix(',').filter(|_| head == r#"{"rows":"#)?;
        serde_json::from_str(&format!("{{{rest}")).ok()
    }

    /// The same after a list of which rows are gone.
    fn without(&self, gone: usize) -> String {
        let asked =
            self.more.as_deref().and_then(|more| more.split_once(AGAIN)?.1.rsplit_once(' '));
        let next = asked.and_then(|(parameter, next)| {
            let next: usize = next.parse().ok()?;
            Some((parameter, next.checked_sub(gone)?))
        });
        let count = self.left + gone;
        format!(r#","left":{count},"more":{}}}"#, Value::from(left(count, next)))
    }
}

/// The JSON with as many whole rows of its longest list as so many bytes hold, and whether it is
/// JSON still; none where they do not hold one.
pub(super) fn fewer(json: &str, most: usize) -> Option<(String, bool)> {
    let list = longest_list(json)?;
    let (head, tail) = (json.get(..list.start)?, json.get(list.end..)?);
    let list = json.get(list)?;
    let room = most.checked_sub(head.len())?;
    let (count, ends) = rows(list, room);
    let page = Page::around(head, tail);
    let place = page.is_none().then(|| place(head)).flatten().unwrap_or_default();
    let after = |kept: usize| match &page {
        Some(page) => page.without(count - kept),
        None => format!(
            "{tail}\n({kept} of {count} rows{place} are shown: the result has {} bytes, and at \
             most {most} are shown. {}.)",
            json.len(),
            left(count - kept, None)
        ),
    };
    ends.iter().enumerate().rev().find_map(|(at, end)| {
        let after = after(at + 1);
        let fits = end + 1 + after.len() <= room;
        let kept = list.get(..*end).filter(|_| fits)?;
        Some(([head, kept, "]", &after].concat(), page.is_some()))
    })
}

/// Where a list stands that is a member of the whole.
fn place(head: &str) -> Option<String> {
    let members: Map<String, Value> = serde_json::from_str(&format!("{head}0}}")).ok()?;
    let (name, _) = members.iter().next_back()?;
    Some(format!(" of {}", Path::default().field(name)))
}

/// The brackets and commas of a JSON text, which stand outside of its texts.
fn marks(json: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut is_text, mut is_escaped) = (false, false);
    json.bytes().enumerate().filter(move |(_, byte)| {
        if is_text {
            is_text = is_escaped || *byte != b'"';
            is_escaped = !is_escaped && *byte == b'\\';
            return false;
        }
        is_text = *byte == b'"';
        matches!(byte, b'[' | b']' | b'{' | b'}' | b',')
    })
}

/// The whole, or of an object the longest list among its members.
fn longest_list(json: &str) -> Option<Range<usize>> {
    let depth_of_lists = if json.starts_with('[') { 1 } else { 2 };
    let (mut depth, mut start) = (0, 0);
    let mut longest: Option<Range<usize>> = None;
    for (at, mark) in marks(json) {
        match mark {
            b'[' | b'{' => {
                depth += 1;
                if depth == depth_of_lists {
                    start = at;
                }
            }
            b']' | b'}' => {
                let list = start..at + 1;
                let is_longer = longest.as_ref().is_none_or(|longest| longest.len() < list.len());
                if depth == depth_of_lists && mark == b']' && is_longer {
                    longest = Some(list);
                }
                depth -= 1;
            }
            _ => {}
        }
    }
    longest
}

/// How many rows a list has, and where each of the first ones ends that have so many bytes.
fn rows(list: &str, most: usize) -> (usize, Vec<usize>) {
    let (mut depth, mut count, mut ends) = (0, 0, Vec::new());
    for (at, mark) in marks(list) {
        let ends_row = match mark {
            b'[' | b'{' => {
                depth += 1;
                false
            }
            b']' | b'}' => {
                depth -= 1;
                depth == 0 && list.len() > 2
            }
            _ => depth == 1,
        };
        if ends_row {
            count += 1;
            if at <= most {
                ends.push(at);
            }
        }
    }
    (count, ends)
}
