//! What a keyword is to the judge that does not ask about it, and how schemas refer to each other.

use serde_json::{Map, Value};

use super::normalize::walk;

/// What a keyword that the judge does not ask about is.
pub(super) enum Role {
    /// It says something to a reader and nothing to a validator.
    Annotation,
    /// Only the validator of the whole schema understands it.
    Foreign,
    /// It is none of JSON Schema 2020-12, and was meant to say something.
    Mistake { right: &'static str },
}

/// Keywords that the table asks about.
const OWN: [&str; 29] = [
    "type",
    "enum",
    "const",
    "required",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "pattern",
    "format",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "prefixItems",
    "items",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "$ref",
];

/// Keywords that only the validator of the whole schema understands.
const FOREIGN: [&str; 11] = [
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
];

/// Keywords that say something to a reader and nothing to a validator, or name a place.
const ANNOTATIONS: [&str; 18] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$defs",
    "$vocabulary",
    "definitions",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
];

/// Whether a keyword judges values.
pub(crate) fn judges(keyword: &str) -> bool {
    OWN.contains(&keyword) || FOREIGN.contains(&keyword)
}

/// Whether JSON Schema 2020-12 has a keyword.
pub(crate) fn is_keyword(keyword: &str) -> bool {
    judges(keyword) || ANNOTATIONS.contains(&keyword)
}

/// Keywords of older drafts that judge values, and what 2020-12 has for them.
const OLDER: [(&str, &str); 4] = [
    ("$recursiveRef", "$dynamicRef"),
    ("disallow", "not"),
    ("divisibleBy", "multipleOf"),
    ("extends", "allOf"),
];

pub(super) fn role(keyword: &str) -> Role {
    match keyword {
        _ if FOREIGN.contains(&keyword) => Role::Foreign,
        _ if ANNOTATIONS.contains(&keyword) => Role::Annotation,
        // Any other is an annotation to JSON Schema; a slip of the pen would go unseen.
        other => meant(other).map_or(Role::Annotation, |right| Role::Mistake { right }),
    }
}

/// The keyword that was meant by one that JSON Schema 2020-12 does not have.
fn meant(keyword: &str) -> Option<&'static str> {
    // So others mark words of their own.
    if keyword.starts_with("x-") {
        return None;
    }
    let older = OLDER.iter().find(|(old, _)| *old == keyword).map(|(_, right)| *right);
    older.or_else(|| {
        let folded = |name: &str| name.replace(['_', '-'], "").to_lowercase();
        let given = folded(keyword);
        // Many words of English are one letter away from these.
        let is_short = |right: &str| right.len() < 4 || matches!(right, "then" | "else");
        let is_near = |right: &&str| {
            let right = folded(right);
            right == given || (!is_short(&right) && strsim::osa_distance(&right, &given) == 1)
        };
        OWN.into_iter().chain(FOREIGN).find(is_near)
    })
}

/// The dialect that a schema names, where it is not 2020-12.
pub(super) fn other_dialect(keywords: &Map<String, Value>) -> Option<&str> {
    let named = keywords.get("$schema").and_then(Value::as_str)?;
    let is_ours = named.trim_end_matches('#').ends_with("json-schema.org/draft/2020-12/schema");
    if is_ours { None } else { Some(named) }
}

/// Whether a schema inside the document has an address of its own.
pub(super) fn is_bundle(document: &Value) -> bool {
    let has_id = |node: &Map<String, Value>| node.get("$id").is_some_and(Value::is_string);
    let mut found = 0_usize;
    walk(&mut document.clone(), &mut |node| found += usize::from(has_id(node)));
    found > usize::from(document.as_object().is_some_and(has_id))
}

/// Whether a schema refers to anything by an address, for which its own may be needed.
pub(super) fn uses_addresses(document: &Value) -> bool {
    let mut found = is_bundle(document);
    walk(&mut document.clone(), &mut |node| {
        found |= ["$ref", "$dynamicRef"]
            .into_iter()
            .filter_map(|keyword| node.get(keyword)?.as_str())
            .any(|reference| !reference.starts_with('#'));
    });
    found
}

/// A JSON Pointer as it stands in a URI, with its escapes undone.
pub(super) fn percent_decoded(pointer: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{FOREIGN, OWN, Role, role};

    /// The keywords that the compiler has an arm for, by its source.
    fn compiled() -> BTreeSet<&'static str> {
        let source = include_str!("compile.rs");
        let keywords =
            source.split_once("    /// Keywords about a value that holds no other.").unwrap().1;
        let keywords = keywords.split_once("    fn names(").unwrap().0;
        let arms = keywords.lines().filter_map(|line| line.strip_prefix("            \""));
        arms.map(|arm| arm.split_once("\" => ").unwrap().0).collect()
    }

    #[test]
    fn what_the_compiler_asks_about_is_what_a_slip_is_compared_with() {
        assert_eq!(compiled(), BTreeSet::from(OWN));
    }

    #[test]
    fn a_slip_of_any_keyword_is_told_and_the_keyword_itself_is_not() {
        for keyword in OWN.into_iter().chain(FOREIGN) {
            let slip = keyword.to_uppercase();
            assert!(matches!(role(&slip), Role::Mistake { right } if right == keyword), "{slip}");
        }
        for keyword in FOREIGN {
            assert!(matches!(role(keyword), Role::Foreign), "{keyword}");
        }
        assert!(matches!(role("when"), Role::Annotation));
    }
}
