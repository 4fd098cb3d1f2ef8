#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(value) = serde_json::from_str(text) {
        toolkit_fuzz::value(&value);
    }
});
