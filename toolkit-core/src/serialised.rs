//! What is met while a result is serialised that its JSON does not say: secrets, and blocks.

use std::cell::{Cell, RefCell};

use crate::content::Content;

#[derive(Clone, Copy, Default)]
struct Met {
    /// It is a result that is serialised, and not something that anybody reads.
    in_result: bool,
    secret: bool,
    block: bool,
}

thread_local! {
    static MET: Cell<Met> = const { Cell::new(Met { in_result: false, secret: false, block: false }) };
    /// The blocks of the results that are being serialised, one within the other.
    static BLOCKS: RefCell<Vec<Vec<Content>>> = const { RefCell::new(Vec::new()) };
}

/// A result as it was serialised.
pub(crate) struct Serialised<T> {
    pub(crate) written: T,
    /// There is a secret in it.
    pub(crate) is_secret: bool,
    /// Its blocks, where there are any; a mention is written in the place of each.
    pub(crate) blocks: Option<Vec<Content>>,
}

/// Serialises a result: with the secrets in it, and a mention in the place of each block.
#[inline]
pub(crate) fn result<T>(serialise: impl FnOnce() -> T) -> Serialised<T> {
    /// Also where a value panics when it is serialised.
    struct Before(Met);
    impl Drop for Before {
        #[inline]
        fn drop(&mut self) {
            if MET.get().block {
                drop(take_blocks());
            }
            MET.set(self.0);
        }
    }
    let before = Before(MET.replace(Met { in_result: true, ..Met::default() }));
    let written = serialise();
    let Met { secret, block, .. } = MET.get();
    let blocks = if block { take_blocks() } else { None };
    drop(before);
    Serialised { written, is_secret: secret, blocks }
}

#[cold]
fn take_blocks() -> Option<Vec<Content>> {
    MET.set(Met { block: false, ..MET.get() });
    BLOCKS.with_borrow_mut(Vec::pop)
}

/// Whether a secret may be written, since it is a result that is serialised; notes that there is one.
pub(crate) fn secret() -> bool {
    let met = MET.get();
    MET.set(Met { secret: met.in_result, ..met });
    met.in_result
}

/// Whether a block is mentioned in its place, since it is a result that is serialised; keeps it.
pub(crate) fn block(block: &Content) -> bool {
    let met = MET.get();
    if met.in_result {
        MET.set(Met { block: true, ..met });
        BLOCKS.with_borrow_mut(|blocks| match blocks.last_mut().filter(|_| met.block) {
            Some(blocks) => blocks.push(block.clone()),
            None => blocks.push(vec![block.clone()]),
        });
    }
    met.in_result
}
