//! Inputs with repeated pieces: time must grow linearly with length, not quadratically.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus { baton_fuzz::growth(input) });
