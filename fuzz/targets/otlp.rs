//! Exporter inputs.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus { baton_fuzz::otlp(input) });
