//! The names of a map's fields where its keys are no text.

use serde_json::{Map, Value, json};

use super::compile::integers_of;

type Object = Map<String, Value>;

/// What the keys of a map are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Keys {
    Integers {
        least: i128,
        most: i128,
        zero: bool,
    },
    Booleans,
    Characters,
    /// The variants of an enum.
    Names(Vec<String>),
}

/// The integer types that keys can have, each with the name that schemars gives its format.
const INTEGERS: [(&str, &str); 10] = [
    ("u8", "uint8"),
    ("u16", "uint16"),
    ("u32", "uint32"),
    ("u64", "uint64"),
    ("usize", "uint"),
    ("i8", "int8"),
    ("i16", "int16"),
    ("i32", "int32"),
    ("i64", "int64"),
    ("isize", "int"),
];

/// The same types, and what each holds: as keys no more and no less than as values.
fn integers() -> impl Iterator<Item = (&'static str, i128, i128)> {
    INTEGERS
        .into_iter()
        .filter_map(|(name, format)| integers_of(format).map(|(least, most)| (name, least, most)))
}

impl Keys {
    /// The keys of a type, by what its reader says that it wants.
    pub(crate) fn wanted(words: &str) -> Option<Self> {
        let bare = words.strip_prefix("a nonzero ");
        let name = bare.unwrap_or(words);
        match name {
            "a boolean" => Some(Self::Booleans),
            "a character" => Some(Self::Characters),
            _ => integers().find(|(of, ..)| *of == name).map(|(_, least, most)| Self::Integers {
                least,
                most,
                zero: bare.is_none(),
            }),
        }
    }

    /// One of them.
    pub(crate) fn example(&self) -> String {
        match self {
            Self::Integers { .. } => "1".to_owned(),
            Self::Booleans => "true".to_owned(),
            Self::Characters => "a".to_owned(),
            Self::Names(names) => names.first().cloned().unwrap_or_default(),
        }
    }

    /// Says of a map's schema what its keys are; what is named there already is a tag.
    pub(crate) fn write(&self, map: &mut Object) {
        let patterns = map.shift_remove("patternProperties");
        let patterned = patterns.and_then(|all| all.as_object()?.values().next().cloned());
        let value = match map.shift_remove("additionalProperties") {
            Some(Value::Bool(false)) | None => patterned.unwrap_or(Value::Bool(true)),
            Some(value) => value,
        };
        match self {
            Self::Integers { least, most, zero } => {
                map.insert("additionalProperties".to_owned(), false.into());
                let pattern = pattern(*least, *most, *zero);
                map.insert("patternProperties".to_owned(), json!({ pattern: value }));
            }
            Self::Booleans => {
                map.insert("propertyNames".to_owned(), json!({ "enum": BOOLEANS }));
                map.insert("additionalProperties".to_owned(), value);
            }
            Self::Characters => {
                let one = json!({ "minLength": 1, "maxLength": 1 });
                let names = match map.get("properties").and_then(Value::as_object) {
                    Some(tags) => {
                        let tags: Vec<&String> = tags.keys().collect();
                        json!({ "anyOf": [{ "enum": tags }, one] })
                    }
                    None => one,
                };
                map.insert("propertyNames".to_owned(), names);
                map.insert("additionalProperties".to_owned(), value);
            }
            Self::Names(names) => {
                let fields = names.iter().map(|name| (name.clone(), value.clone()));
                let properties = map.entry("properties").or_insert_with(|| json!({}));
                if let Value::Object(properties) = properties {
                    properties.extend(fields);
                }
                map.insert("additionalProperties".to_owned(), false.into());
            }
        }
    }
}

const BOOLEANS: [&str; 2] = ["true", "false"];

/// Integers of any size, for keys whose type says no more; without and with a sign.
pub(super) const ANY_INTEGER: [&str; 2] = [r"^(0|[1-9]\d*)$", r"^(0|-?[1-9]\d*)$"];

/// In words, what a key is that matches a pattern of integers.
pub(crate) fn integer_words(given: &str) -> Option<String> {
    if let Some(index) = ANY_INTEGER.iter().position(|any| *any == given) {
        let words = ["an integer from 0 on, like \"7\"", "an integer, like \"-7\""];
        return words.get(index).map(|words| (*words).to_owned());
    }
    integers().find_map(|(_, least, most)| {
        let like = if least < 0 { "-7" } else { "7" };
        if pattern(least, most, true) == given {
            Some(format!("an integer from {least} to {most}, like {like:?}"))
        } else if pattern(least, most, false) == given && least == 0 {
            Some(format!("an integer from 1 to {most}, like {like:?}"))
        } else if pattern(least, most, false) == given {
            Some(format!("an integer from {least} to {most} but 0, like {like:?}"))
        } else {
            None
        }
    })
}

