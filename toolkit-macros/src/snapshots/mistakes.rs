::core::compile_error! {
    "unknown key `nmae`\n\n= help: did you mean `name`?"
}
::core::compile_error! {
    "the tool `pay` has no description: the model chooses a tool by its description and by nothing else\n\n= help: write `description = \"…\"` or a doc comment: what the tool does, when to use it, and when not"
}
::core::compile_error! {
    "nothing satisfies this: `minimum` is above `maximum`"
}
::core::compile_error! {
    "a tool's parameter needs a name: the model fills it by name\n\n= help: write `name: Type` and take the value apart in the body, or `#[arg(rename = \"…\")]`"
}
async fn pay(amount: f64, (left, right): (u8, u8)) {
    drop((amount, left, right));
}
///The tool `pay`, for `tools!`.
#[allow(missing_copy_implementations, missing_debug_implementations)]
#[allow(nonstandard_style, unnameable_types, unreachable_pub)]
struct pay {}
const _: () = {
    impl ::toolkit::__private::Annotated for pay {
        const TABLE: &'static ::toolkit::__private::Table = &::toolkit::__private::Table::NONE;
    }
};
