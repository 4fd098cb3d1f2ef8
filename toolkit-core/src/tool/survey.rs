//! Learns of the types of parameters what their schemas do not say.
//!
//! schemars merges flattened fields into their struct, says of a map's keys no more than that
//! they are integers, and gives the variants of a half-documented enum in another order. Each is
//! asked of the type itself, at every place that its schema has.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::bait::{Bait, Key, Mark, STRANGE, Seen, give};
use crate::problem::Path;
use crate::schema::{Format, Keys};

type Object = Map<String, Value>;

/// A type that is asked, and where it stands.
pub(super) struct Asked {
    pub(super) at: Path,
    pub(super) reads: fn(&Bait) -> bool,
}

/// Writes into the schemas of types what was learned; what types can not be taken.
pub(super) fn survey(
    types: &[Asked],
    schemas: &mut [Value],
    definitions: &mut Object,
) -> Vec<String> {
    let mut faults = Vec::new();
    let mut found = BTreeMap::new();
    for (index, (asked, schema)) in types.iter().zip(schemas.iter()).enumerate() {
        let mut survey = Survey {
            definitions,
            reads: asked.reads,
            visits: BTreeMap::new(),
            left: MOST_BAITS,
            root: &asked.at,
            found: &mut found,
            faults: &mut faults,
        };
        survey.visit(schema, &format!("/types/{index}"), &Way::Start, &asked.at, true);
    }
    let mut all = json!({ "types": schemas, "$defs": definitions });
    // What is written into a map moves the schemas inside it, so those come first.
    for (place, learned) in found.into_iter().rev() {
        if let Some(node) = all.pointer_mut(&place).and_then(Value::as_object_mut) {
            learned.write(node);
        }
    }
    if let Some(Value::Array(written)) = all.get_mut("types").map(Value::take) {
        schemas.iter_mut().zip(written).for_each(|(schema, written)| *schema = written);
    }
    if let Some(Value::Object(written)) = all.get_mut("$defs").map(Value::take) {
        *definitions = written;
    }
    faults
}

/// What was learned of the type behind a schema.
enum Learned {
    Keys(Keys),
    /// The variants of an enum as they were declared.
    Order(&'static [&'static str]),
}

impl Learned {
    fn write(self, node: &mut Object) {
        match self {
            Self::Keys(keys) => keys.write(node),
            Self::Order(names) => {
                let place = |form: &Value| {
                    let name = form.get("const").and_then(Value::as_str);
                    names.iter().position(|of| Some(*of) == name)
                };
                let mut forms: Vec<Value> = name_forms(node).unwrap_or_default();
                forms.sort_by_key(place);
                node.insert("oneOf".to_owned(), forms.into());
            }
        }
    }
}

/// The names of an enum, one a form, where it is a union of nothing but names.
fn name_forms(node: &Object) -> Option<Vec<Value>> {
    let mut forms = Vec::new();
    for branch in node.get("oneOf")?.as_array()? {
        match (branch.get("const"), branch.get("enum").and_then(Value::as_array)) {
            (Some(Value::String(_)), None) => forms.push(branch.clone()),
            (None, Some(names)) if names.iter().all(Value::is_string) => {
                forms.extend(names.iter().map(|name| json!({ "type": "string", "const": name })));
            }
            _ => return None,
        }
    }
    Some(forms)
}

/// A type of so many places is asked no further.
const MOST_BAITS: usize = 2_000;

/// A type stands behind a definition wherever that is referred to; the first place may be one
/// that can not be reached.
const MOST_VISITS: usize = 3;

/// The way into a value, from the place inwards.
enum Way<'w> {
    Start,
    /// A field, and the tags that must stand before it.
    Field(&'w Self, Vec<(Key, Bait)>, String),
    /// An item, and those before it.
    Item(&'w Self, Vec<Bait>),
}

impl Way<'_> {
    /// The whole value with this at its place: first, so that nothing else is needed.
    fn with(&self, inner: Bait) -> Bait {
        match self {
            Self::Start => inner,
            Self::Field(way, tags, name) => {
                let field = (Key::Name(name.clone()), inner);
                way.with(Bait::Object(tags.iter().cloned().chain([field]).collect()))
            }
            Self::Item(way, before) => {
                way.with(Bait::List(before.iter().cloned().chain([inner]).collect()))
            }
        }
    }
}

struct Survey<'s> {
    definitions: &'s Object,
    reads: fn(&Bait) -> bool,
    visits: BTreeMap<String, usize>,
    left: usize,
    root: &'s Path,
    /// What was learned, by the place of the schema.
    found: &'s mut BTreeMap<String, Learned>,
    faults: &'s mut Vec<String>,
}

