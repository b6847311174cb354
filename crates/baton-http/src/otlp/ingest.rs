//! Ingest of an export request, from bytes to the store.

use super::refusal::OtlpRejection;
use crate::{
    app::HttpState,
    auth::Caller,
    body::ReceivedBody,
    inflate::{InflateLimits, gunzip},
    spans::{self, NO_SPAN_STORE_MESSAGE},
};
use baton_otlp::{DecodedExport, Encoding, Export};
use baton_ports::BoxFuture;
use baton_rules::Access;
use baton_span_ports::{SpanBatch, SpanStore, SpanStoreError};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;

/// Bodies above this size are decompressed and parsed off the request threads.
pub(super) const LARGE_BODY_BYTES: usize = 128 * 1024;

/// Decompression limits. Spans repeat their names, so their compression ratio is not limited.
const INFLATE_LIMITS: InflateLimits = InflateLimits { max_bytes: 64 * 1024 * 1024, max_ratio: None };

/// Body of an export request.
pub(super) struct ExportBody {
    /// The bytes and their share of the body budget.
    pub(super) received: ReceivedBody,
    /// Number of bytes before the message.
    pub(super) skipped: usize,
    /// Whether the message is compressed.
    pub(super) gzip: bool,
    /// Encoding of the message.
    pub(super) encoding: Encoding,
}

/// The span store. Requires `call` on all agents: a sender can attribute spans to any agent.
pub(super) fn authorize_ingest<'a>(
    shared: &'a HttpState,
    caller: &Caller,
) -> Result<&'a Arc<dyn SpanStore>, OtlpRejection> {
    spans::store(shared, caller, Access::Call)?.ok_or(OtlpRejection::NotOffered(NO_SPAN_STORE_MESSAGE))
}

/// Decodes a body and stores its spans. They are on disk when this resolves.
pub(super) async fn store_spans(store: &Arc<dyn SpanStore>, body: ExportBody) -> Result<DecodedExport, OtlpRejection> {
    let large = body.gzip || body.received.bytes.len() > LARGE_BODY_BYTES;
    let pending = if large {
        let store = Arc::clone(store);
        let pending = tokio::task::spawn_blocking(move || ingest_body(&*store, body)).await;
        pending.map_err(|error| Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, error.to_string()))??
    } else {
        ingest_body(&**store, body)?
    };
    pending.flush.await?;
    Ok(pending.arrival)
}

/// Spans that are in the store but may not be on disk yet.
struct PendingIngest {
    arrival: DecodedExport,
    flush: BoxFuture<'static, Result<(), SpanStoreError>>,
    _share: ReceivedBody,
}

/// Decodes a body and passes its spans to the store, which encodes them on the calling thread.
fn ingest_body(store: &dyn SpanStore, body: ExportBody) -> Result<PendingIngest, OtlpRejection> {
    let (mut arrival, share) = decode_spans(body)?;
    let batch = SpanBatch { spans: std::mem::take(&mut arrival.spans), mark: None };
    Ok(PendingIngest { arrival, flush: store.ingest(batch), _share: share })
}

/// The decompressed message of a body.
pub(super) fn decompress_body(body: ExportBody) -> Result<ReceivedBody, OtlpRejection> {
    let ExportBody { received, skipped, gzip, .. } = body;
    if gzip {
        return Ok(gunzip(received, skipped, &INFLATE_LIMITS)?);
    }
    let message = received.bytes.slice(skipped.min(received.bytes.len())..);
    Ok(received.with_bytes(message))
}

fn decode_spans(body: ExportBody) -> Result<(DecodedExport, ReceivedBody), OtlpRejection> {
    let encoding = body.encoding;
    let mut received = decompress_body(body)?;
    let bytes = received.bytes.clone();
    let export = Export::measure(encoding, &bytes)?;
    received.grow(bytes.len() + export.estimated_bytes())?;
    Ok((export.decode()?, received))
}
