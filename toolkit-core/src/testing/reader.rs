//! The text rules once more, read by hand: what the arguments gate is compared with.

use crate::limits::Limits;

/// A JSON value with its numbers as they are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// The arguments that a text gives; `None` where it breaks a text rule.
pub(super) fn read(text: &str, limits: &Limits) -> Option<Tree> {
    if text.len() > limits.argument_bytes {
        return None;
    }
    let mut reader = Reader { rest: text, limits, values: 0 };
    reader.space();
    if reader.rest.is_empty() {
        return Some(Tree::Object(Vec::new()));
    }
    let tree = reader.value(0)?;
    match tree {
        _ if !reader.rest.is_empty() => None,
        Tree::Null => Some(Tree::Object(Vec::new())),
        Tree::Object(_) => Some(tree),
        _ => None,
    }
}

struct Reader<'a> {
    rest: &'a str,
    limits: &'a Limits,
    values: usize,
}

impl<'a> Reader<'a> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, word: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    /// A value and the space after it.
    fn value(&mut self, depth: usize) -> Option<Tree> {
        self.values += 1;
        if self.values > self.limits.values {
            return None;
        }
        let is_nested = self.rest.starts_with(['{', '[']);
        if is_nested && depth >= self.limits.depth {
            return None;
        }
        let tree = match self.rest.chars().next()? {
            'n' => self.take("null").map(|()| Tree::Null),
            't' => self.take("true").map(|()| Tree::Bool(true)),
            'f' => self.take("false").map(|()| Tree::Bool(false)),
            '"' => self.text().map(Tree::Text),
            '[' => self.list(depth),
            '{' => self.object(depth),
            _ => self.number().map(|digits| Tree::Number(digits.to_owned())),
        }?;
        self.space();
        Some(tree)
    }

    fn list(&mut self, depth: usize) -> Option<Tree> {
        self.take("[")?;
        self.space();
        let mut items = Vec::new();
        if self.take("]").is_some() {
            return Some(Tree::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(",").is_none() {
                break;
            }
            self.space();
        }
        self.take("]").map(|()| Tree::List(items))
    }

    fn object(&mut self, depth: usize) -> Option<Tree> {
        self.take("{")?;
        self.space();
        let mut members: Vec<(String, Tree)> = Vec::new();
        if self.take("}").is_some() {
            return Some(Tree::Object(members));
        }
        loop {
            let name = self.text()?;
            self.space();
            self.take(":")?;
            self.space();
            let value = self.value(depth + 1)?;
            if members.iter().any(|(earlier, _)| *earlier == name) {
                return None;
            }
            members.push((name, value));
            if self.take(",").is_none() {
                break;
            }
            self.space();
        }
        self.take("}").map(|()| Tree::Object(members))
    }

    fn text(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut text = String::new();
        loop {
            let c = self.character()?;
            match c {
                '"' => return Some(text),
                '\\' => text.push(self.escape()?),
                '\0'..='\u{1f}' => return None,
                _ => text.push(c),
            }
        }
    }

    fn character(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }

    fn escape(&mut self) -> Option<char> {
        Some(match self.character()? {
            c @ ('"' | '\\' | '/') => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let unit = self.unit()?;
                if !(0xd800..0xdc00).contains(&unit) {
                    return char::from_u32(unit);
                }
                self.take("\\u")?;
                let low = self.unit()?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                return char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + low);
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.rest.get(..4)?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        self.take(digits)?;
        u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
    }

    fn number(&mut self) -> Option<&'a str> {
        let start = self.rest;
        let _sign = self.take("-");
        if self.take("0").is_none() {
            self.digits()?;
        }
        if self.take(".").is_some() {
            self.digits()?;
        }
        if self.take("e").or_else(|| self.take("E")).is_some() {
            let _sign = self.take("+").or_else(|| self.take("-"));
            self.digits()?;
        }
        start.get(..start.len() - self.rest.len())
    }

    fn digits(&mut self) -> Option<()> {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let some = rest.len() < self.rest.len();
        self.rest = rest;
        some.then_some(())
    }
}
