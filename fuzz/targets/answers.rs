//! Client and peer inputs: results, stream items, cards, errors, server-sent events.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus { baton_fuzz::answers(input) });
