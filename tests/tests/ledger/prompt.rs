//! What a person reads, through every character there is and on a terminal.

use toolkit::__private::ledger::Prompt;
use toolkit::ledger::Digest;

fn prompt(arguments: &str) -> String {
    let prompt = Prompt {
        tool: "refund",
        principal: "ann",
        tenant: Some("furniture"),
        arguments,
        preview: None,
    };
    prompt.to_string()
}

/// The lines below the first.
fn lines(arguments: &str) -> Vec<String> {
    prompt(arguments).lines().skip(1).map(|line| line.trim_start().to_owned()).collect()
}

fn value_of(text: &str) -> String {
    let arguments = serde_json::json!({ "note": text }).to_string();
    prompt(&arguments)
}

#[test]
fn each_argument_has_its_line_with_its_type_and_its_length() {
    let arguments = r#"{"order_id":"O-1","amount":20.5,"lines":[{"qty":2},{"qty":3}],"tags":[],
        "extra":{"a b":null,"sure":true}}"#;
    let shown = prompt(arguments);
    let expected = r#"refund for ann of furniture
  order_id: text(3) = "O-1"
  amount: number = 20.5
  lines: list(2)
  lines[0]: object(1)
  lines[0].qty: number = 2
  lines[1]: object(1)
  lines[1].qty: number = 3
  tags: list(0)
  extra: object(2)
  extra["a b"]: null
  extra.sure: bool = true"#;
    assert_eq!(shown, expected);
}

#[test]
fn numbers_are_exact() {
    let arguments = r#"{"a":9007199254740993,"b":18446744073709551616,"c":-0.1,"d":1e400}"#;
    assert_eq!(
        lines(arguments),
        [
            "a: number = 9007199254740993",
            "b: number = 18446744073709551616",
            "c: number = -0.1",
            "d: number = 1e400"
        ]
    );
}

#[test]
fn a_preview_is_told_as_the_tools_own_words() {
    let prompt = Prompt {
        tool: "refund",
        principal: "ann\u{202e}",
        tenant: None,
        arguments: "{}",
        preview: Some("all is well\n  amount: number = 1"),
    };
    let expected = "refund for \"ann\\u{202e}\" [not ASCII: U+202E]\n  the tool tells: \
                    \"all is well\\n  amount: number = 1\"";
    assert_eq!(prompt.to_string(), expected);
}