/// One schema of a place, and where it stands.
type Part<'s> = (&'s Object, String);

impl<'s> Survey<'s> {
    /// Asks the type at a place; `alone`: no other form was asked of the same place.
    fn visit(&mut self, node: &'s Value, place: &str, way: &Way<'_>, at: &Path, alone: bool) {
        let Some(parts) = self.parts(node, place) else { return };
        let (tags, fields) = fields(&parts);
        if alone && !fields.is_empty() && self.flattens(way, &tags, &fields, 1, at) {
            return;
        }
        for (part, place) in &parts {
            let key = if is_map(part) { self.ask_keys(place, way, &tags, at) } else { "a".into() };
            if name_forms(part).is_some_and(|forms| forms.len() > 1) {
                let names = self.give(&way.with(Bait::Text(STRANGE.to_owned()))).names;
                self.found.extend(names.map(|names| (place.clone(), Learned::Order(names))));
            }
            self.unions(part, place, way, at, alone);
            let inner = Inner { way, tags: &tags, key: &key };
            self.inside(part, place, &inner, at);
        }
    }

    /// A schema and what it refers to; nothing where that was seen often enough.
    fn parts(&mut self, node: &'s Value, place: &str) -> Option<Vec<Part<'s>>> {
        let mut parts = vec![(node.as_object()?, place.to_owned())];
        while let Some(name) = parts.last().and_then(|(part, _)| referred(part)) {
            let visits = self.visits.entry(name.clone()).or_default();
            *visits += 1;
            if *visits > MOST_VISITS {
                return None;
            }
            let target = self.definitions.get(&name)?.as_object()?;
            parts.push((target, format!("/$defs/{}", escaped(&name))));
        }
        Some(parts)
    }

    fn unions(&mut self, part: &'s Object, place: &str, way: &Way<'_>, at: &Path, alone: bool) {
        for union in ["anyOf", "oneOf", "allOf"] {
            let branches = part.get(union).and_then(Value::as_array).into_iter().flatten();
            // Forms without a tag are all asked of one value, so they are counted together.
            let together = union == "anyOf";
            if together && alone {
                let named = branches.clone().map(|branch| named(branch, self.definitions));
                let structs: Vec<_> = named.filter(|fields| !fields.is_empty()).collect();
                let fields = if let [only] = structs.as_slice() { only.as_slice() } else { &[] };
                if !structs.is_empty() && self.flattens(way, &[], fields, structs.len(), at) {
                    return;
                }
            }
            for (index, branch) in branches.enumerate() {
                let place = format!("{place}/{union}/{index}");
                // A tag asks for its own form alone.
                let is_tagged = branch
                    .as_object()
                    .is_some_and(|branch| !fields(&[(branch, String::new())]).0.is_empty());
                self.visit(branch, &place, way, at, is_tagged || (alone && !together));
            }
        }
    }

    fn inside(&mut self, part: &'s Object, place: &str, inner: &Inner<'_>, at: &Path) {
        let Inner { way, tags, key } = *inner;
        for (name, field) in part.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let place = format!("{place}/properties/{}", escaped(name));
            let way = Way::Field(way, tags.to_vec(), name.clone());
            self.visit(field, &place, &way, &at.field(name), true);
        }
        let mut before = Vec::new();
        let tuple = part.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
        for (index, item) in tuple.enumerate() {
            let place = format!("{place}/prefixItems/{index}");
            self.visit(item, &place, &Way::Item(way, before.clone()), &at.item(index), true);
            before.push(Bait::from(&likely(item, self.definitions, 4)));
        }
        if let Some(item) = part.get("items") {
            let way = Way::Item(way, before);
            self.visit(item, &format!("{place}/items"), &way, &at.item(0), true);
        }
        let pattern = part.get("patternProperties").and_then(Value::as_object);
        let patterned = pattern
            .into_iter()
            .flatten()
            .map(|(text, value)| (format!("{place}/patternProperties/{}", escaped(text)), value));
        let additional = part.get("additionalProperties");
        let additional = additional.map(|value| (format!("{place}/additionalProperties"), value));
        for (place, value) in patterned.chain(additional) {
            let way = Way::Field(way, tags.to_vec(), key.to_owned());
            self.visit(value, &place, &way, &at.field(key), true);
        }
    }

