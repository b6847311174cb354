//! Tests of the encodings: examples of their standards, and properties.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod canonical;
mod sse;
