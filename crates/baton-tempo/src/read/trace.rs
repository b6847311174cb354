//! All spans of a trace, from protobuf: of JSON there are too many dialects.

use crate::failure::Failure;
use baton_otlp::{Encoding, Export};
use baton_types::Span;
use prost::Message;
use std::collections::HashMap;

/// The second version's envelope; what is inside is looked at before anything is made of it.
#[derive(Clone, PartialEq, Eq, Message)]
struct Envelope {
    #[prost(bytes = "vec", tag = "1")]
    trace: Vec<u8>,
    #[prost(int32, tag = "3")]
    status: i32,
}

/// A trace out of its envelope.
pub(crate) struct Enveloped {
    /// Its spans.
    pub(crate) spans: Vec<Span>,
    /// Whether the Tempo says that it has more of them.
    pub(crate) partial: bool,
}

/// Reads what the second version of the API answers.
pub(crate) fn enveloped(body: &[u8]) -> Result<Enveloped, Failure> {
    let envelope = Envelope::decode(body).map_err(|error| Failure::Malformed(error.to_string()))?;
    Ok(Enveloped { spans: trace(&envelope.trace)?, partial: envelope.status != 0 })
}

/// Reads what the first version answers: a trace has the form of an export request. Spans are there once, by start time.
pub(crate) fn trace(body: &[u8]) -> Result<Vec<Span>, Failure> {
    let read = Export::weigh(Encoding::Protobuf, body).and_then(|export| export.read());
    let arrival = read.map_err(|error| Failure::Malformed(error.to_string()))?;
    Ok(once(arrival.spans))
}

/// Each span once, by start time: of two with one id, the one that ended last.
pub(crate) fn once(spans: impl IntoIterator<Item = Span>) -> Vec<Span> {
    let mut known: HashMap<_, Span> = HashMap::new();
    for span in spans {
        let longer = known.get(&span.id).is_none_or(|kept| span.end > kept.end);
        if longer {
            known.insert(span.id, span);
        }
    }
    let mut spans: Vec<Span> = known.into_values().collect();
    spans.sort_by_key(|span| (span.start, span.id));
    spans
}
