//! Fuzz targets for all parsers of external input: no input may crash a parser, and accepted values must survive the
//! conversion to another dialect and back.
//!
//! This crate must never be a dependency of the product. One function here is one target; `targets/` contains only
//! their entry points. The first byte of an input selects the type to parse and whether the rest is the text itself or
//! a plan for the generator.
//!
//! Read first: [`requests`] (a typical target), `grammar.rs` (generation of deep JSON from bytes), `effort.rs` (time
//! limits).

mod answers;
mod contextcore;
mod definitions;
mod effort;
mod grammar;
mod growth;
mod old_requests;
mod otlp;
mod property;
mod protobuf;
mod requests;
mod source;
mod traceql;

use libfuzzer_sys::Corpus;
use source::FuzzInput;

macro_rules! targets {
    ($($(#[$doc:meta])* $name:ident $module:ident,)*) => {$(
        $(#[$doc])*
        pub fn $name(input: &[u8]) -> Corpus {
            let Some(source) = FuzzInput::read(input, $module::SHAPES) else { return Corpus::Reject };
            effort::assert_within_budget(source.len(), || $module::read(source.choice, &source.text));
            Corpus::Keep
        }
    )*};
}

targets! {
    /// Requests of A2A 1.0: the JSON-RPC envelope and the parameters of every method.
    requests requests,
    /// Requests of A2A 0.3, over JSON-RPC and HTTP+JSON.
    old_requests old_requests,
    /// Requests and answers of ContextCore's dialect.
    contextcore contextcore,
    /// Client and peer inputs.
    answers answers,
}

/// gRPC messages, 1.0 and 0.3.
pub fn protobuf(input: &[u8]) -> Corpus {
    protobuf::read(input);
    Corpus::Keep
}

/// Files of an agent directory.
pub fn definitions(input: &[u8]) -> Corpus {
    effort::assert_within_budget(input.len(), || definitions::read(input));
    Corpus::Keep
}

/// TraceQL queries, strict and lenient.
pub fn traceql(input: &[u8]) -> Corpus {
    let Ok(text) = str::from_utf8(input) else { return Corpus::Reject };
    effort::assert_within_budget(text.len(), || traceql::read(text));
    Corpus::Keep
}

/// OTLP export requests.
pub fn otlp(input: &[u8]) -> Corpus {
    effort::assert_within_budget(input.len(), || otlp::read(input));
    Corpus::Keep
}

/// Inputs with repeated pieces: time must grow linearly with length, not quadratically.
pub fn growth(input: &[u8]) -> Corpus {
    if growth::read(input) { Corpus::Keep } else { Corpus::Reject }
}
