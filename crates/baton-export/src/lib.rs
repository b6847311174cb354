//! Spans, metrics and logs on their way to other backends, over OTLP.
//!
//! What has to be sent lies on disk already; this crate reads it from there, sends it until the other side has taken
//! it, and remembers how far it came. It must never make anybody wait who emits, and never complains more than once
//! about a backend that is not there.
