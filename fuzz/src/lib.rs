//! The readers of everything that arrives from outside, fed by libFuzzer: no input may bring one down, and what was
//! accepted must survive the way to another dialect and back.
//!
//! This crate must never be a dependency of the product. One function here is one target; `targets/` has nothing but
//! their entry points. The first byte of an input chooses the type that is read and whether the rest is the text itself
//! or a plan for the generator.
//!
//! Read first: [`requests`] (how a target looks), `grammar.rs` (how bytes become JSON that gets deep), `effort.rs` (how
//! time is watched).

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
use source::Source;

macro_rules! targets {
    ($($(#[$doc:meta])* $name:ident $module:ident,)*) => {$(
        $(#[$doc])*
        pub fn $name(input: &[u8]) -> Corpus {
            let Some(source) = Source::read(input, $module::SHAPES) else { return Corpus::Reject };
            effort::within_reason(source.len(), || $module::read(source.choice, &source.text));
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
    /// What clients and peers read.
    answers answers,
}

/// Messages of gRPC, 1.0 and 0.3.
pub fn protobuf(input: &[u8]) -> Corpus {
    protobuf::read(input);
    Corpus::Keep
}

/// Files of an agent's directory.
pub fn definitions(input: &[u8]) -> Corpus {
    effort::within_reason(input.len(), || definitions::read(input));
    Corpus::Keep
}

/// Queries of TraceQL, strict and lenient.
pub fn traceql(input: &[u8]) -> Corpus {
    let Ok(text) = str::from_utf8(input) else { return Corpus::Reject };
    effort::within_reason(text.len(), || traceql::read(text));
    Corpus::Keep
}

/// Export requests of OTLP.
pub fn otlp(input: &[u8]) -> Corpus {
    effort::within_reason(input.len(), || otlp::read(input));
    Corpus::Keep
}

/// A piece of input repeated: time must grow with length, not with its square.
pub fn growth(input: &[u8]) -> Corpus {
    if growth::read(input) { Corpus::Keep } else { Corpus::Reject }
}
