//! Rows that nobody could have written.

use std::sync::Arc;

use toolkit::__private::ledger::{Book, Event, Proposal, Record};
use toolkit::OnUnknown;
use toolkit::ledger::{
    AttemptId, Digest, Filter, HistoryLine, Ledger, LedgerError, MemoryLedger, Row, RowKey,
    RowState, Settings, Timestamp,
};
use toolkit_tests::{Dice, cases};

use crate::samples::{START, after, approve, approved, parked, person, refund, refund_of, running};

fn row(record: &Record) -> Row {
    record.row(3).unwrap()
}

/// Why a row is refused whose document is changed.
fn refused(record: &Record, change: impl Fn(&mut serde_json::Value)) -> String {
    let mut row = row(record);
    let mut document = serde_json::from_str(&row.document).unwrap();
    change(&mut document);
    row.document = document.to_string();
    let error = Record::read(&row).unwrap_err().to_string();
    let prefix = format!("row {}: ", row.key);
    let (_, why) = error.split_once(&prefix).unwrap_or_else(|| panic!("{error}"));
    why.to_owned()
}

#[test]
fn a_key_is_read_as_it_was_written_and_a_sign_is_no_digit() {
    let key =
        RowKey(*b"\x00\x01\x09\x0a\x0f\x10\x19\x7f\x80\x9a\xa9\xc0\xf0\xff the rest of a key");
    let text = key.to_string();
    assert_eq!(text, "0001090a0f10197f809aa9c0f0ff207468652072657374206f662061206b6579");
    assert_eq!(text.parse(), Ok(key));
    for wrong in [format!("+{}", &text[1..]), format!("g{}", &text[1..]), format!("{text}00")] {
        assert!(wrong.parse::<RowKey>().is_err(), "{wrong}");
    }
}

#[test]
fn an_id_is_read_as_it_was_written() {
    for (id, text) in [
        (0, "att_00000000000000000000000000"),
        (33, "att_00000000000000000000000011"),
        (u128::MAX, "att_7zzzzzzzzzzzzzzzzzzzzzzzzz"),
    ] {
        assert_eq!(AttemptId(id).to_string(), text);
        assert_eq!(text.parse(), Ok(AttemptId(id)));
    }
}

#[test]
fn a_record_is_read_as_it_was_written() {
    for record in [running(OnUnknown::Verify), parked(), approved()] {
        assert_eq!(Record::read(&row(&record)), Ok(record));
    }
}

#[test]
fn a_row_of_a_newer_version_is_refused_as_such() {
    let mut row = row(&parked());
    row.document = r#"{"format":2,"shape":"of tomorrow"}"#.to_owned();
    let what = format!("row {}: its document has form 2, this version reads 1", row.key);
    assert_eq!(Record::read(&row), Err(LedgerError::Newer(what)));
    assert_eq!(
        refused(&parked(), |document| document["format"] = 0.into()),
        "there is no form 0 of documents"
    );
}

#[test]
fn every_truncated_document_is_refused() {
    let whole = row(&approved());
    for end in 0..whole.document.len() {
        let document = whole.document[..end].to_owned();
        let read = Record::read(&Row { document, ..whole.clone() });
        assert!(matches!(read, Err(LedgerError::Corrupt(_))), "{end} bytes: {read:?}");
    }
}

