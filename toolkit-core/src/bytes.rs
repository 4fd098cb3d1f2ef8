//! Bytes that are compared without a call where they are few, as those of most names are.

/// Whether both are the same.
#[inline]
pub(crate) fn are_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && begins_with(one, other)
}

/// Whether bytes begin with others.
#[inline]
pub(crate) fn begins_with(bytes: &[u8], others: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..others.len()) else { return false };
    match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) if others.len() <= 16 => {
            others.first_chunk() == Some(first) && others.last_chunk() == Some(last)
        }
        _ => bytes == others,
    }
}

#[cfg(test)]
mod tests {
    use crate::bytes::{are_same, begins_with};

    #[test]
    fn bytes_of_every_length_are_told_apart_at_every_place() {
        for length in 0..40_u8 {
            let bytes: Vec<u8> = (0..length).collect();
            let longer: Vec<u8> = (0..=length).collect();
            assert!(are_same(&bytes, &bytes.clone()));
            assert!(begins_with(&longer, &bytes) && !begins_with(&bytes, &longer));
            assert!(!are_same(&longer, &bytes) && !are_same(&bytes, &longer));
            for place in 0..bytes.len() {
                let mut other = bytes.clone();
                other[place] ^= 0x80;
                assert!(!are_same(&bytes, &other) && !begins_with(&longer, &other));
            }
        }
    }
}
