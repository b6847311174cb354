//! Requests of A2A 0.3 over JSON-RPC and HTTP+JSON.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus { baton_fuzz::old_requests(input) });
