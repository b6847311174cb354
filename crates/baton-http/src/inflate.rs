//! Compressed request bodies, within bounds: a few bytes can stand for any number of them.

use crate::{body::Received, reply::unsupported};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, header};
use std::io::Read as _;

/// How much is made room for at a time.
const STEP: usize = 64 * 1024;

/// Bodies up to this size may be compressed as well as they can be.
const FREE: usize = 64 * 1024;

/// How a body is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyEncoding {
    /// As it is.
    Identity,
    /// Compressed with gzip.
    Gzip,
}

impl BodyEncoding {
    /// The encoding that the headers name; any but gzip is refused.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Error> {
        let mut found = Self::Identity;
        for value in headers.get_all(header::CONTENT_ENCODING) {
            let given = value.to_str().unwrap_or("unreadable").trim();
            match given.to_ascii_lowercase().as_str() {
                "" | "identity" => {}
                "gzip" | "x-gzip" if found == Self::Identity => found = Self::Gzip,
                _ => {
                    let given: String = given.chars().take(64).collect();
                    return Err(unsupported(&format!("Content-Encoding must be gzip or identity, not '{given}'")));
                }
            }
        }
        Ok(found)
    }
}

/// How far a body may grow.
pub(crate) struct InflateLimits {
    /// Most bytes of a body when it is no longer compressed.
    pub(crate) max_bytes: usize,
    /// How many times as large it may become; only its size counts when not given.
    pub(crate) max_ratio: Option<usize>,
}

impl InflateLimits {
    /// At most so many bytes, and ten times the size.
    pub(crate) const fn tenfold(max_bytes: usize) -> Self {
        Self { max_bytes, max_ratio: Some(10) }
    }

    fn check(&self, compressed: usize, inflated: usize) -> Result<(), Error> {
        let too_large = |message: String| Err(Error::new(ErrorKind::BodyTooLarge, ErrorCode::BODY_TOO_LARGE, message));
        if inflated > self.max_bytes {
            return too_large(format!("the unpacked body is larger than {} bytes; send less at once", self.max_bytes));
        }
        match self.max_ratio {
            Some(ratio) if inflated > compressed.saturating_mul(ratio).max(FREE) => {
                too_large(format!("the unpacked body is more than {ratio} times as large as the packed one"))
            }
            _ => Ok(()),
        }
    }
}

/// The bytes behind `skipped` ones, no longer compressed; what they take counts as arrived.
pub(crate) fn gunzip(mut received: Received, skipped: usize, limits: &InflateLimits) -> Result<Received, Error> {
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
        limits.check(compressed.len(), inflated.len())?;
        if inflated.len() == before {
            return Ok(received.narrowed(inflated.into()));
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
            let read = BodyEncoding::of(&headers);
            assert!(read.as_ref().err().is_none_or(|error| error.message.contains("gzip")), "{read:?}");
            assert_eq!(read.ok(), expect, "{given:?}");
        }
    }

    #[test]
    fn growth() {
        let tenfold = InflateLimits::tenfold(1_000_000);
        for (compressed, inflated, expect) in [
            (10, FREE, true),
            (10, FREE + 1, false),
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
