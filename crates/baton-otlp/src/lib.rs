//! OTLP and Tempo's answers, as messages and as JSON, mapped to and from spans.
//!
//! This crate must never listen, send or store: it turns bytes into values and back. Its messages never reach further
//! than the edges that speak these protocols.
