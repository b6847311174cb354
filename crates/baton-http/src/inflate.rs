//! Decompression of request bodies with limits against decompression bombs.

use crate::{body::ReceivedBody, error_codes, reply::unsupported};
use baton_api::{ApiError, ApiErrorKind};
use baton_types::ErrorCode;
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, header};
use std::io::Read as _;

/// Bytes reserved per step.
const STEP_BYTES: usize = 64 * 1024;

/// Up to this decompressed size the ratio is not checked.
const RATIO_EXEMPT_BYTES: usize = 64 * 1024;

/// Content encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyEncoding {
    /// Not compressed.
    Identity,
    /// Compressed with gzip.
    Gzip,
}

impl BodyEncoding {
    /// Parses the encoding from the headers; only gzip and identity are supported.
    pub fn from_headers(headers: &HeaderMap) -> Result<Self, ApiError> {
        let mut found = Self::Identity;
        for value in headers.get_all(header::CONTENT_ENCODING) {
            let encoding = value.to_str().unwrap_or("unreadable").trim();
            match encoding.to_ascii_lowercase().as_str() {
                "" | "identity" => {}
                "gzip" | "x-gzip" if found == Self::Identity => found = Self::Gzip,
                _ => {
                    let encoding: String = encoding.chars().take(64).collect();
                    return Err(unsupported(&format!("Content-Encoding must be gzip or identity, not '{encoding}'")));
                }
            }
        }
        Ok(found)
    }
}

/// Limits of a decompressed body.
pub struct InflateLimits {
    /// Maximum decompressed size in bytes.
    pub max_bytes: usize,
    /// Maximum compression ratio; `None` checks only the size.
    pub max_ratio: Option<usize>,
}

impl InflateLimits {
    /// At most `max_bytes`, and a ratio of at most ten.
    pub const fn tenfold(max_bytes: usize) -> Self {
        Self { max_bytes, max_ratio: Some(10) }
    }

    fn check(&self, compressed: usize, decompressed: usize) -> Result<(), ApiError> {
        let too_large =
            |message: String| Err(ApiError::new(ApiErrorKind::BodyTooLarge, error_codes::BODY_TOO_LARGE, message));
        if decompressed > self.max_bytes {
            return too_large(format!(
                "the decompressed body is larger than {} bytes; send less at once",
                self.max_bytes
            ));
        }
        match self.max_ratio {
            Some(ratio) if decompressed > compressed.saturating_mul(ratio).max(RATIO_EXEMPT_BYTES) => {
                too_large(format!("the decompressed body is more than {ratio} times as large as the compressed one"))
            }
            _ => Ok(()),
        }
    }
}

/// Decompresses the bytes after the first `skipped`. The output counts against the body budget.
pub fn gunzip(mut received: ReceivedBody, skipped: usize, limits: &InflateLimits) -> Result<ReceivedBody, ApiError> {
    let compressed = received.bytes.slice(skipped.min(received.bytes.len())..);
    let mut decoder = MultiGzDecoder::new(compressed.as_ref());
    let mut decompressed = Vec::new();
    loop {
        received.grow(compressed.len() + decompressed.len() + STEP_BYTES)?;
        let before = decompressed.len();
        let limit = u64::try_from(STEP_BYTES).unwrap_or(u64::MAX);
        decoder.by_ref().take(limit).read_to_end(&mut decompressed).map_err(|error| {
            let message = format!("the body is not valid gzip: {error}");
            ApiError::new(ApiErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, message)
        })?;
        limits.check(compressed.len(), decompressed.len())?;
        if decompressed.len() == before {
            return Ok(received.with_bytes(decompressed.into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        use BodyEncoding::{Gzip, Identity};
        for (given, expect) in [
            (&[][..], Some(Identity)),
            (&["identity"], Some(Identity)),
            (&["gzip"], Some(Gzip)),
            (&["GZIP"], Some(Gzip)),
            (&["x-gzip"], Some(Gzip)),
            (&["identity", "gzip"], Some(Gzip)),
            (&["gzip", "gzip"], None),
            (&["gzip, gzip"], None),
            (&["deflate"], None),
            (&["br"], None),
            (&["zstd"], None),
        ] {
            let mut headers = HeaderMap::new();
            for value in given {
                headers.append(header::CONTENT_ENCODING, value.parse().unwrap());
            }
            let read = BodyEncoding::from_headers(&headers);
            assert!(read.as_ref().err().is_none_or(|error| error.message.contains("gzip")), "{read:?}");
            assert_eq!(read.ok(), expect, "{given:?}");
        }
    }

    #[test]
    fn growth() {
        let tenfold = InflateLimits::tenfold(1_000_000);
        for (compressed, inflated, expect) in [
            (10, RATIO_EXEMPT_BYTES, true),
            (10, RATIO_EXEMPT_BYTES + 1, false),
            (50_000, 500_000, true),
            (50_000, 500_001, false),
            (900_000, 1_000_000, true),
            (900_000, 1_000_001, false),
        ] {
            assert_eq!(tenfold.check(compressed, inflated).is_ok(), expect, "{compressed} {inflated}");
        }
        let any = InflateLimits { max_bytes: 1_000_000, max_ratio: None };
        assert!(any.check(10, 1_000_000).is_ok() && any.check(10, 1_000_001).is_err());
    }
}
