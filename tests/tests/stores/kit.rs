//! The kit passes a right store, and finds what each wrong one does.

use std::panic::catch_unwind;

use toolkit::ledger::MemoryLedger;
use toolkit::testing::{conforms, conforms_on_threads, sequences};
use toolkit_tests::cases;

use crate::memory::{Memory, Wrong};

/// What each wrong store does, and a sentence of the kit that says so.
const FOUND: [(Wrong, &str); 25] = [
    (Wrong::CreateOverwrites, "create: create won for a key that is taken"),
    (Wrong::CreateAlwaysWins, "create: create won for a key that is taken"),
    (Wrong::SwapFromAnyVersion, "swap: swap to version 0 won from version 1"),
    (Wrong::SwapFromALaterVersion, "swap: swap to version 3 won from version 1"),
    (Wrong::SwapKeepsTheDocument, "swap: after a swap, load gave another row"),
    (Wrong::SwapLooksThenWrites, "races: 16 of 16 won a swap of one row, made at once"),
    (Wrong::CreateLooksThenWrites, "races: 16 of 16 won a create of one row, made at once"),
    (
        Wrong::LineOfALostSwap,
        "nothing is found: after nothing was swapped and removed, there is a history",
    ),
    (Wrong::NoLineOfASwap, "swap: after a swap, the history is another"),
    (Wrong::HistoryByTime, "swap: after lines whose times go back, the history is another"),
    (Wrong::RemoveOfAnyVersion, "remove: remove of version 0 won where version 2 is there"),
    (Wrong::RemoveKeepsTheHistory, "remove: after a row was removed, there is a history"),
    (Wrong::ApprovalIdsOfTwo, "approval ids: two rows were created with one approval id"),
    (Wrong::ApprovalIdOfBefore, "swap: a row is found by the approval id that it had before"),
    (Wrong::ApprovalIdInAnyCase, "approval ids: load_parked(\"APPROVE-"),
    (Wrong::ListYoungestFirst, "values: the rows that may be removed at "),
    (Wrong::LimitBeforeFilter, "listing: list gave other rows for Filter {"),
    (Wrong::EmptyTenantIsAny, "listing: list of the empty tenant gave a row of another"),
    (Wrong::TextsEndAtNul, "values: after a create with \"a\\0b\", load gave another row"),
    (Wrong::TimesAreFloats, "values: after a create at 9007199254740993, load gave another row"),
    (Wrong::TimesAreSigned, "values: after a create at 9223372036854775808, load gave another row"),
    (Wrong::TimeInSeconds, "time: the store's time is "),
    (Wrong::TimeOfTheNewestLine, "time: after a line of the time 0, the store's time is 0"),
    (Wrong::TimeStandsStill, "time: the store's time "),
    (Wrong::ErrorForATakenKey, "create: create failed: the ledger is damaged: taken"),
];

#[test]
fn the_store_in_memory_conforms() {
    conforms_on_threads(MemoryLedger::new);
    pollster::block_on(sequences(async || MemoryLedger::new(), cases(500).min(10_000)));
}

#[test]
fn each_wrong_store_is_told_what_it_does() {
    let mut missed = Vec::new();
    for (wrong, sentence) in FOUND {
        let told = catch_unwind(|| pollster::block_on(conforms(async || Memory::new(wrong))));
        let told = match told {
            Ok(()) => "nothing".to_owned(),
            Err(panic) => *panic.downcast::<String>().unwrap(),
        };
        if !told.starts_with(sentence) {
            missed.push(format!("{wrong:?}\nright: {sentence}\ntold: {told}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n\n"));
}

#[test]
fn a_store_that_forgets_that_ids_are_unique_is_no_map_either() {
    let make_store = async || Memory::new(Wrong::ApprovalIdsOfTwo);
    let told = catch_unwind(|| pollster::block_on(sequences(make_store, 200))).unwrap_err();
    let told = told.downcast::<String>().unwrap();
    let sentence = "sequences: an operation is answered as no map of rows would\nfound: Won(true)\nright: Refused\nafter:\n";
    assert!(told.starts_with(sentence), "{told}");
}
