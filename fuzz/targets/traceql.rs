//! Queries of TraceQL, as people and agents write them.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus { baton_fuzz::traceql(input) });
