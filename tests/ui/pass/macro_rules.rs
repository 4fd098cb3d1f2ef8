//! A tool that a macro of the user's writes.

#![deny(warnings)]

use toolkit::prelude::*;

macro_rules! getter {
    ($(#[$doc:meta])* $name:ident($argument:ident: $ty:ty) -> $output:ty, $text:literal, $most:expr) => {
        $(#[$doc])*
        #[tool(description = $text, approval = $argument.len() > $most)]
        fn $name(#[arg(max_length = $most)] $argument: $ty) -> $output {
            $argument.len()
        }
    };
}

getter!(count(text: &str) -> usize, "Counts.", 5);
getter!(
    /// Counts, too.
    count_owned(text: String) -> usize, "Counts.", 1 + 2
);

fn main() {
    let _: [Tool; 2] = tools![count, count_owned];
}
