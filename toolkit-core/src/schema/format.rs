//! `format`: our own reading of the formats that the field agrees on.

/// A format that is asserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Date,
    Time,
    DateTime,
    Duration,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Uri,
    UriReference,
    Uuid,
    Regex,
    JsonPointer,
}

impl Format {
    /// Every format, by its name.
    pub(crate) const ALL: [(&'static str, Self); 13] = [
        ("date", Self::Date),
        ("time", Self::Time),
        ("date-time", Self::DateTime),
        ("duration", Self::Duration),
        ("email", Self::Email),
        ("hostname", Self::Hostname),
        ("ipv4", Self::Ipv4),
        ("ipv6", Self::Ipv6),
        ("uri", Self::Uri),
        ("uri-reference", Self::UriReference),
        ("uuid", Self::Uuid),
        ("regex", Self::Regex),
        ("json-pointer", Self::JsonPointer),
    ];

    /// The format of that name; any other name is an annotation.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(of, _)| *of == name).map(|(_, format)| format)
    }

    /// What a right value looks like, for a model.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Date => "date as YYYY-MM-DD",
            Self::Time => "time with offset as HH:MM:SSZ or HH:MM:SS+01:00",
            Self::DateTime => "date and time with offset as YYYY-MM-DDTHH:MM:SSZ",
            Self::Duration => "duration as in ISO 8601, like P3DT4H or PT30M",
            Self::Email => "e-mail address like name@example.com",
            Self::Hostname => "host name like api.example.com",
            Self::Ipv4 => "IPv4 address like 192.0.2.1",
            Self::Ipv6 => "IPv6 address like 2001:db8::1",
            Self::Uri => "URI with a scheme, like https://example.com/a",
            Self::UriReference => "URI or relative reference, like /a/b",
            Self::Uuid => "UUID like 123e4567-e89b-12d3-a456-426614174000",
            Self::Regex => "regular expression",
            Self::JsonPointer => "JSON Pointer like /a/0, or empty",
        }
    }

    /// Texts of the format.
    pub(crate) const fn samples(self) -> &'static [&'static str] {
        match self {
            Self::Date => &["2026-11-30", "2024-02-29"],
            Self::Time => &["10:00:00Z", "10:00:00.5+01:00"],
            Self::DateTime => &["2026-11-30T06:56:00Z", "2026-11-30T06:56:00.25+01:00"],
            Self::Duration => &["PT30M", "P3DT4H", "P1W"],
            Self::Email => &["name@example.com", "a.b+c@example.com"],
            Self::Hostname => &["api.example.com", "localhost"],
            Self::Ipv4 => &["192.0.2.1", "127.0.0.1"],
            Self::Ipv6 => &["2001:db8::1", "::"],
            Self::Uri => &["https://example.com/a", "urn:isbn:1"],
            Self::UriReference => &["/a/b", "../x"],
            Self::Uuid => &["123e4567-e89b-12d3-a456-426614174000"],
            Self::Regex => &["^a+$", "x"],
            Self::JsonPointer => &["/a/0", "/a~1b"],
        }
    }

    /// Whether the text is of the format.
    pub(crate) fn accepts(self, text: &str) -> bool {
        match self {
            Self::Date => date(text),
            Self::Time => time(text),
            Self::DateTime => date_time(text),
            Self::Duration => duration(text),
            Self::Email => email(text),
            Self::Hostname => hostname(text),
            Self::Ipv4 => text.parse::<std::net::Ipv4Addr>().is_ok(),
            Self::Ipv6 => !text.contains('%') && text.parse::<std::net::Ipv6Addr>().is_ok(),
            Self::Uri => uri(text),
            Self::UriReference => uri_characters(text),
            Self::Uuid => uuid(text),
            Self::Regex => super::pattern::is_regex(text),
            Self::JsonPointer => json_pointer(text),
        }
    }
}

/// A date, with the days that its month has.
const DATE: &str = "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|\
                    (0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|\
                    ([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)";

/// A time of day; types that read one hold nanoseconds.
const TIME: &str = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?";

/// The formats of times without an offset, which JSON Schema has none for: each as a pattern.
pub(super) fn local(format: &str) -> Option<String> {
    match format {
        "partial-time" => Some(format!("^{TIME}$")),
        "partial-date-time" => Some(format!("^{DATE}T{TIME}$")),
        _ => None,
    }
}

