//! What is met while a result is serialised that its JSON does not say: secrets, and blocks.

use std::cell::Cell;

#[derive(Clone, Copy)]
struct Met {
    /// How many results are being serialised, one within the other.
    depth: u32,
    secret: bool,
    block: bool,
}

thread_local! {
    /// What the innermost result has met so far.
    static MET: Cell<Met> = const { Cell::new(Met { depth: 0, secret: false, block: false }) };
}

/// A result as it was serialised.
pub(crate) struct Serialised<T> {
    pub(crate) written: T,
    /// There is a secret in it.
    pub(crate) is_secret: bool,
    /// How deep it stands, where there are blocks in it; a mention is written in the place of each.
    pub(crate) with_blocks: Option<u32>,
}

/// Where a block was met.
pub(crate) struct Place {
    /// How deep its result stands within others.
    pub(crate) depth: u32,
    /// It is the first one of its result.
    pub(crate) is_first: bool,
}

/// Serialises a result: with the secrets in it, and a mention in the place of each block.
#[inline]
pub(crate) fn result<T>(serialise: impl FnOnce() -> T) -> Serialised<T> {
    /// Also where a value panics when it is serialised.
    struct Before(Met);
    impl Drop for Before {
        #[inline]
        fn drop(&mut self) {
            MET.set(self.0);
        }
    }
    let before = Before(MET.get());
    MET.set(Met { depth: before.0.depth.wrapping_add(1), secret: false, block: false });
    let written = serialise();
    let Met { depth, secret, block } = MET.get();
    drop(before);
    Serialised { written, is_secret: secret, with_blocks: block.then_some(depth) }
}

/// Whether a secret may be written, since it is in a result; notes that there is one.
pub(crate) fn secret() -> bool {
    let met = MET.get();
    let is_inside = met.depth != 0;
    MET.set(Met { secret: is_inside, ..met });
    is_inside
}

/// Where a block is met that is in a result; notes that there is one.
pub(crate) fn block() -> Option<Place> {
    let met = MET.get();
    let is_inside = met.depth != 0;
    MET.set(Met { block: is_inside, ..met });
    is_inside.then_some(Place { depth: met.depth, is_first: !met.block })
}