/// Whether keys are of a type that is read out of text only where nothing was buffered before.
pub(super) fn are_parsed(map: &Object) -> bool {
    let patterns = map.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
    let booleans = map.get("propertyNames").and_then(|names| names.get("enum"));
    booleans == Some(&json!(BOOLEANS))
        || patterns.into_iter().any(|(pattern, _)| integer_words(pattern).is_some())
}

/// Matches the integers of a range that has 0 in it or at its end, as they are written.
fn pattern(least: i128, most: i128, zero: bool) -> String {
    let zero = if zero { "0|" } else { "" };
    if least == 0 {
        return format!("^({zero}{})$", up_to(most));
    }
    // The least number has one more than the greatest.
    format!("^({zero}-?({})|{least})$", up_to(most))
}

/// Matches the integers from 1 to a number, without zeros in front.
fn up_to(most: i128) -> String {
    let digits = most.to_string();
    let mut forms = Vec::new();
    if digits.len() > 1 {
        forms.push(format!("[1-9]{}", repeated(0, digits.len() - 2)));
    }
    for (index, digit) in digits.char_indices() {
        let last = index + 1 == digits.len();
        let first = if index == 0 { '1' } else { '0' };
        let below = if last { Some(digit) } else { char::from_u32(u32::from(digit) - 1) };
        if let Some(below) = below.filter(|below| *below >= first) {
            let before = digits.get(..index).unwrap_or_default();
            let class =
                if below == first { first.to_string() } else { format!("[{first}-{below}]") };
            let after = digits.len() - index - 1;
            forms.push(format!("{before}{class}{}", repeated(after, after)));
        }
    }
    forms.join("|")
}

/// So many more digits.
fn repeated(least: usize, most: usize) -> String {
    match (least, most) {
        (_, 0) => String::new(),
        (0, 1) => "[0-9]?".to_owned(),
        (1, 1) => "[0-9]".to_owned(),
        (least, most) if least == most => format!("[0-9]{{{most}}}"),
        (least, most) => format!("[0-9]{{{least},{most}}}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Keys, integers, pattern};

    #[test]
    fn a_range_of_keys_has_its_ends_and_nothing_beyond_them() {
        for (name, least, most) in integers() {
            for zero in [true, false] {
                let regex = regex::Regex::new(&pattern(least, most, zero)).unwrap();
                for number in [least, least + 1, -10, -1, 1, 9, 10, 99, 100, most - 1, most] {
                    let inside = (least..=most).contains(&number) && (number != 0 || zero);
                    assert_eq!(regex.is_match(&number.to_string()), inside, "{name} {number}");
                }
                for outside in [least - 1, most + 1, most * 10, least * 10 - 9] {
                    assert!(!regex.is_match(&outside.to_string()), "{name} {outside}");
                }
                assert_eq!(regex.is_match("0"), zero, "{name}");
                for other in ["", "-", "-0", "00", "01", "+1", "1.0", "1e1", " 1", "x"] {
                    assert!(!regex.is_match(other), "{name} {other}");
                }
            }
        }
    }

    #[test]
    fn every_key_of_one_byte_is_matched_as_it_is_read() {
        for (name, least, most) in [("u8", 0, 255), ("i8", -128, 127)] {
            let regex = regex::Regex::new(&pattern(least, most, true)).unwrap();
            for number in -1_000..1_000_i128 {
                let inside = (least..=most).contains(&number);
                assert_eq!(regex.is_match(&number.to_string()), inside, "{name} {number}");
            }
        }
    }

    #[test]
    fn keys_of_the_width_of_the_machine_are_of_64_bits_on_every_machine() {
        let range = |least: i128, most: i128| Some(Keys::Integers { least, most, zero: true });
        assert_eq!(Keys::wanted("usize"), range(0, (1 << 64) - 1));
        assert_eq!(Keys::wanted("isize"), range(-(1 << 63), (1 << 63) - 1));
        assert_eq!(integers().count(), 10);
    }

    #[test]
    fn what_a_reader_wants_names_the_type_of_a_key() {
        assert_eq!(
            Keys::wanted("a nonzero i8"),
            Some(Keys::Integers { least: -128, most: 127, zero: false })
        );
        assert_eq!(Keys::wanted("a boolean"), Some(Keys::Booleans));
        assert_eq!(Keys::wanted("a string"), None);
    }
}
