#!/usr/bin/env python3
"""What other packages make of the same types, beside what toolkit makes of them.

Reads lines from standard input: a type's schema, values that the type takes, and the schemas
that toolkit, rig and rmcp send. Has the schema converted by the packages of Anthropic and of
OpenAI (`transform_schema`, `_ensure_strict_json_schema`, which `pydantic_function_tool` calls,
and the `ensure_strict_json_schema` of openai-agents), and looks three ways at every result:
whether making it crashed, whether its API takes it, and whether the values still fit it.

Prints a table; fails where one of toolkit's does not hold, or where a peer's cell is empty.
"""

import copy
import json
import sys

from agents.strict_schema import ensure_strict_json_schema
from anthropic.lib._parse._transform import transform_schema
from jsonschema import Draft202012Validator
from openai.lib._pydantic import _ensure_strict_json_schema

FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
COMMON = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum",
          "const", "$ref", "$defs", "description", "title", "pattern", "format", "minItems"}
TAKEN = {
    # What each API says that it takes of a strict schema.
    "anthropic": COMMON | {"default", "allOf"},
    "openai": COMMON | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                        "multipleOf", "maxItems"},
}


def nodes(schema):
    if not isinstance(schema, dict):
        return
    yield schema
    for key, value in schema.items():
        if key in ("properties", "$defs", "patternProperties"):
            for inner in value.values():
                yield from nodes(inner) if isinstance(inner, dict) else [inner]
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            for inner in value:
                yield from nodes(inner) if isinstance(inner, dict) else [inner]
        elif key in ("items", "additionalProperties", "not") and isinstance(value, dict):
            yield from nodes(value)


def is_recursive(schema):
    defs = schema.get("$defs", {})
    refers = {name: {node["$ref"].rsplit("/", 1)[-1] for node in nodes(inner)
                     if isinstance(node, dict) and "$ref" in node}
              for name, inner in defs.items()}

    def reaches(name, goal, seen):
        return any(other == goal or (other not in seen and reaches(other, goal, seen | {other}))
                   for other in refers.get(name, ()))

    return any(reaches(name, name, {name}) for name in defs)


def refusal(api, schema):
    """Why the API refuses a schema, or nothing; rmcp's is sent plainly, the others strictly."""
    if schema.get("type") != "object" or {"anyOf", "oneOf", "allOf"} & set(schema):
        return "its root is no plain object"
    for node in nodes(schema):
        if api == "plain":
            if isinstance(node, dict) and node.get("type") == "array" and "items" not in node:
                return "a list without `items`"
            continue
        if not isinstance(node, dict) or not set(node) - {"description", "title", "default"}:
            return "a value of any kind"
        unknown = sorted(set(node) - TAKEN[api] - {"$schema"})
        if unknown:
            return f"`{unknown[0]}`"
        if node.get("format") not in FORMATS | {None} | ({"uri"} if api == "anthropic" else set()):
            return f"format {node['format']}"
        if "$ref" in node and api == "openai" and len(node) > 1:
            return "words beside `$ref`"
        kinds = node.get("type")
        if kinds == "object" or (isinstance(kinds, list) and "object" in kinds):
            if node.get("additionalProperties") is not False:
                return "an open object"
            if api == "openai" and set(node.get("required", ())) != set(node.get("properties", {})):
                return "a field that is not required"
        if kinds == "array" and "items" not in node:
            return "a list without `items`"
    if api == "anthropic" and is_recursive(schema):
        return "recursion"
    return None


def filled(value, schema, root):
    """A value as a model writes it that must name every field: for what is left out, its default
    where there is one, else null."""
    if not isinstance(schema, dict):
        return value
    if "$ref" in schema:
        schema = root.get("$defs", {}).get(schema["$ref"].rsplit("/", 1)[-1], {})
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        written = {key: filled(inner, properties.get(key), root) for key, inner in value.items()}
        for key in schema.get("required", ()):
            known = properties.get(key)
            default = known.get("default") if isinstance(known, dict) else None
            written.setdefault(key, default)
        return written
    if isinstance(value, list):
        return [filled(inner, schema.get("items"), root) for inner in value]
    return value


def lost(schema, values):
    judge = Draft202012Validator(schema)
    return [value for value in values
            if not judge.is_valid(value) and not judge.is_valid(filled(value, schema, schema))]


SENT = {}


def verdict(column, api, make, values):
    try:
        made = make()
    except Exception as error:  # whatever it is, the caller meets it
        return f"crashes: {type(error).__name__}"
    if "refused" in made:
        return "refused by name"
    SENT.setdefault(column, []).append(len(json.dumps(made, separators=(",", ":"))))
    gone = lost(made, values)
    if gone:
        return f"narrows: {len(gone)} of {len(values)} lost"
    why = refusal(api, made)
    return f"API refuses: {why}" if why else "holds"


def main():
    columns = ["type", "ours, anthropic", "anthropic SDK", "ours, openai", "openai-python",
               "openai-agents", "rig", "rmcp"]
    rows, wrong = [columns], []
    for line in sys.stdin:
        told = json.loads(line)
        schema, values = told["schema"], told["values"]
        fresh = lambda: copy.deepcopy(schema)

        def ours(api):
            made = told["ours"][api]
            return verdict(f"ours, {api}", api, lambda: made.get("schema", made), made.get("values"))

        def openai():
            one = fresh()
            return _ensure_strict_json_schema(one, path=(), root=one)

        row = [
            told["name"],
            ours("anthropic"),
            verdict("anthropic SDK", "anthropic", lambda: transform_schema(fresh()), values),
            ours("openai"),
            verdict("openai-python", "openai", openai, values),
            verdict("openai-agents", "openai", lambda: ensure_strict_json_schema(fresh()), values),
            verdict("rig", "openai", lambda: told["rig"], values),
            verdict("rmcp", "plain", lambda: told["rmcp"], values),
        ]
        rows.append(row)
        wrong += [f"{row[0]}: {cell}" for cell in (row[1], row[3]) if cell not in ("holds", "refused by name")]
    types = len(rows) - 1
    sent = (SENT.get(column, []) for column in columns[1:])
    rows.append(["bytes", *(f"{sum(sizes)} of {len(sizes)} types" for sizes in sent)])
    widths = [max(len(row[at]) for row in rows) for at in range(len(columns))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    for told in wrong:
        print(f"toolkit's does not hold: {told}")
    peers = [cell for row in rows[1:types + 1] for cell in row[2:3] + row[4:]]
    if not peers or all(cell == "holds" for cell in peers):
        print("no peer was judged")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
