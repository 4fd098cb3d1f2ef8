//! Types that serde reads by gathering what is left over are refused, and no others.

#![expect(dead_code, reason = "what serde fills is only shown")]

use std::collections::BTreeMap;

use serde_json::Value;
use toolkit::prelude::*;

/// What `build()` says of a tool.
fn faults<T: toolkit::__private::Annotated>() -> Vec<String> {
    let built = Registry::builder().tool(Tool::of::<T>()).build();
    built.err().iter().flatten().map(|error| error.message().to_owned()).collect()
}

#[test]
fn flatten_is_refused_wherever_it_stands_and_nothing_else_is_taken_for_it() {
    use serde::Deserialize;

    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    struct At {
        x: u8,
        y: Option<u8>,
    }
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    struct Flat {
        text: Option<String>,
        #[serde(flatten)]
        at: Option<At>,
    }
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    struct Extra {
        text: String,
        #[serde(flatten)]
        more: BTreeMap<String, Value>,
    }
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    enum External {
        Nothing,
        Struct {
            text: String,
            #[serde(flatten)]
            at: At,
        },
    }
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind")]
    enum Internal {
        Nothing,
        Newtype(Flat),
    }
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind", content = "of")]
    enum Adjacent {
        Struct {
            text: String,
            #[serde(flatten)]
            at: Option<At>,
        },
    }
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[serde(untagged, deny_unknown_fields)]
    enum Untagged {
        Number(u8),
        Plain { x: u8 },
        Flat(Extra),
    }

    /// Draws.
    #[tool]
    fn draw(
        direct: Flat,
        list: Vec<(u8, Extra)>,
        map: BTreeMap<u8, Option<External>>,
        internal: Vec<Option<Internal>>,
        adjacent: Adjacent,
        untagged: Untagged,
    ) -> String {
        format!("{direct:?} {list:?} {map:?} {internal:?} {adjacent:?} {untagged:?}")
    }
    let places = [
        "$.direct",
        "$.list[0][1]",
        "$.map[\"1\"].Struct",
        "$.internal[0]",
        "$.adjacent.of",
        "$.untagged",
    ];
    let why = "is a type with `#[serde(flatten)]`, under which serde drops what is unknown or half \
               given; remove `flatten`, so that the inner fields stand under a field's name";
    assert_eq!(faults::<draw>(), places.map(|place| format!("{place} {why}")));

    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind", content = "of")]
    enum Fine {
        Nothing,
        Struct { text: String, at: Option<At> },
        Newtype(At),
        Tuple(u8, At),
    }
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind")]
    enum Tagged {
        Nothing,
        Struct { at: At },
        Newtype(At),
        Empty {},
    }
    #[derive(Debug, schemars::JsonSchema)]
    struct ByHand {
        text: String,
    }
    impl<'de> Deserialize<'de> for ByHand {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let object = BTreeMap::<String, String>::deserialize(deserializer)?;
            let text = object.get("text").cloned();
            let text = text.ok_or_else(|| serde::de::Error::missing_field("text"))?;
            Ok(Self { text })
        }
    }
    /// Its only field takes bytes, as those of `serde_bytes` do.
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    struct Upload {
        #[serde(deserialize_with = "bytes")]
        #[schemars(with = "String")]
        data: Vec<u8>,
    }
    fn bytes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        struct Bytes;
        impl serde::de::Visitor<'_> for Bytes {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }

            fn visit_str<E>(self, text: &str) -> Result<Vec<u8>, E> {
                Ok(text.as_bytes().to_vec())
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
    /// It panics on what it is not made for.
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, schemars::JsonSchema)]
    #[serde(from = "String")]
    #[schemars(with = "String")]
    struct Code(String);
    impl From<String> for Code {
        fn from(text: String) -> Self {
            Self(text[..3].to_owned())
        }
    }

    /// Takes.
    #[tool]
    fn take(
        upload: Upload,
        codes: BTreeMap<Code, u8>,
        at: At,
        fine: Vec<Fine>,
        tagged: Option<Tagged>,
        range: std::ops::Range<u8>,
        wait: std::time::Duration,
        since: Option<std::time::SystemTime>,
        bound: std::ops::Bound<u8>,
        result: Result<At, String>,
        hand: ByHand,
    ) -> String {
        let std = format!("{range:?} {wait:?} {since:?} {bound:?} {result:?}");
        format!("{upload:?} {codes:?} {at:?} {fine:?} {tagged:?} {std} {hand:?}")
    }
    assert_eq!(faults::<take>(), Vec::<String>::new());
}
