//! Dice with a printed seed, and how often they are thrown.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Random choices that can be repeated from the seed.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice from the environment's `TOOLKIT_SEED`, or from a fresh seed; it is printed either way.
    pub fn fresh(test: &str) -> Self {
        let given = std::env::var("TOOLKIT_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| RandomState::new().build_hasher().finish());
        println!("{test}: TOOLKIT_SEED={seed}");
        Self(seed)
    }

    /// Dice of one seed, for what must be the same every time.
    pub const fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number (splitmix64).
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    #[expect(clippy::cast_possible_truncation, reason = "the remainder is below a usize")]
    pub const fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Yes, once in `sides` throws.
    pub const fn one_in(&mut self, sides: usize) -> bool {
        self.below(sides) == 0
    }

    /// One of the things.
    ///
    /// # Panics
    /// There are none.
    pub const fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }
}

/// How many cases a long test runs: a small share by default, `TOOLKIT_CASES` for more.
pub fn cases(default: usize) -> usize {
    std::env::var("TOOLKIT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}