#[test]
fn a_hand_edited_document_is_refused_with_what_is_wrong() {
    let refusals = [
        refused(&approved(), |document| {
            document["arguments"] = r#"{"amount":900}"#.into();
        }),
        refused(&approved(), |document| {
            document["arguments"] = r#"{"amount":900}"#.into();
            let forged = Digest::of_arguments(r#"{"amount":900}"#).to_string();
            document["fingerprint"] = forged.into();
        }),
        refused(&approved(), |document| document["approval"]["expires_at"] = u64::MAX.into()),
        refused(&approved(), |document| document["approval"]["rendered"] = "refund 1".into()),
        refused(&approved(), |document| document["approval"]["votes"] = serde_json::json!([])),
        refused(&approved(), |document| document["approval"]["quorum"] = 0.into()),
        refused(&approved(), |document| document["approval"]["votes"][0]["by"] = "ann".into()),
        refused(&approved(), |document| {
            let vote = document["approval"]["votes"][0].clone();
            document["approval"]["votes"] = serde_json::json!([vote, vote]);
        }),
        refused(&approved(), |document| {
            let other = Digest([7; 32]).to_string();
            document["approval"]["votes"][0]["binding"] = other.into();
        }),
        refused(&parked(), |document| document["state"] = "approved".into()),
        refused(&parked(), |document| document["approval"] = serde_json::Value::Null),
        refused(&parked(), |document| document["principal"] = "bob".into()),
        refused(&running(OnUnknown::InDoubt), |document| document["attempts"] = 0.into()),
    ];
    let expected = [
        "its arguments are not those of its fingerprint",
        "its binding is not that of what people were shown",
        "its binding is not that of what people were shown",
        "its binding is not that of what people were shown",
        "it is approved with 0 of 1 who agreed",
        "nobody has to agree to it",
        "who asked for it agreed to it",
        "a person agreed twice",
        "a person agreed to something else",
        "its state is not the one that its document tells",
        "its approval id is not the one that its document tells",
        "its principal is not the one that its document tells",
        "it ran without an attempt",
    ];
    assert_eq!(refusals, expected);
}

/// Elsewhere, half a character made a reader fall back to one that builds whatever it is told.
#[test]
fn half_a_character_in_a_document_is_refused_and_read_in_no_other_way() {
    for halved in ["ud800", "udc00", "ud800\\u0041"] {
        let mut row = row(&approved());
        row.document = row.document.replacen("furniture", &format!("\\{halved}"), 1);
        let read = Record::read(&row);
        assert!(matches!(read, Err(LedgerError::Corrupt(_))), "{halved}: {read:?}");
    }
}

#[test]
fn an_unknown_field_is_named_at_every_depth() {
    let places: [fn(&mut serde_json::Value); 4] = [
        |document| document["surprise"] = 1.into(),
        |document| document["approval"]["surprise"] = 1.into(),
        |document| document["approval"]["votes"][0]["surprise"] = 1.into(),
        |document| document["rules"]["surprise"] = 1.into(),
    ];
    for place in places {
        let why = refused(&approved(), place);
        assert!(why.contains("unknown field `surprise`"), "{why}");
    }
    let why =
        refused(&running(OnUnknown::Rerun), |document| document["on_unknown"] = "maybe".into());
    assert!(why.contains(r#"there is no "maybe" for an unknown outcome"#), "{why}");
}

#[test]
fn a_changed_byte_is_refused_or_changes_no_argument_and_no_agreement() {
    let mut dice = Dice::fresh("a_changed_byte_is_refused");
    let record = approved();
    let whole = row(&record);
    for _ in 0..cases(2_000) {
        let mut bytes = whole.document.clone().into_bytes();
        let at = dice.below(bytes.len());
        bytes[at] = u8::try_from(32 + dice.below(95)).unwrap();
        let Ok(document) = String::from_utf8(bytes) else { continue };
        let Ok(read) = Record::read(&Row { document, ..whole.clone() }) else { continue };
        let kept = |record: &Record| {
            let approval = record.approval.clone().unwrap();
            let bound = (approval.id, approval.rendered, approval.binding, approval.expires_at);
            (record.key, record.arguments.clone(), record.state.clone(), bound)
        };
        assert_eq!(kept(&read), kept(&record));
    }
}

/// A store whose only row was edited by hand.
fn edited(document: &str) -> (Arc<MemoryLedger>, Row) {
    let store = Arc::new(MemoryLedger::with_clock(|| Timestamp(u64::MAX / 2)));
    let row = Row { document: document.to_owned(), version: 1, ..row(&parked()) };
    let line = HistoryLine {
        key: row.key,
        version: 1,
        at: START,
        actor: "mallory".to_owned(),
        event: "edited".to_owned(),
        detail: String::new(),
    };
    assert!(pollster::block_on(store.create(&row, &line)).unwrap());
    (store, row)
}

#[test]
fn of_a_row_that_can_not_be_read_nothing_runs_and_nothing_is_lost() {
    for document in ["", "{}", r#"{"format":9}"#, r#"{"format":1,"state":"free"}"#] {
        let (store, row) = edited(document);
        let book = Book::new(store.clone(), Settings::default(), "worker");
        pollster::block_on(async {
            let id = row.approval_id.as_deref().unwrap().parse().unwrap();
            assert!(book.look(&refund()).await.is_err());
            assert!(book.claim(&refund(), None).await.is_err());
            assert!(book.park(&refund(), &crate::samples::terms()).await.is_err());
            assert!(
                book.claim_approved(id, &crate::samples::today(), crate::samples::MINUTE)
                    .await
                    .is_err()
            );
            assert_eq!(book.sweep(usize::MAX).await, Ok(toolkit::ledger::Swept::default()));
            // The others are not held up by it.
            let other: Proposal = refund_of("another");
            assert_eq!(book.look(&other).await, Ok(None));
            assert_eq!(store.load(&row.key).await.unwrap().row, Some(row.clone()));
        });
    }
}

#[test]
fn an_approval_can_not_be_forged_by_columns_alone() {
    let row = Row { state: RowState::Approved, ..row(&parked()) };
    let why = Record::read(&row).unwrap_err().to_string();
    assert!(why.ends_with("its state is not the one that its document tells"), "{why}");
}

#[test]
fn a_listing_leaves_out_what_can_not_be_read() {
    let (store, _) = edited("{}");
    let desk = toolkit::ledger::Desk::new(store);
    assert_eq!(pollster::block_on(desk.waiting(&Filter::default())), Ok(Vec::new()));
}

#[test]
fn a_vote_of_another_binding_is_never_written() {
    let parked = parked();
    let event = approve(&approved(), person("kim"));
    let once = after(Some(&parked), &event, START);
    assert_eq!(once, after(Some(&parked), &approve(&parked, person("kim")), START));
    assert!(matches!(event, Event::Decide { .. }));
}
