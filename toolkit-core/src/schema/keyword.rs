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

/// Keywords that judge values.
const ASSERTING: [&str; 37] = [
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
    "$dynamicRef",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords of older drafts that judge values, and what 2020-12 has for them.
const OLDER: [(&str, &str); 4] = [
    ("$recursiveRef", "$dynamicRef"),
    ("disallow", "not"),
    ("divisibleBy", "multipleOf"),
    ("extends", "allOf"),
];

pub(super) fn role(keyword: &str) -> Role {
    match keyword {
        "if"
        | "then"
        | "else"
        | "dependentRequired"
        | "dependentSchemas"
        | "contains"
        | "minContains"
        | "maxContains"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "$dynamicRef" => Role::Foreign,
        "title" | "description" | "default" | "examples" | "deprecated" | "readOnly"
        | "writeOnly" | "$comment" | "$schema" | "$id" | "$anchor" | "$dynamicAnchor" | "$defs"
        | "$vocabulary" | "definitions" | "contentEncoding" | "contentMediaType"
        | "contentSchema" => Role::Annotation,
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
        let is_near = |right: &&str| {
            let right = folded(right);
            right == given || (right.len() >= 4 && strsim::osa_distance(&right, &given) == 1)
        };
        ASSERTING.into_iter().find(is_near)
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
