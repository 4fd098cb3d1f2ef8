//! Names of tools on the wire.

/// Letters of a name that every provider takes.
const MOST: usize = 64;

/// The name that every provider takes: `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`.
///
/// A name that is such a one stays. Of a longer one the end becomes a number that is made of the
/// whole, so that two of them stay two; a registry refuses tools whose names become one.
pub(crate) fn portable(name: &str) -> String {
    let mut wire: String = name.chars().map(letter).collect();
    if !wire.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        wire.insert(0, '_');
    }
    if wire == "_" && name != "_" {
        return "unknown".to_owned();
    }
    if wire.len() <= MOST {
        return wire;
    }
    let start: String = wire.chars().take(MOST - 9).collect();
    format!("{start}_{:08x}", fingerprint(name))
}

/// A character that every provider takes in names and ids.
pub(super) const fn letter(c: char) -> char {
    if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }
}

/// FNV-1a: the same on every machine and in every version.
fn fingerprint(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
