//! Signatures as dice throw them, each a tool of a program that holds it to its schema.

use std::fmt::Write as _;

use toolkit_tests::Dice;

/// A tool as it is written, and what its schema must say.
pub struct Generated {
    name: String,
    text: String,
    fields: Vec<Field>,
}

/// A field of the schema: its name, whether it must be given, and keywords with their values.
struct Field {
    name: String,
    is_required: bool,
    keywords: Vec<(&'static str, String)>,
}

/// Throws so many tools.
pub fn tools(dice: &mut Dice, count: usize) -> Vec<Generated> {
    (0..count).map(|number| tool(dice, number)).collect()
}

/// Names that a user may well write, and that the attribute may not trip over.
const NAMES: [&str; 16] = [
    "order_id", "r#type", "r#match", "r#fn", "passage", "function", "slot0", "args", "result",
    "context", "held", "this", "format", "value", "__kit", "_unused",
];

fn tool(dice: &mut Dice, number: usize) -> Generated {
    let mut names: Vec<&str> = NAMES.to_vec();
    let count = if dice.one_in(12) { 12 } else { dice.below(6) };
    let (mut params, mut fields, mut used) = (String::new(), Vec::new(), Vec::new());
    for index in 0..count {
        let ident = names.remove(dice.below(names.len()));
        let param = Param::thrown(dice);
        let plain = ident.trim_start_matches("r#");
        let renamed = dice.one_in(4).then(|| format!("{}_{index}", plain.trim_matches('_')));
        let mut keys: Vec<String> =
            renamed.iter().map(|name| format!("rename = {name:?}")).collect();
        keys.extend(param.keys.iter().map(|(key, _, value)| format!("{key} = {value}")));
        keys.extend(param.default.iter().map(|default| format!("default = {default}")));
        if dice.one_in(2) {
            params += "    /// Says what it is.\n    ///\n    /// In two paragraphs.\n";
        }
        if !keys.is_empty() {
            let _ = writeln!(params, "    #[arg({})]", keys.join(", "));
        }
        let mutable = if dice.one_in(6) && !param.ty.starts_with('&') { "mut " } else { "" };
        if !mutable.is_empty() {
            params += "    #[allow(unused_mut)]\n";
        }
        let _ = writeln!(params, "    {mutable}{ident}: {},", param.ty);
        used.push(format!("&{ident}"));
        let of = param.ty.trim_start_matches('&');
        fields.push(Field {
            name: renamed.unwrap_or_else(|| plain.to_owned()),
            is_required: !of.starts_with("Option<")
                && !of.starts_with("Maybe<")
                && param.default.is_none(),
            keywords: param.keys.into_iter().map(|(_, keyword, value)| (keyword, value)).collect(),
        });
    }
    let (start, output) = *dice.pick(&[
        ("fn", "String"),
        ("async fn", "String"),
        ("fn", "Result<String, ToolError>"),
        ("async fn", "Fallible<String>"),
    ]);
    let name = format!("tool_{number}");
    let shown = format!("let shown = format!(\"{{:?}}\", ({}));", used.join(", ") + ",");
    let shown = if used.is_empty() { "let shown = String::new();".to_owned() } else { shown };
    let end = if output == "String" { "shown" } else { "Ok(shown)" };
    let text = format!(
        "/// Shows what it is given.\n#[tool]\n{start} {name}(\n{params}) -> {output} {{\n    \
         {shown}\n    {end}\n}}\n"
    );
    Generated { name, text, fields }
}

/// The type of a parameter, and what is said of it.
struct Param {
    ty: String,
    /// A key, the keyword that it becomes, and its value.
    keys: Vec<(&'static str, &'static str, String)>,
    default: Option<String>,
}

impl Param {
    fn thrown(dice: &mut Dice) -> Self {
        let kinds: [fn(&mut Dice) -> Self; 6] = [integer, float, text, list, plain, plain];
        let mut param = dice.pick(&kinds)(dice);
        let is_lent = param.ty.starts_with('&');
        if !is_lent && dice.one_in(3) {
            let option = *dice.pick(&["Option", "Maybe"]);
            param.ty = format!("{option}<{}>", param.ty);
        } else if !is_lent && dice.one_in(8) {
            param.ty = format!("&{}", param.ty);
        }
        param
    }
}

/// A least and a greatest number of a type, between which there is something.
fn between(dice: &mut Dice, least: i64, most: i64) -> (i64, i64) {
    let span = usize::try_from((most - least).min(1_000)).expect("the least is first");
    let low = least + i64::try_from(dice.below(span)).expect("it is small");
    (low, low + i64::try_from(dice.below(span)).expect("it is small").min(most - low))
}

fn integer(dice: &mut Dice) -> Param {
    let types = [
        ("u8", 0, 255),
        ("i8", -128, 127),
        ("u16", 0, 65_535),
        ("i32", -1_000_000, 1_000_000),
        ("u32", 0, 1_000_000),
        ("i64", -1_000_000, 1_000_000),
        ("u64", 0, 1_000_000),
        ("usize", 0, 1_000_000),
    ];
    let &(ty, least, most) = dice.pick(&types);
    let (low, high) = between(dice, least, most);
    let mut keys = Vec::new();
    if dice.one_in(2) {
        keys.push(("minimum", "minimum", low.to_string()));
    }
    if dice.one_in(2) {
        keys.push(("maximum", "maximum", high.to_string()));
    }
    if dice.one_in(5) {
        keys = vec![("multiple_of", "multipleOf", "5".to_owned())];
    }
    let is_multiple = keys.iter().any(|(key, ..)| *key == "multiple_of");
    let default = if is_multiple { 10 } else { low };
    Param { ty: ty.to_owned(), keys, default: dice.one_in(4).then(|| default.to_string()) }
}

fn float(dice: &mut Dice) -> Param {
    let (low, high) = between(dice, -1_000, 1_000);
    let mut keys = Vec::new();
    match dice.below(4) {
        0 => keys.push(("minimum", "minimum", format!("{low}.5"))),
        1 => keys.push(("exclusive_minimum", "exclusiveMinimum", low.to_string())),
        2 => keys.push(("maximum", "maximum", format!("{}.25", high + 1))),
        _ => {}
    }
    Param { ty: "f64".to_owned(), keys, default: None }
}

fn text(dice: &mut Dice) -> Param {
    let ty = *dice.pick(&["String", "String", "&str", "Box<str>"]);
    let quoted = |text: &str| format!("{text:?}");
    let mut keys = Vec::new();
    let mut default = None;
    match dice.below(5) {
        0 => {
            let low = dice.below(4);
            keys.push(("min_length", "minLength", low.to_string()));
            keys.push(("max_length", "maxLength", (low + dice.below(9)).to_string()));
            default = dice.one_in(3).then(|| quoted(&"x".repeat(low)));
        }
        1 => {
            let patterns = [r"^O-\d+$", "^[a-z]{2,5}$", r"^(a|bc)+$", r"^\p{L}*$", "x"];
            let pattern: &&str = dice.pick(&patterns);
            keys.push(("pattern", "pattern", quoted(pattern)));
        }
        2 => {
            let formats = ["date", "email", "uuid", "time", "ipv4", "uri"];
            let format: &&str = dice.pick(&formats);
            keys.push(("format", "format", quoted(format)));
        }
        _ => default = dice.one_in(4).then(|| quoted("as \"usual\"")),
    }
    Param { ty: ty.to_owned(), keys, default }
}

fn list(dice: &mut Dice) -> Param {
    let item = *dice.pick(&["u8", "String", "Color", "Option<i32>", "Point", "Vec<bool>"]);
    let ty = if dice.one_in(3) { format!("&[{item}]") } else { format!("Vec<{item}>") };
    let mut keys = Vec::new();
    if dice.one_in(3) {
        let low = dice.below(3);
        keys.push(("min_items", "minItems", low.to_string()));
        keys.push(("max_items", "maxItems", (low + dice.below(4)).to_string()));
    }
    if dice.one_in(4) {
        keys.push(("unique_items", "uniqueItems", "true".to_owned()));
    }
    Param { ty, keys, default: None }
}

fn plain(dice: &mut Dice) -> Param {
    let types = [
        "bool",
        "char",
        "f32",
        "Point",
        "Color",
        "Shape",
        "Cents",
        "Tree",
        "(u8, String)",
        "[i8; 2]",
        "BTreeMap<String, i64>",
        "BTreeMap<u8, Color>",
        "Option<Option<u8>>",
        "Either",
        "std::num::NonZeroU8",
        "Named<Point>",
        "Wide",
    ];
    Param { ty: (*dice.pick(&types)).to_owned(), keys: Vec::new(), default: None }
}

/// A program that holds every tool to its schema, and its schema to what was thrown.
pub fn program(tools: &[Generated]) -> String {
    let text = tools.iter().map(|tool| tool.text.as_str()).collect::<Vec<_>>().join("\n");
    let held: String = tools.iter().map(held).collect();
    format!("{HEAD}\n{text}\nfn main() {{\n{held}    assert!(*ACCEPTED.lock().unwrap() > 0);\n}}\n")
}

fn held(tool: &Generated) -> String {
    let mut fields = String::new();
    for Field { name, is_required, keywords } in &tool.fields {
        let _ = write!(fields, "({name:?}, {is_required}, vec![");
        for (word, value) in keywords {
            let _ = write!(fields, "({word:?}, {value:?}), ");
        }
        fields += "]), ";
    }
    format!("    hold(Tool::of::<{}>(), &[{fields}]);\n", tool.name)
}

const HEAD: &str = r#"//! Signatures that dice have thrown.

#![deny(warnings)]
#![allow(dead_code)]

#[allow(unused_imports)]
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Mutex;

use toolkit::prelude::*;
use toolkit::testing::Trial;

type Maybe<T> = Option<T>;
type Fallible<T> = Result<T, Failure>;

/// A point.
#[derive(Debug)]
#[arg_type]
struct Point {
    x: f64,
    /// Up.
    y: Option<i32>,
}

#[derive(Debug, PartialEq)]
#[arg_type]
#[serde(rename_all = "lowercase")]
enum Color {
    /// Like a rose.
    Red,
    Green,
}

#[derive(Debug)]
#[arg_type]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    Line(Point),
    Nothing,
}

