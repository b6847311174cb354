//! Ingest of an export request, from bytes to the store.

use super::refusal::Refusal;
use crate::{
    app::Shared,
    auth::Caller,
    body::Received,
    inflate::{InflateLimits, gunzip},
    spans::{self, KEEPS_NONE},
};
use baton_otlp::{Arrival, Encoding, Export};
use baton_ports::{BoxFuture, SpanBatch, SpanStore, SpanStoreError};
use baton_rules::Access;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;

/// Bodies above this size are decompressed and parsed off the request threads.
pub(super) const LARGE: usize = 128 * 1024;

/// Decompression limits. Spans repeat their names, so their compression ratio is not limited.
const INFLATE_LIMITS: InflateLimits = InflateLimits { max_bytes: 64 * 1024 * 1024, max_ratio: None };

/// Body of an export request.
pub(super) struct Letter {
    /// The bytes and their share of the body budget.
    pub(super) received: Received,
    /// Number of bytes before the message.
    pub(super) skipped: usize,
    /// Whether the message is compressed.
    pub(super) gzip: bool,
    /// Encoding of the message.
    pub(super) encoding: Encoding,
}

/// The span store. Requires `call` on all agents: a sender can attribute spans to any agent.
pub(super) fn admit<'a>(shared: &'a Shared, caller: &Caller) -> Result<&'a Arc<dyn SpanStore>, Refusal> {
    spans::store(shared, caller, Access::Call)?.ok_or(Refusal::NotOffered(KEEPS_NONE))
}

/// Decodes a body and stores its spans. They are on disk when this resolves.
pub(super) async fn keep(store: &Arc<dyn SpanStore>, letter: Letter) -> Result<Arrival, Refusal> {
    let large = letter.gzip || letter.received.bytes.len() > LARGE;
    let brought = if large {
        let store = Arc::clone(store);
        let brought = tokio::task::spawn_blocking(move || bring(&*store, letter)).await;
        brought.map_err(|error| Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, error.to_string()))??
    } else {
        bring(&**store, letter)?
    };
    brought.kept.await?;
    Ok(brought.arrival)
}

/// Spans that are in the store but may not be on disk yet.
struct Brought {
    arrival: Arrival,
    kept: BoxFuture<'static, Result<(), SpanStoreError>>,
    _share: Received,
}

/// Decodes a body and passes its spans to the store, which encodes them on the calling thread.
fn bring(store: &dyn SpanStore, letter: Letter) -> Result<Brought, Refusal> {
    let (mut arrival, share) = read(letter)?;
    let batch = SpanBatch { spans: std::mem::take(&mut arrival.spans), mark: None };
    Ok(Brought { arrival, kept: store.ingest(batch), _share: share })
}

/// The decompressed message of a body.
pub(super) fn opened(letter: Letter) -> Result<Received, Refusal> {
    let Letter { received, skipped, gzip, .. } = letter;
    if gzip {
        return Ok(gunzip(received, skipped, &INFLATE_LIMITS)?);
    }
    let message = received.bytes.slice(skipped.min(received.bytes.len())..);
    Ok(received.narrowed(message))
}

fn read(letter: Letter) -> Result<(Arrival, Received), Refusal> {
    let encoding = letter.encoding;
    let mut received = opened(letter)?;
    let bytes = received.bytes.clone();
    let export = Export::weigh(encoding, &bytes)?;
    received.grow(bytes.len() + export.weight())?;
    Ok((export.read()?, received))
}
