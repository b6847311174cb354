//! Compressed bodies, within bounds: a few bytes can stand for any number of them.

use crate::body::Received;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use flate2::read::MultiGzDecoder;
use std::io::Read as _;

/// Most bytes of a body when it is no longer compressed.
pub(super) const MOST: usize = 64 * 1024 * 1024;

/// How much is made room for at a time.
const STEP: usize = 64 * 1024;

/// The bytes behind `skipped` ones, no longer compressed; what they take counts as arrived.
pub(super) fn gunzip(mut received: Received, skipped: usize) -> Result<Received, Error> {
    let compressed = received.bytes.slice(skipped.min(received.bytes.len())..);
    let mut decoder = MultiGzDecoder::new(compressed.as_ref());
    let mut inflated = Vec::new();
    loop {
        received.grow(compressed.len() + inflated.len() + STEP)?;
        let before = inflated.len();
        let limit = u64::try_from(STEP).unwrap_or(u64::MAX);
        decoder.by_ref().take(limit).read_to_end(&mut inflated).map_err(|error| {
            let message = format!("the body cannot be unpacked with gzip: {error}");
            Error::new(ErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, message)
        })?;
        if inflated.len() > MOST {
            let message = format!("the unpacked body is larger than {MOST} bytes; send smaller batches");
            return Err(Error::new(ErrorKind::BodyTooLarge, ErrorCode::BODY_TOO_LARGE, message));
        }
        if inflated.len() == before {
            return Ok(received.narrowed(inflated.into()));
        }
    }
}
