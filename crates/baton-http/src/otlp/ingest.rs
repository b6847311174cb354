//! Spans of an export request, from bytes to the store.

use super::{inflate::gunzip, refusal::Refusal};
use crate::{app::Shared, auth::Caller, body::Received};
use baton_otlp::{Arrival, Encoding, Export};
use baton_ports::SpanBatch;
use baton_rules::Access;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;

/// Bodies larger than this are unpacked and read beside the threads that serve others.
const LARGE: usize = 128 * 1024;

/// A body as it arrived.
pub(super) struct Letter {
    /// The bytes, and their share of what may arrive at once.
    pub(super) received: Received,
    /// How many bytes stand before the message.
    pub(super) skipped: usize,
    /// Whether the message is compressed.
    pub(super) gzip: bool,
    /// How it is written.
    pub(super) encoding: Encoding,
}

/// Refuses those who may not send spans, and everybody where none are kept.
pub(super) fn admit(shared: &Shared, caller: &Caller) -> Result<(), Refusal> {
    caller.may(shared, Access::Call, None)?;
    match &shared.options.spans {
        Some(_) => Ok(()),
        None => Err(Refusal::NotOffered("this Baton keeps no spans")),
    }
}

/// Reads a letter and keeps its spans; they are on disk when this resolves.
pub(super) async fn keep(shared: &Arc<Shared>, letter: Letter) -> Result<Arrival, Refusal> {
    let Some(ports) = &shared.options.spans else { return Err(Refusal::NotOffered("this Baton keeps no spans")) };
    let large = letter.gzip || letter.received.bytes.len() > LARGE;
    let (mut arrival, share) = if large {
        let read = tokio::task::spawn_blocking(move || read(letter)).await;
        read.map_err(|error| Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, error.to_string()))??
    } else {
        read(letter)?
    };
    if arrival.spans.is_empty() {
        return Ok(arrival);
    }
    let batch = SpanBatch { spans: std::mem::take(&mut arrival.spans), mark: None };
    ports.store.ingest(batch).await?;
    drop(share);
    Ok(arrival)
}

fn read(letter: Letter) -> Result<(Arrival, Received), Refusal> {
    let Letter { mut received, skipped, gzip, encoding } = letter;
    if gzip {
        received = gunzip(received, skipped)?;
    } else {
        let message = received.bytes.slice(skipped.min(received.bytes.len())..);
        received = received.narrowed(message);
    }
    let bytes = received.bytes.clone();
    let export = Export::weigh(encoding, &bytes)?;
    received.grow(bytes.len() + export.weight())?;
    Ok((export.read()?, received))
}
