//! What the attributes take, and what they say to what they do not take.

#[test]
fn what_a_user_writes_compiles() {
    trybuild::TestCases::new().pass("pass/*.rs");
}

#[test]
fn a_mistake_is_told_where_it_stands() {
    trybuild::TestCases::new().compile_fail("fail/*.rs");
}
