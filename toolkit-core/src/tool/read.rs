//! The arguments of a call, read at once.

use super::argument::{ToolArg, slot};
use super::passage::{Passage, Stopped, taken};

/// Checks that a call has no arguments.
///
/// # Errors
/// The report, as an outcome.
pub fn read0(passage: Passage<'_>) -> Result<(), Stopped> {
    passage.arguments(&mut [])
}

/// Reads the arguments of a tool, in the order of its parameters; one function for each number of
/// them, so that what is wrong with a type is told at that type.
macro_rules! arguments {
    ([$($held:ident $place:tt)*]) => {};
    ([$($held:ident $place:tt)*] $name:ident $($of:ident $at:tt $($rest:tt)*)?) => {
        /// Checks the arguments of a call, and decodes them.
        ///
        /// # Errors
        /// The report, as an outcome.
        #[inline]
        pub fn $name<$($held: ToolArg),*>(passage: Passage<'_>) -> Result<($($held,)*), Stopped> {
            let mut slots = ($(None::<$held>,)*);
            passage.arguments(&mut [$(slot(&mut slots.$place)),*])?;
            Ok(($(taken(slots.$place)?,)*))
        }
        arguments! { [$($held $place)* $($of $at)?] $($($rest)*)? }
    };
}

arguments! {
    [A 0] read1 B 1 read2 C 2 read3 D 3 read4 E 4 read5 F 5
    read6 G 6 read7 H 7 read8 I 8 read9 J 9 read10 K 10 read11 L 11
    read12 M 12 read13 N 13 read14 O 14 read15 P 15 read16 Q 16
    read17 R 17 read18 S 18 read19 T 19 read20 U 20 read21 V 21
    read22 W 22 read23 X 23 read24 Y 24 read25 Z 25 read26 A1 26
    read27 B1 27 read28 C1 28 read29 D1 29 read30 E1 30 read31 F1 31
    read32
}
