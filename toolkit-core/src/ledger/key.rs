//! What a call is known by: digests over its parts, and ids that nobody can guess.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use super::store::{LedgerError, Misspelt, RowKey, Timestamp};

/// A SHA-256, written as 64 hexadecimal digits.
///
/// ```
/// use toolkit::ledger::Digest;
///
/// let digest = Digest::of_arguments(r#"{"amount":20}"#);
/// assert_ne!(digest, Digest::of_arguments(r#"{"amount":21}"#));
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Of several parts, each behind its length, so that no two lists of parts read alike.
    #[must_use]
    pub fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            let part = part.as_ref();
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// Of the canonical arguments, which are one text for all ways to write the same call.
    #[must_use]
    pub fn of_arguments(canonical: &str) -> Self {
        Self(Sha256::digest(canonical).into())
    }

    /// Of canonical arguments of which some are secret: an HMAC-SHA-256 (RFC 2104), so that who
    /// has the digest and not the key can not try what was meant.
    #[must_use]
    pub fn of_secret(key: &[u8], canonical: &str) -> Self {
        let mut mac = keyed(key);
        mac.update(canonical.as_bytes());
        Self(mac.finalize().into_bytes().into())
    }

    /// Whether they are the same, without telling by the time it takes where they differ.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
    }
}

#[expect(clippy::expect_used, reason = "an HMAC takes a key of any length")]
fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("any length is right")
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        RowKey(self.0).fmt(f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = Misspelt;

    fn from_str(text: &str) -> Result<Self, Misspelt> {
        let wrong = |_key| Misspelt::new("a digest has 64 hexadecimal digits", text);
        text.parse().map(|RowKey(bytes)| Self(bytes)).map_err(wrong)
    }
}

/// The row of a call: its own in each tenant, for each principal and each tool.
#[must_use]
pub fn row_key(tenant: &str, principal: &str, tool: &str, key: &str) -> RowKey {
    let parts = ["idem/v1", tenant, principal, tool, key];
    RowKey(Digest::of(parts).0)
}

/// What a call is known by where nobody named it: the run, and what it asks for.
#[must_use]
pub fn key_of_run(run_id: &str, fingerprint: &Digest) -> String {
    Digest::of(["run/v1".as_bytes(), run_id.as_bytes(), &fingerprint.0]).to_string()
}

/// What a tool was when a call was frozen: all that a person who agreed relied on.
#[must_use]
pub fn tool_revision(parts: &[&str]) -> Digest {
    Digest::of([&["tool/v1"], parts].concat())
}

/// What a person agrees to, in one digest.
#[derive(Debug, Clone, Copy)]
pub struct Bound<'a> {
    /// The id that the person decides by.
    pub approval_id: &'a str,
    /// Whose tenant's it is.
    pub tenant: &'a str,
    /// Who asked.
    pub requester: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// What the tool was.
    pub tool_revision: &'a Digest,
    /// The arguments.
    pub fingerprint: &'a Digest,
    /// What the person read.
    pub rendered: &'a str,
    /// Until when it holds.
    pub expires_at: Timestamp,
}

impl Bound<'_> {
    /// The digest.
    #[must_use]
    pub fn binding(&self) -> Digest {
        let Self { approval_id, tenant, requester, tool, .. } = self;
        let rendered: [u8; 32] = Sha256::digest(self.rendered).into();
        let texts = ["approval/v1", approval_id, tenant, requester, tool].map(str::as_bytes);
        let expires_at = self.expires_at.0.to_be_bytes();
        let digests: [&[u8]; 4] =
            [&self.tool_revision.0, &self.fingerprint.0, &rendered, &expires_at];
        Digest::of(texts.into_iter().chain(digests))
    }
}

/// An id that a host gave a call is not of the form that ids have.
///
/// ```
/// use toolkit::ledger::intent_id;
///
/// let error = intent_id("refund-1").unwrap_err().to_string();
/// assert!(error.starts_with("an intent id has 16 to 255 letters, digits"), "{error}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "an intent id has 16 to 255 letters, digits or `_`, `.`, `:`, `-`; {found}: short ones are \
     guessed or used twice"
)]
pub struct NoIntentId {
    found: String,
}

