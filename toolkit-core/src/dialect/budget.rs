//! What the schemas of one request may hold together.

use serde_json::Value;

use crate::error::ToolConfigError;

/// What a provider takes in one request; `None` where it says nothing of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) strict_tools: Option<usize>,
    /// Fields that may be left out, in all strict schemas together.
    pub(super) optionals: Option<usize>,
    /// Fields of several types, in all strict schemas together.
    pub(super) unions: Option<usize>,
    pub(super) each: Option<Each>,
}

/// What a provider takes in each strict schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Each {
    pub(super) properties: usize,
    pub(super) depth: usize,
    pub(super) enum_values: usize,
    /// Of the names of properties and definitions and of the values of enums.
    pub(super) characters: usize,
    /// Of the values of an enum that has many.
    pub(super) large_enum: (usize, usize),
}

impl Room {
    pub(super) const ANY: Self =
        Self { strict_tools: None, optionals: None, unions: None, each: None };

    /// Anthropic's, as its documentation has it.
    pub(super) const ANTHROPIC: Self =
        Self { strict_tools: Some(20), optionals: Some(24), unions: Some(16), each: None };

    /// OpenAI's, as its documentation has it.
    pub(super) const OPENAI: Self = Self {
        strict_tools: None,
        optionals: None,
        unions: None,
        each: Some(Each {
            properties: 5_000,
            depth: 10,
            enum_values: 1_000,
            characters: 120_000,
            large_enum: (250, 15_000),
        }),
    };
}

/// What strict schemas hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) tools: usize,
    pub(super) optionals: usize,
    pub(super) unions: usize,
}

impl Spent {
    pub(super) fn of(schema: &Value) -> Self {
        let count = Count::of(schema);
        Self { tools: 1, optionals: count.optionals, unions: count.unions }
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            tools: self.tools + other.tools,
            optionals: self.optionals + other.optionals,
            unions: self.unions + other.unions,
        }
    }

    /// What there is more of than the provider takes.
    pub(super) fn over(self, room: &Room) -> Option<String> {
        let all = [
            (self.tools, room.strict_tools, "strict tools"),
            (self.optionals, room.optionals, "optional fields in strict tools"),
            (self.unions, room.unions, "fields of several types in strict tools"),
        ];
        let told: Vec<String> = all
            .iter()
            .filter_map(|(spent, most, what)| {
                let most = most.filter(|most| spent > most)?;
                Some(format!("{spent} {what}, of which {most} are taken"))
            })
            .collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// What one schema holds more of than the provider takes.
pub(super) fn over_each(schema: &Value, each: &Each) -> Vec<String> {
    let count = Count::of(schema);
    let mut over: Vec<String> = [
        (count.properties, each.properties, "properties"),
        (count.depth, each.depth, "levels of objects and lists"),
        (count.enum_values, each.enum_values, "values of enums"),
        (count.characters, each.characters, "characters of names and values"),
    ]
    .iter()
    .filter(|(found, most, _)| found > most)
    .map(|(found, most, what)| format!("{found} {what}, of which {most} are taken"))
    .collect();
    let (many, characters) = each.large_enum;
    if let Some((values, length)) =
        count.enums.iter().find(|(values, length)| *values > many && *length > characters)
    {
        over.push(format!(
            "an enum of {values} values has {length} characters, of which {characters} are taken"
        ));
    }
    over
}

#[derive(Debug, Default)]
struct Count {
    properties: usize,
    optionals: usize,
    unions: usize,
    depth: usize,
    enum_values: usize,
    characters: usize,
    /// How many values each enum has, and how long they are together.
    enums: Vec<(usize, usize)>,
}

impl Count {
    fn of(schema: &Value) -> Self {
        let mut count = Self::default();
        count.walk(schema, 0);
        count
    }

    fn walk(&mut self, schema: &Value, depth: usize) {
        let Value::Object(node) = schema else { return };
        let is = |of: &str| match node.get("type") {
            Some(Value::Array(types)) => types.iter().any(|name| name == of),
            Some(name) => name == of,
            None => false,
        };
        let depth = depth + usize::from(is("object") || is("array"));
        self.depth = self.depth.max(depth);
        if node.contains_key("anyOf") || node.get("type").is_some_and(Value::is_array) {
            self.unions += 1;
        }
        if let Some(Value::Array(values)) = node.get("enum") {
            let length: usize = values.iter().map(length).sum();
            self.enum_values += values.len();
            self.characters += length;
            self.enums.push((values.len(), length));
        }
        self.characters += node.get("const").map_or(0, length);
        if let Some(Value::Object(properties)) = node.get("properties") {
            let required = node.get("required").and_then(Value::as_array);
            self.properties += properties.len();
            for (name, property) in properties {
                self.characters += name.chars().count();
                let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
                self.optionals += usize::from(!is_required);
                self.walk(property, depth);
            }
        }
        if let Some(Value::Object(definitions)) = node.get("$defs") {
            for (name, definition) in definitions {
                self.characters += name.chars().count();
                self.walk(definition, 0);
            }
        }
        for form in node.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            self.walk(form, depth);
        }
        if let Some(items) = node.get("items") {
            self.walk(items, depth);
        }
    }
}

fn length(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), |text| text.chars().count())
}

/// A mistake of the request as a whole.
pub(super) fn over_budget(name: &str, over: &str) -> ToolConfigError {
    ToolConfigError::new(format!(
        "{name}: one request has {over}; show fewer tools with `scoped(…)`, or let the dialect be \
         `strict_where_possible()`"
    ))
}
