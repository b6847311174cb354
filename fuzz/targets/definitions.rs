//! Files of an agent's directory, among them those that other programs write.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus { baton_fuzz::definitions(input) });
