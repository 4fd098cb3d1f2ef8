#!/usr/bin/env python3
"""The second judge: Python's `jsonschema` over what the drift test writes.

Reads lines from standard input: {"schema": ...} starts a schema, and each
{"value": ..., "accepted": ...} after it is a normal form and toolkit's verdict.
Prints how many verdicts there were and every disagreement; fails where there is any.

What is known of this judge, and done about it here by name:

- multipleOf: it reckons with floats, so 0.3 is no multiple of 0.1. Fractions are exact.
- pattern: `re` reads \\d, \\w and \\s as Unicode's and lets `$` stand before a line
  break. ECMA-262 does neither; patterns are compiled with re.ASCII, `$` as \\Z.
- regex: `re` takes a brace that counts nothing as itself; ECMA-262 with the flag `u`,
  in which JSON Schema means patterns, does not, nor does toolkit.
- format: it asserts none unless asked, and its own checks differ by what else is
  installed. The ones that toolkit asserts are read by hand below.
- large numbers: an int is compared with a float by its exact value, as JSON Schema
  means it; floats are read as Python's, which is what toolkit does.
- uniqueItems, enum, const: `True == 1` in Python; the package looks for that itself.
"""

import ipaddress
import json
import re
import sys
from datetime import date
from fractions import Fraction

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

MOST_SHOWN = 10


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def multiple_of(validator, step, value, schema):
    if is_number(value) and Fraction(str(value)) % Fraction(str(step)) != 0:
        yield ValidationError(f"{value!r} is no multiple of {step!r}")


def ecma(pattern):
    return re.compile(re.sub(r"(?<!\\)\$", r"\\Z", pattern), re.ASCII)


def pattern(validator, text, value, schema):
    if isinstance(value, str) and not ecma(text).search(value):
        yield ValidationError(f"{value!r} does not match {text!r}")


def pattern_properties(validator, patterns, value, schema):
    if not isinstance(value, dict):
        return
    for text, inner in patterns.items():
        for name, member in value.items():
            if ecma(text).search(name):
                yield from validator.descend(member, inner, path=name, schema_path=text)


def additional_properties(validator, inner, value, schema):
    if not isinstance(value, dict):
        return
    patterns = [ecma(text) for text in schema.get("patternProperties", {})]
    named = schema.get("properties", {})
    for name, member in value.items():
        if name not in named and not any(known.search(name) for known in patterns):
            yield from validator.descend(member, inner, path=name)


DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})\Z", re.ASCII)
CLOCK = re.compile(
    r"(\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|([+-])(\d{2}):(\d{2}))\Z", re.ASCII
)
LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
HOST = re.compile(rf"{LABEL}(\.{LABEL})*\Z")
ATOM = r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+"
LOCAL = re.compile(rf"{ATOM}(\.{ATOM})*\Z")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
CHARACTERS = re.compile(r"([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*\Z")
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
POINTER = re.compile(r"(/([^~]|~[01])*)?\Z", re.DOTALL)
DURATION = re.compile(
    r"P(?=.)(\d+W|((\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)?"
    r"(T(?=\d)(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S))?))\Z",
    re.ASCII,
)


def is_day(text):
    found = DAY.match(text)
    if not found:
        return False
    year, month, day = map(int, found.groups())
    try:
        # Python has no year 0, which was a leap year.
        date(year or 4, month, day)
    except ValueError:
        return False
    return True


def is_clock(text):
    found = CLOCK.match(text)
    if not found:
        return False
    hour, minute, second = map(int, found.group(1, 2, 3))
    east = 0
    if found.group(6):
        hours, minutes = map(int, found.group(7, 8))
        if hours > 23 or minutes > 59:
            return False
        east = (hours * 60 + minutes) * (1 if found.group(6) == "+" else -1)
    is_last = (hour * 60 + minute - east) % 1440 == 1439
    return hour < 24 and minute < 60 and (second < 60 or second == 60 and is_last)


def is_date_time(text):
    return len(text) > 11 and text[10] in "Tt" and is_day(text[:10]) and is_clock(text[11:])


def is_address(kind):
    def reads(text):
        try:
            kind(text)
        except ValueError:
            return False
        return "%" not in text

    return reads


def is_host(text):
    return len(text) <= 253 and bool(HOST.match(text))


def is_email(text):
    local, at, host = text.rpartition("@")
    return bool(at) and len(local) <= 64 and bool(LOCAL.match(local)) and is_host(host)


def is_reference(text):
    if not CHARACTERS.match(text) or text.count("#") > 1:
        return False
    if "[" not in text and "]" not in text:
        return True
    found = re.match(r"([^\[\]]*?:)?//([^\[\]/?#]*@)?\[([^\[\]]*)\](:\d*)?([/?#][^\[\]]*)?\Z", text)
    if not found:
        return False
    inner = found.group(3)
    return inner[:1] in ("v", "V") or is_address(ipaddress.IPv6Address)(inner)


def is_regex(text):
    outside_classes = re.sub(r"\\.|\[[^\]]*\]", "", text)
    if re.search(r"\{(?!\d+(,\d*)?\})", outside_classes):
        return False
    # Python has no class that holds nothing, and none that holds everything.
    without_empty = re.sub(
        r"(\\.|\[(?!\^?\])(?:\\.|[^\]\\])*\])|\[\^?\]",
        lambda found: found.group(1) or "(?:)",
        text,
        flags=re.DOTALL,
    )
    try:
        re.compile(without_empty)
    except re.error:
        return False
    return True


FORMATS = {
    "date": is_day,
    "time": is_clock,
    "date-time": is_date_time,
    "duration": lambda text: bool(DURATION.match(text)),
    "email": is_email,
    "hostname": is_host,
    "ipv4": is_address(ipaddress.IPv4Address),
    "ipv6": is_address(ipaddress.IPv6Address),
    "uri": lambda text: bool(SCHEME.match(text)) and is_reference(text),
    "uri-reference": is_reference,
    "uuid": lambda text: bool(UUID.match(text)),
    "regex": is_regex,
    "json-pointer": lambda text: bool(POINTER.match(text)),
}

CHECKER = FormatChecker(formats=())
for name, reads in FORMATS.items():
    CHECKER.checks(name)(lambda value, reads=reads: not isinstance(value, str) or reads(value))

Judge = extend(
    Draft202012Validator,
    {
        "multipleOf": multiple_of,
        "pattern": pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": additional_properties,
    },
)


def main():
    judge, schema, total, accepted, wrong = None, None, 0, 0, 0
    for line in sys.stdin:
        told = json.loads(line)
        if "schema" in told:
            schema = told["schema"]
            judge = Judge(schema, format_checker=CHECKER)
            continue
        total += 1
        accepted += told["accepted"]
        if judge.is_valid(told["value"]) != told["accepted"]:
            wrong += 1
            if wrong <= MOST_SHOWN:
                print(f"disagreement\n  schema {json.dumps(schema)}\n  {line.strip()}")
    print(f"second judge: {total} verdicts, {accepted} accepted, {wrong} disagreements")
    # Nothing heard is nothing shown.
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    sys.exit(main())
