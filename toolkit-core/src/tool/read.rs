//! The arguments of a call, read at once.

use super::argument::{ToolArg, slot};
use super::passage::{Passage, Stopped, taken};

/// Checks that a call has no arguments.
///
/// # Errors
/// The report, as an outcome.
pub fn arguments0(passage: Passage<'_>) -> Result<(), Stopped> {
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
    [A 0] arguments1 B 1 arguments2 C 2 arguments3 D 3 arguments4 E 4 arguments5 F 5
    arguments6 G 6 arguments7 H 7 arguments8 I 8 arguments9 J 9 arguments10 K 10 arguments11 L 11
    arguments12 M 12 arguments13 N 13 arguments14 O 14 arguments15 P 15 arguments16 Q 16
    arguments17 R 17 arguments18 S 18 arguments19 T 19 arguments20 U 20 arguments21 V 21
    arguments22 W 22 arguments23 X 23 arguments24 Y 24 arguments25 Z 25 arguments26 A1 26
    arguments27 B1 27 arguments28 C1 28 arguments29 D1 29 arguments30 E1 30 arguments31 F1 31
    arguments32
}