#[derive(Debug)]
#[arg_type]
struct Cents(u32);

#[derive(Debug)]
#[arg_type]
struct Tree {
    left: Option<Box<Tree>>,
    leaves: Vec<u8>,
}

#[derive(Debug)]
#[arg_type]
#[serde(untagged)]
enum Either {
    Word(String),
    Many { words: Vec<String> },
}

#[derive(Debug)]
#[arg_type]
struct Named<T> {
    name: String,
    of: T,
}

#[derive(Debug)]
#[arg_type]
#[serde(rename_all = "camelCase")]
struct Wide {
    first_name: String,
    #[serde(default)]
    r#type: u8,
    #[schemars(length(max = 3))]
    last_names: Vec<String>,
}

static ACCEPTED: Mutex<usize> = Mutex::new(0);

/// A field, whether it must be given, and keywords with their values as JSON.
type Expected = (&'static str, bool, Vec<(&'static str, &'static str)>);

fn is<T: FromStr + PartialEq>(value: &T, json: &str) -> bool {
    json.parse::<T>().is_ok_and(|expected| expected == *value)
}

fn hold(tool: Tool, expected: &[Expected]) {
    let name = tool.name().to_owned();
    let trial = Trial::of(tool).unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let schema = trial.schema();
    let properties = schema["properties"].as_object().unwrap();
    let names: Vec<&str> = expected.iter().map(|(name, ..)| *name).collect();
    assert_eq!(properties.keys().collect::<Vec<_>>(), names, "{name}: {schema}");
    let required: Vec<&str> = expected.iter().filter(|e| e.1).map(|(name, ..)| *name).collect();
    let published = schema.get("required");
    let agrees = published.map_or(required.is_empty(), |list| is(list, &format!("{required:?}")));
    assert!(agrees, "{name}: {required:?}: {schema}");
    for (field, _, keywords) in expected {
        for (word, value) in keywords {
            assert!(is(&properties[*field][*word], value), "{name}: {field}: {word}: {schema}");
        }
    }
    let seed = std::env::var("TOOLKIT_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| std::hash::BuildHasher::hash_one(
        &std::collections::hash_map::RandomState::new(),
        1,
    ));
    println!("{name}: TOOLKIT_SEED={seed}");
    let agreement = trial.agree(60, seed, |_| {}).unwrap_or_else(|odd| panic!("{name}: {odd}"));
    assert_eq!(agreement.refused_by_type, 0, "{name}");
    *ACCEPTED.lock().unwrap() += agreement.accepted;
}
"#;
