//! Inputs that repeat a piece: time must grow with length, not with its square.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus { baton_fuzz::growth(input) });
