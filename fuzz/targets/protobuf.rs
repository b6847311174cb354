//! gRPC messages, 1.0 and 0.3.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus { baton_fuzz::protobuf(input) });