/// Takes an id that the host gave a call, where it is one.
///
/// ```
/// use toolkit::ledger::intent_id;
///
/// assert_eq!(intent_id("ticket-4471:refund"), Ok("ticket-4471:refund"));
/// assert!(intent_id("ticket 4471, refund").is_err());
/// ```
///
/// # Errors
/// It is too short or too long, or has other characters.
pub fn intent_id(text: &str) -> Result<&str, NoIntentId> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
    let found = match text.chars().find(|c| !fits(*c)) {
        Some(other) => format!("there is a {other:?} in it"),
        None if (16..=255).contains(&text.len()) => return Ok(text),
        None => format!("it has {}", text.len()),
    };
    Err(NoIntentId { found })
}

/// Writes 128 bits as 26 letters and digits that are not taken for each other.
fn written(prefix: &str, bits: u128, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut letters = [0; 26];
    for (place, letter) in letters.iter_mut().rev().enumerate() {
        let digit = usize::try_from((bits >> (place * 5)) & 31).unwrap_or_default();
        *letter = LETTERS.get(digit).copied().unwrap_or_default();
    }
    f.write_str(prefix)?;
    f.write_str(str::from_utf8(&letters).unwrap_or_default())
}

/// The digits of 32 after Crockford: without `i`, `l`, `o` and `u`.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

fn read(prefix: &str, text: &str) -> Option<u128> {
    let digits = text.strip_prefix(prefix)?;
    if digits.len() != 26 {
        return None;
    }
    digits.chars().try_fold(0u128, |bits, c| {
        // What people write for the letters that are left out.
        let letter = match c.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        };
        let digit = LETTERS.iter().position(|known| char::from(*known) == letter)?;
        bits.checked_mul(32)?.checked_add(u128::try_from(digit).ok()?)
    })
}

/// One try to run a call: 128 random bits.
///
/// ```
/// use toolkit::ledger::AttemptId;
///
/// assert_eq!(AttemptId(33).to_string(), "att_00000000000000000000000011");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId(pub u128);

/// What people decide on a parked call by: 128 random bits, in letters and digits that are not
/// taken for each other.
///
/// ```
/// use toolkit::ledger::ApprovalId;
///
/// let typed = "apr_OOOOOOOOOOOOOOOOOOOOOOOOIL".parse();
/// assert_eq!(typed, Ok(ApprovalId(33)));
/// assert_eq!(ApprovalId(33).to_string(), "apr_00000000000000000000000011");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApprovalId(pub u128);

/// An id is read and shown as the text that people read.
macro_rules! id {
    ($name:ident, $prefix:literal, $what:literal) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                written($prefix, self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = Misspelt;

            fn from_str(text: &str) -> Result<Self, Misspelt> {
                const RIGHT: &str = concat!($what, " is `", $prefix, "` and 26 letters and digits");
                read($prefix, text).map(Self).ok_or_else(|| Misspelt::new(RIGHT, text))
            }
        }
    };
}

id!(AttemptId, "att_", "an attempt's id");
id!(ApprovalId, "apr_", "an approval's id");

/// One attempt in doubt, as somebody saw it: who resolves it names this.
///
/// A word on what became of an attempt counts for that attempt alone, and that it did *not* take
/// effect can be seen only once it can not any more. So whoever tells it also tells when they
/// began to look, which is when they were shown the doubt.
///
/// It is written as one text, for a command line or a form to hand on.
///
/// ```
/// use toolkit::ledger::{AttemptId, Doubt, RowKey, Timestamp};
///
/// let doubt = Doubt { key: RowKey([0xab; 32]), attempt: AttemptId(7), seen_at: Timestamp(1_000) };
/// let text = doubt.to_string();
/// assert_eq!(text, format!("{}:{}:1000", doubt.key, doubt.attempt));
/// assert_eq!(text.parse(), Ok(doubt));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Doubt {
    /// The call's row.
    pub key: RowKey,
    /// The attempt.
    pub attempt: AttemptId,
    /// When it was shown, by the store's clock.
    pub seen_at: Timestamp,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.key, self.attempt, self.seen_at.0)
    }
}

impl FromStr for Doubt {
    type Err = Misspelt;