/// What a pattern matches, in words.
pub(crate) fn pattern_words(pattern: &str) -> String {
    let is = |format| local(format).is_some_and(|local| local == pattern);
    if is("partial-time") {
        "time as HH:MM:SS".to_owned()
    } else if is("partial-date-time") {
        "date and time as YYYY-MM-DDTHH:MM:SS".to_owned()
    } else {
        format!("text matching {pattern}")
    }
}

/// The number that exactly `width` ASCII digits write.
fn digits(text: &str, width: usize) -> Option<u32> {
    let all = text.len() == width && text.bytes().all(|b| b.is_ascii_digit());
    if all { text.parse().ok() } else { None }
}

fn date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return false };
    let digits = [y1, y2, y3, y4, m1, m2, d1, d2].map(|digit| digit.wrapping_sub(b'0'));
    if digits.iter().any(|digit| *digit > 9) {
        return false;
    }
    let [y1, y2, y3, y4, m1, m2, d1, d2] = digits;
    let (century, years) = (y1 * 10 + y2, y3 * 10 + y4);
    let (month, day) = (m1 * 10 + m2, d1 * 10 + d2);
    let last = || match month {
        4 | 6 | 9 | 11 => 30,
        2 if years % 4 == 0 && (years != 0 || century % 4 == 0) => 29,
        2 => 28,
        _ => 31,
    };
    // Every month has so many days.
    (1..=12).contains(&month) && day >= 1 && (day <= 28 || day <= last())
}

/// Hours and minutes of `HH:MM`, each within the day.
fn hours_minutes(text: &str) -> Option<(u32, u32)> {
    let (hour, minute) = text.split_once(':')?;
    let (hour, minute) = (digits(hour, 2)?, digits(minute, 2)?);
    (hour < 24 && minute < 60).then_some((hour, minute))
}

/// Minutes east of UTC of an RFC 3339 offset.
fn offset(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match (text.strip_prefix('+'), text.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (None, Some(rest)) => (-1, rest),
        (None, None) => return None,
    };
    let (hour, minute) = hours_minutes(rest)?;
    Some(sign * i64::from(hour * 60 + minute))
}

fn time(text: &str) -> bool {
    let Some(at) = text.find(['Z', 'z', '+', '-']) else {
        return false;
    };
    let (clock, zone) = text.split_at(at);
    let Some(offset) = offset(zone) else {
        return false;
    };
    let (clock, fraction) = clock.split_once('.').map_or((clock, None), |(c, f)| (c, Some(f)));
    if fraction.is_some_and(|f| f.is_empty() || !f.bytes().all(|b| b.is_ascii_digit())) {
        return false;
    }
    let Some((minutes, second)) = clock.rsplit_once(':') else {
        return false;
    };
    let (Some((hour, minute)), Some(second)) = (hours_minutes(minutes), digits(second, 2)) else {
        return false;
    };
    // A leap second is the last of a UTC day.
    second < 60
        || (second == 60
            && (i64::from(hour * 60 + minute) - offset).rem_euclid(24 * 60) == 24 * 60 - 1)
}

fn date_time(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(day, clock)| date(day) && time(clock))
}

fn duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else {
        return false;
    };
    if let Some(weeks) = rest.strip_suffix('W') {
        return !weeks.is_empty() && weeks.bytes().all(|b| b.is_ascii_digit());
    }
    let (days, clock) = rest.split_once('T').map_or((rest, None), |(d, c)| (d, Some(c)));
    let days_ok = counted(days, "YMD");
    match clock {
        None => !days.is_empty() && days_ok,
        Some(clock) => !clock.is_empty() && days_ok && counted(clock, "HMS"),
    }
}

/// Whether text is numbers, each before one of the units, the units in order and without a gap.
fn counted(text: &str, units: &str) -> bool {
    let mut last: Option<usize> = None;
    let mut number = 0_usize;
    for c in text.chars() {
        if c.is_ascii_digit() {
            number += 1;
            continue;
        }
        let Some(unit) = units.find(c) else {
            return false;
        };
        if number == 0 || last.is_some_and(|last| unit != last + 1) {
            return false;
        }
        (last, number) = (Some(unit), 0);
    }
    number == 0
}