#[test]
fn a_long_value_is_cut_in_the_middle_and_its_end_is_seen() {
    let long = format!("pay alice {} and mallory", "x".repeat(1_000));
    let shown = value_of(&long);
    let digest = Digest::of_arguments(&long);
    assert!(shown.contains("text(1022) = \"pay alice xxx"), "{shown}");
    assert!(shown.contains(r#"" ... 782 characters are not shown ... "xxx"#), "{shown}");
    let end = format!("xxx and mallory\" [SHA-256 of all {digest}]");
    assert!(shown.ends_with(&end), "{shown}");
}

#[test]
fn the_longest_value_that_is_shown_whole_has_400_characters() {
    let whole = "x".repeat(400);
    assert!(value_of(&whole).ends_with(&format!("note: text(400) = \"{whole}\"")));
    let (longer, side) = ("x".repeat(401), "x".repeat(120));
    let digest = Digest::of_arguments(&longer);
    let cut = format!(
        "note: text(401) = \"{side}\" ... 161 characters are not shown ... \"{side}\" \
         [SHA-256 of all {digest}]"
    );
    assert!(value_of(&longer).ends_with(&cut));
}

#[test]
fn eight_letters_beyond_ascii_are_told_one_by_one_and_the_others_counted() {
    let told = "U+03B1 U+03B2 U+03B3 U+03B4 U+03B5 U+03B6 U+03B7 U+03B8";
    for (text, marks) in [
        ("αβγδεζηθ", format!(" [not ASCII: {told}; Greek]")),
        ("αβγδεζηθικ", format!(" [not ASCII: {told} and 2 more; Greek]")),
    ] {
        let shown = value_of(text);
        assert!(shown.ends_with(&format!("\"{text}\"{marks}")), "{shown}");
    }
}

#[test]
fn a_line_can_not_be_forged() {
    let shown = value_of("x\"\n  amount: number = 1");
    assert_eq!(shown.lines().count(), 2);
    assert!(shown.ends_with(r#"note: text(23) = "x\"\n  amount: number = 1""#), "{shown}");
    let name = serde_json::json!({ "a\n  amount: number = 1": 2 }).to_string();
    assert_eq!(lines(&name), [r#""a\n  amount: number = 1": number = 2"#]);
    let name = serde_json::json!({ "a": { "b.c": 1 } }).to_string();
    assert_eq!(lines(&name), ["a: object(1)", r#"a["b.c"]: number = 1"#]);
}

#[test]
fn a_name_that_could_be_taken_for_something_else_is_quoted() {
    let long = "x".repeat(121);
    let names = serde_json::json!({ "": 1, "1a": 2, "a_1": 3, &long[..120]: 4, &long: 5 });
    assert_eq!(
        lines(&names.to_string()),
        [
            r#""": number = 1"#,
            r#""1a": number = 2"#,
            "a_1: number = 3",
            &format!("{}: number = 4", &long[..120]),
            &format!("\"{long}\": number = 5"),
        ],
    );
    let asked_by = |principal| {
        let prompt =
            Prompt { tool: "pay", principal, tenant: None, arguments: "{}", preview: None };
        prompt.to_string()
    };
    assert_eq!(asked_by("ann@shop-1.example"), "pay for ann@shop-1.example");
    assert_eq!(asked_by(""), r#"pay for """#);
    assert_eq!(asked_by("ann of shop"), r#"pay for "ann of shop""#);
    assert_eq!(asked_by(&long), format!("pay for \"{long}\""));
}

#[test]
fn a_word_in_mixed_scripts_is_flagged() {
    let shown = value_of("p\u{430}ypal");
    let expected = "note: text(6) = \"p\u{430}ypal\" [not ASCII: U+0430; Cyrillic; MIXED SCRIPTS in \
                    \"p\u{430}ypal\"]";
    assert!(shown.ends_with(expected), "{shown}");
}

#[test]
fn words_of_one_script_each_are_not_mixed_and_a_mark_on_a_letter_ends_no_word() {
    let beside = value_of("pay \u{440}\u{430}\u{443}");
    assert!(beside.ends_with("[not ASCII: U+0430 U+0440 U+0443; Cyrillic]"), "{beside}");
    let marked = value_of("pa\u{301}\u{443}");
    assert!(marked.contains("; MIXED SCRIPTS in \"pa"), "{marked}");
}

#[test]
fn letters_of_one_script_are_told_and_not_flagged() {
    let told = [
        ("caf\u{e9}", "[not ASCII: U+00E9; Latin]"),
        ("\u{440}\u{430}\u{443}", "[not ASCII: U+0430 U+0440 U+0443; Cyrillic]"),
        (
            "\u{6771}\u{4eac}\u{3067}\u{3059}",
            "[not ASCII: U+3059 U+3067 U+4EAC U+6771; Han Hiragana]",
        ),
    ];
    for (text, marks) in told {
        let shown = value_of(text);
        assert!(shown.ends_with(marks), "{shown}");
    }
}

#[test]
fn what_is_no_json_is_shown_and_not_believed() {
    assert_eq!(lines("{\"a\":"), [r#"(all): unread = "{\"a\":""#]);
    assert_eq!(lines(r#"["a"]"#), ["(all): list(1)", r#"[0]: text(1) = "a""#]);
    for (opens, closes) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", opens.repeat(5_000), closes.repeat(5_000));
        assert!(prompt(&deep).lines().count() < 100, "{opens}");
    }
}

/// Whether a terminal shows the character as one mark of its own.
fn is_shown(c: char) -> bool {
    let is_hidden =
        matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' | '\u{fffd}');
    matches!(c, ' '..='~') || (!c.is_ascii() && !is_hidden && !escapes(c))
}

/// Whether the standard library escapes it: control, format, unassigned, and marks that stand on
/// what is before them.
fn escapes(c: char) -> bool {
    c.escape_debug().count() > 1
}

/// Each alone in a text of its own, and as many on a terminal as it has lines for.
#[test]
fn no_character_there_is_prints_as_anything_but_itself() {
    let all: Vec<char> = (0..=0x0010_ffff).filter_map(char::from_u32).collect();
    assert_eq!(all.len(), 1_112_064);
    for some in all.chunks(24) {
        let lines: Vec<String> = some.iter().map(|c| quoted(*c)).collect();
        assert_eq!(screen_of(&lines.join("\n"), 24), lines);
    }
}

/// An argument that is one character, as it stands in its line.
fn quoted(c: char) -> String {
    let arguments = format!("{{\"note\":{}}}", serde_json::to_string(&c.to_string()).unwrap());
    let shown = prompt(&arguments);
    let line = shown.lines().nth(1).unwrap();
    let value = line.strip_prefix("  note: text(1) = \"").unwrap();
    assert_eq!(shown.lines().count(), 2, "U+{:04X}", u32::from(c));
    assert!(value.chars().all(is_shown), "U+{:04X}: {value:?}", u32::from(c));
    if !c.is_ascii() {
        let mark = format!("\" [not ASCII: U+{:04X}", u32::from(c));
        assert!(value.contains(&mark), "U+{:04X}: {value:?}", u32::from(c));
    }
    let (value, _) = value.rsplit_once('"').unwrap();
    format!("\"{value}\"")
}

fn size(cells: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(cells).unwrap()
}

#[test]
fn a_terminal_shows_what_was_meant() {
    let attacks = [
        "\u{1b}[2J\u{1b}[Happroved",
        "\u{9b}2J\u{9b}H",
        "\u{1b}]0;title\u{7}",
        "\u{1b}]8;;http://evil\u{1b}\\link\u{1b}]8;;\u{1b}\\",
        "a\rb",
        "a\u{8}\u{8}b",
        "a\u{7f}b",
        "\u{202e}evil\u{202c}",
        "\u{2066}x\u{2069}",
        "a\u{200b}b\u{feff}c",
        "\u{e0041}\u{e0042}",
        "e\u{301}\u{302}",
        "\u{3164}\u{115f}\u{ffa0}\u{2800}",
        "\u{85}\u{2028}\u{2029}",
        "\t\u{b}\u{c}",
        "\u{90}q\u{9c}",
        "caf\u{e9} \u{6771}\u{4eac}",
    ];
    for attack in attacks {
        assert_eq!(
            screen_of(&value_of(attack), 400),
            value_of(attack).lines().collect::<Vec<_>>(),
            "{attack:?}"
        );
    }
}

/// What a terminal shows of a text, but for empty lines at its end.
fn screen_of(text: &str, wide: u16) -> Vec<String> {
    let mut terminal = vt100::Parser::new(size(24), size(wide), 0);
    terminal.process(text.replace('\n', "\r\n").as_bytes());
    let rows = terminal.screen().rows(0, wide).map(|row| row.trim_end().to_owned());
    let mut rows: Vec<_> = rows.collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}