    fn from_str(text: &str) -> Result<Self, Misspelt> {
        const RIGHT: &str = "a doubt is a row's key, an attempt's id and a time, with `:` between";
        let wrong = || Misspelt::new(RIGHT, text);
        let mut parts = text.split(':');
        let (Some(key), Some(attempt), Some(seen_at), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        let seen_at = Timestamp(seen_at.parse().map_err(|_digits| wrong())?);
        Ok(Self { key: key.parse()?, attempt: attempt.parse()?, seen_at })
    }
}

/// Documents hold these as the text that people read.
macro_rules! as_text {
    ($($name:ident)*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

as_text!(RowKey Digest AttemptId ApprovalId);

/// 128 bits that nobody can guess.
///
/// # Errors
/// The system gives none.
pub(super) fn random() -> Result<u128, LedgerError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| LedgerError::unavailable(format!("no random numbers: {error}")))?;
    Ok(u128::from_be_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_read_alike_together_are_told_apart() {
        assert_ne!(row_key("a", "bc", "t", "k"), row_key("ab", "c", "t", "k"));
        assert_ne!(row_key("", "a", "t", "k"), row_key("a", "", "t", "k"));
        assert_ne!(row_key("x", "a", "t", "k"), row_key("y", "a", "t", "k"));
    }

    #[test]
    fn a_key_is_the_sha_256_of_its_parts_behind_their_lengths() {
        let mut bytes = Vec::new();
        for part in ["idem/v1", "furniture", "ann", "refund", "intent-0000000001"] {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part.as_bytes());
        }
        let expected: [u8; 32] = Sha256::digest(&bytes).into();
        assert_eq!(row_key("furniture", "ann", "refund", "intent-0000000001"), RowKey(expected));
    }

    #[test]
    fn numbers_beyond_a_double_and_forms_of_one_letter_have_their_own_fingerprints() {
        let texts = [
            r#"{"id":9007199254740992}"#,
            r#"{"id":9007199254740993}"#,
            "{\"name\":\"\u{e9}\"}",
            "{\"name\":\"e\u{301}\"}",
        ];
        let mut seen: Vec<_> = texts.map(Digest::of_arguments).to_vec();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), texts.len());
    }

    #[test]
    fn every_part_is_in_the_binding() {
        let (a, b) = (Digest([1; 32]), Digest([2; 32]));
        let bound = Bound {
            approval_id: "apr_1",
            tenant: "furniture",
            requester: "ann",
            tool: "refund",
            tool_revision: &a,
            fingerprint: &a,
            rendered: "refund for ann",
            expires_at: Timestamp(7),
        };
        let others = [
            Bound { approval_id: "apr_2", ..bound },
            Bound { tenant: "food", ..bound },
            Bound { requester: "bob", ..bound },
            Bound { tool: "close", ..bound },
            Bound { tool_revision: &b, ..bound },
            Bound { fingerprint: &b, ..bound },
            Bound { rendered: "refund for bob", ..bound },
            Bound { expires_at: Timestamp(8), ..bound },
        ];
        assert!(others.iter().all(|other| other.binding() != bound.binding()));
    }

    #[test]
    fn an_id_is_read_as_it_is_written_and_as_people_write_it() {
        for bits in [0, 1, 31, 32, u128::MAX, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef] {
            let id = ApprovalId(bits);
            assert_eq!(id.to_string().len(), "apr_".len() + 26);
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        let typed = "apr_OOOOOOOOOOOOOOOOOOOOOOOOiL";
        assert_eq!(typed.parse(), Ok(ApprovalId(33)));
        for wrong in ["apr_1", "att_00000000000000000000000000", "apr_zzzzzzzzzzzzzzzzzzzzzzzzzz"] {
            let right = "an approval's id is `apr_` and 26 letters and digits";
            assert_eq!(wrong.parse::<ApprovalId>(), Err(Misspelt::new(right, wrong)));
        }
    }

    #[test]
    fn an_intent_id_that_can_be_guessed_is_refused() {
        assert_eq!(intent_id("order-4471:refund.1"), Ok("order-4471:refund.1"));
        let refused = |text: &str| intent_id(text).unwrap_err().found;
        assert_eq!(refused("refund-1"), "it has 8");
        assert_eq!(refused(&"x".repeat(256)), "it has 256");
        assert_eq!(refused("order 4471 refund 1"), "there is a ' ' in it");
        assert_eq!(refused("order-4471-r\u{e9}fund"), "there is a '\u{e9}' in it");
    }
}
