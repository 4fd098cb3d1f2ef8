//! What older drafts of JSON Schema wrote otherwise, as 2020-12 writes it.

use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// Rewrites the keywords of drafts 4 to 7 that 2020-12 reads otherwise or not at all.
pub(super) fn rewrite(node: &mut Object) {
    tuple(node);
    dependencies(node);
    exclusive(node, "minimum", "exclusiveMinimum");
    exclusive(node, "maximum", "exclusiveMaximum");
}

/// `items` as a list, and `additionalItems` for what comes after it.
fn tuple(node: &mut Object) {
    let after = node.shift_remove("additionalItems");
    if node.get("items").is_some_and(Value::is_array) {
        let items = node.shift_remove("items");
        node.extend(items.map(|items| ("prefixItems".to_owned(), items)));
        node.extend(after.map(|after| ("items".to_owned(), after)));
    }
}

/// `dependencies`: names that are needed beside a name, or a schema that holds beside it.
fn dependencies(node: &mut Object) {
    let Some(Value::Object(all)) = node.shift_remove("dependencies") else { return };
    for (name, needed) in all {
        let keyword = if needed.is_array() { "dependentRequired" } else { "dependentSchemas" };
        let place = node.entry(keyword).or_insert_with(|| json!({}));
        if let Value::Object(place) = place {
            place.insert(name, needed);
        }
    }
}

/// A bound with a word beside it that says whether the bound itself is left out.
fn exclusive(node: &mut Object, bound: &str, exclusive: &str) {
    let Some(Value::Bool(is_left_out)) = node.get(exclusive) else { return };
    let is_left_out = *is_left_out;
    node.shift_remove(exclusive);
    if is_left_out && let Some(limit) = node.shift_remove(bound) {
        node.insert(exclusive.to_owned(), limit);
    }
}