fn email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let atom = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c))
    };
    local.len() <= 64 && local.split('.').all(atom) && hostname(domain)
}

fn hostname(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

fn uri(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        && uri_characters(text)
}

/// Whether text has only the characters of RFC 3986, and every `%` starts an escape.
fn uri_characters(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    let escapes = text
        .split('%')
        .skip(1)
        .all(|after| after.len() >= 2 && after.bytes().take(2).all(|b| b.is_ascii_hexdigit()));
    text.chars().all(allowed) && escapes && text.matches('#').count() <= 1 && brackets(text)
}

/// Whether brackets stand around an IP address that is the host, and nowhere else.
fn brackets(text: &str) -> bool {
    let is_bracket = |c| matches!(c, '[' | ']');
    let start = if text.starts_with("//") { Some(0) } else { text.find("://").map(|at| at + 1) };
    let before = text.find(is_bracket);
    let (Some(start), Some(_)) = (start.filter(|start| before > Some(*start)), before) else {
        return before.is_none();
    };
    let rest = text.get(start + 2..).unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let Some((address, port)) = host.strip_prefix('[').and_then(|host| host.split_once(']')) else {
        return false;
    };
    let is_port = |port: &str| port.bytes().all(|digit| digit.is_ascii_digit());
    (address.starts_with(['v', 'V']) || address.parse::<std::net::Ipv6Addr>().is_ok())
        && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
        && !path.contains(is_bracket)
        && rest.matches(is_bracket).count() == 2
}

fn uuid(text: &str) -> bool {
    let mut groups = text.split('-');
    let right = [8, 4, 4, 4, 12].into_iter().all(|width| {
        groups.next().is_some_and(|g| g.len() == width && g.bytes().all(|b| b.is_ascii_hexdigit()))
    });
    right && groups.next().is_none()
}

fn json_pointer(text: &str) -> bool {
    let escapes = text.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && escapes
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn each_format_accepts_its_own_and_refuses_near_misses() {
        let cases: [(Format, &[&str], &[&str]); 13] = [
            (
                Format::Date,
                &["2026-11-30", "2024-02-29"],
                &["next friday", "2026-1-3", "2026-02-29", " 2026-11-30", "2026-13-01", ""],
            ),
            (
                Format::Time,
                &["10:00:00Z", "10:00:00.5+01:00", "23:59:60Z", "00:59:60+01:00"],
                &["10:00:00", "24:00:00Z", "10:00Z", "22:59:60Z"],
            ),
            (
                Format::DateTime,
                &["2026-11-30T06:56:00Z", "2026-11-30t06:56:00z"],
                &["2026-11-30 06:56:00Z", "2026-11-30T06:56:00+0100", "2026-11-30"],
            ),
            (
                Format::Duration,
                &["P3DT4H", "PT30M", "P1W", "P1Y2M3D"],
                &["P", "PT", "1d", "P1D1Y", "PT1H1S"],
            ),
            (Format::Email, &["a.b+c@example.com"], &["a", "a@", "@b", "a..b@c.de", "a b@c.de"]),
            (Format::Hostname, &["api.example.com", "localhost"], &["-a.com", "a..b", ""]),
            (Format::Ipv4, &["192.0.2.1"], &["192.0.2", "256.0.0.1", "01.0.0.1"]),
            (Format::Ipv6, &["2001:db8::1", "::"], &["fe80::1%eth0", "1.2.3.4"]),
            (
                Format::Uri,
                &["https://example.com/a?b#c", "urn:isbn:1", "http://u@[2001:db8::1]:80/a"],
                &["/a", "https://é.com", " http://a ", "http://a/%zz", "http://a]b", "urn:[::1]"],
            ),
            (Format::UriReference, &["/a/b", "", "../x"], &["a b"]),
            (
                Format::Uuid,
                &["123e4567-e89b-12d3-a456-426614174000"],
                &["123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}"],
            ),
            (Format::Regex, &["^a$"], &["("]),
            (Format::JsonPointer, &["", "/a/0", "/a~1b"], &["a", "/a~2"]),
        ];
        for (format, right, wrong) in cases {
            for text in right {
                assert!(format.accepts(text), "{format:?} {text:?}");
            }
            for text in wrong {
                assert!(!format.accepts(text), "{format:?} {text:?}");
            }
        }
    }
}