    fn give(&mut self, bait: &Bait) -> Seen {
        if self.left == 0 {
            let fault = format!(
                "{} is too large a type to be asked about each of its places; take less of it",
                self.root
            );
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
            return Seen::default();
        }
        self.left -= 1;
        give(self.reads, bait)
    }

    /// Whether one of the structs at a place flattens; each reads a field by its index otherwise.
    fn flattens(
        &mut self,
        way: &Way<'_>,
        tags: &[(Key, Bait)],
        names: &[&str],
        structs: usize,
        at: &Path,
    ) -> bool {
        /// So many first fields may take anything without a look at it.
        const FIELDS: u32 = 8;
        let with = |fields: &[(Key, Bait)]| {
            way.with(Bait::Object(tags.iter().chain(fields).cloned().collect()))
        };
        let mut goes_on = true;
        for index in 0..FIELDS {
            let mut both = true;
            for mark in [Mark::Bytes, Mark::Number] {
                let marked = (Key::Index(index), Bait::Mark(mark));
                let seen = self.give(&with(std::slice::from_ref(&marked)));
                if seen.marks >= structs {
                    return false;
                }
                both &= if seen.only_names {
                    // The struct does, or a map that gathers what is left over after its fields.
                    names.iter().any(|name| {
                        let second = (Key::Name((*name).to_owned()), Bait::Mark(mark));
                        self.give(&with(&[marked.clone(), second])).marks > 0
                    })
                } else {
                    seen.accepted || seen.went_on
                };
            }
            goes_on &= both;
        }
        let fault = format!(
            "{at} is a type with `#[serde(flatten)]`, under which serde drops what is unknown or \
             half given; remove `flatten`, so that the inner fields stand under a field's name"
        );
        if goes_on && !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
        goes_on
    }

    /// Asks a map what its keys are; one of them.
    fn ask_keys(&mut self, place: &str, way: &Way<'_>, tags: &[(Key, Bait)], at: &Path) -> String {
        // Of two fields none is taken for the variant of an enum beside it.
        let entry = |name: &str, value: Bait| {
            let fields = [(name, value), ("", Bait::Null)];
            let fields = fields.map(|(name, value)| (Key::Name(name.to_owned()), value));
            way.with(Bait::Object(tags.iter().cloned().chain(fields).collect()))
        };
        let seen = self.give(&entry(STRANGE, Bait::Null));
        let wanted = seen.wanted.unwrap_or_default();
        if wanted.ends_with("128") {
            self.faults.push(format!(
                "the keys of {at} are 128-bit integers, which JSON can not carry everywhere; \
                 take a String"
            ));
        }
        // A variant that holds something is no key.
        let mut is_key = |name: &&&str| {
            let seen = self.give(&entry(name, Bait::Mark(Mark::Bytes)));
            seen.accepted || seen.marks > 0
        };
        let names = seen.names.map(|names| {
            let names = names.iter().filter(&mut is_key);
            Keys::Names(names.map(|&name| name.to_owned()).collect())
        });
        let Some(keys) = Keys::wanted(&wanted).or(names) else { return "a".to_owned() };
        let key = keys.example();
        self.found.insert(place.to_owned(), Learned::Keys(keys));
        key
    }
}

/// How a value is put inside another.
struct Inner<'w> {
    way: &'w Way<'w>,
    tags: &'w [(Key, Bait)],
    /// One of the keys, where it is a map.
    key: &'w str,
}

/// The tags of an object, and the names of its other fields.
fn fields<'s>(parts: &[Part<'s>]) -> (Vec<(Key, Bait)>, Vec<&'s str>) {
    let (mut tags, mut fields) = (Vec::new(), Vec::new());
    for (part, _) in parts {
        let properties = part.get("properties").and_then(Value::as_object);
        for (name, field) in properties.into_iter().flatten() {
            match field.get("const") {
                Some(tag @ Value::String(_)) => {
                    tags.push((Key::Name(name.clone()), Bait::from(tag)));
                }
                _ => fields.push(name.as_str()),
            }
        }
    }
    (tags, fields)
}

/// The names of the fields of an object, with those of what it refers to.
fn named<'s>(node: &'s Value, definitions: &'s Object) -> Vec<&'s str> {
    let mut parts = Vec::new();
    let mut node = node.as_object();
    while let Some(part) = node {
        parts.push((part, String::new()));
        let target = referred(part).and_then(|name| definitions.get(&name));
        node = target.and_then(Value::as_object).filter(|_| parts.len() < 16);
    }
    fields(&parts).1
}

