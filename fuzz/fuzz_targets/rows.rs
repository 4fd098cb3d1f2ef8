#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| toolkit_fuzz::rows(text));
