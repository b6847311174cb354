//! Retry delays for broken streams.

use rmcp::transport::common::client_side_sse::SseRetryPolicy;
use std::time::Duration;

const MAX_RETRIES: usize = 8;

/// Exponential backoff from 0.5 s up to 30 s; a longer delay requested by the server applies.
#[derive(Debug)]
pub(crate) struct StreamRetryPolicy;

impl SseRetryPolicy for StreamRetryPolicy {
    fn retry(&self, times: usize) -> Option<Duration> {
        if times > MAX_RETRIES {
            return None;
        }
        let factor = 1 << u32::try_from(times).unwrap_or(u32::MAX).min(6);
        Some((Duration::from_millis(500) * factor).min(Duration::from_secs(30)))
    }
}