/// Whether an object takes fields that it does not name.
fn is_map(part: &Object) -> bool {
    let additional = part.get("additionalProperties");
    let of = part.get("type");
    let is_object = of.is_some_and(|of| match of {
        Value::Array(types) => types.iter().any(|of| of == "object"),
        of => of == "object",
    });
    is_object
        && (part.contains_key("patternProperties")
            || additional.is_some_and(|of| of != &Value::Bool(false)))
}

fn referred(part: &Object) -> Option<String> {
    let name = part.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A value that a type of the schema may well take.
fn likely(schema: &Value, definitions: &Object, depth: usize) -> Value {
    let inner = |schema: &Value| match depth.checked_sub(1) {
        Some(depth) => likely(schema, definitions, depth),
        None => Value::Null,
    };
    let first = |list: &str| schema.get(list).and_then(|list| list.get(0));
    if let Some(value) = schema.get("const").or_else(|| first("enum")) {
        return value.clone();
    }
    let target = schema.as_object().and_then(referred).and_then(|name| definitions.get(&name));
    if let Some(form) = target.or_else(|| first("anyOf")).or_else(|| first("oneOf")) {
        return inner(form);
    }
    let of = schema.get("type").and_then(|of| of.get(0).unwrap_or(of).as_str());
    match of.unwrap_or_default() {
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "string" => json!(text(schema)),
        "boolean" => json!(true),
        "array" => {
            let items = schema.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
            items.map(inner).collect()
        }
        "object" => {
            let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let field =
                |name: &str| Some((name.to_owned(), inner(schema.get("properties")?.get(name)?)));
            Value::Object(names.filter_map(Value::as_str).filter_map(field).collect())
        }
        _ => Value::Null,
    }
}

fn text(schema: &Value) -> String {
    let format = schema.get("format").and_then(Value::as_str).map(|format| match format {
        // schemars has one name for both kinds of address.
        "ip" => "ipv4",
        other => other,
    });
    if let Some([text, ..]) = format.and_then(Format::named).map(Format::samples) {
        return (*text).to_owned();
    }
    "a".repeat(schema.get("minLength").map_or(1, |least| {
        least.as_u64().and_then(|least| usize::try_from(least.min(64)).ok()).unwrap_or(1)
    }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use schemars::generate::SchemaSettings;
    use serde_json::Value;

    use super::{Asked, Object, survey};
    use crate::problem::Path;
    use crate::tool::ToolArg;
    use crate::tool::bait::reads;

    /// What is learned of a type: its schema, its definitions, and what is against it.
    fn surveyed<T: ToolArg>() -> (Value, Object, Vec<String>) {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let mut schemas = [generator.subschema_for::<T>().to_value()];
        let mut definitions = generator.take_definitions(true);
        let asked = [Asked { at: Path::root().field("a"), reads: reads::<T> }];
        let faults = survey(&asked, &mut schemas, &mut definitions);
        let [schema] = schemas;
        (schema, definitions, faults)
    }

    type Keyed = BTreeMap<u8, bool>;
    type Twelve<T> = (T, T, T, T, T, T, T, T, T, T, T, T);
    type Sixteen<T> = (T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T);

    #[test]
    fn a_type_is_asked_about_two_thousand_places_and_no_more() {
        let (.., faults) = surveyed::<Twelve<Twelve<Twelve<Keyed>>>>();
        assert_eq!(faults, [""; 0]);
        let (.., faults) = surveyed::<Twelve<Twelve<Sixteen<Keyed>>>>();
        assert_eq!(
            faults,
            ["$.a is too large a type to be asked about each of its places; take less of it"]
        );
    }

    /// Takes none of the values that may well be right.
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(try_from = "u8")]
    #[schemars(with = "u8")]
    struct Odd;

    impl TryFrom<u8> for Odd {
        type Error = &'static str;

        fn try_from(number: u8) -> Result<Self, &'static str> {
            if number == 77 { Ok(Self) } else { Err("no") }
        }
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "it is only asked")]
    struct Inner {
        keyed: Keyed,
    }

    #[test]
    fn a_type_that_two_places_hide_is_asked_at_the_third() {
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[expect(dead_code, reason = "it is only asked")]
        struct Outer {
            first: (Odd, Inner),
            second: (Odd, Inner),
            third: Inner,
        }
        let (_, definitions, faults) = surveyed::<Outer>();
        assert_eq!(faults, [""; 0]);
        let keyed = definitions["Inner"]["properties"]["keyed"].to_string();
        assert!(keyed.contains("2[0-4]"), "{keyed}");
    }
}
