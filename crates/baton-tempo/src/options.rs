//! Connection options of a Tempo: address, headers, timeout, retries.

use http::HeaderMap;
use std::{fmt, sync::Arc, time::Duration};

/// Returns the headers of a request. Called for every request, because secrets change and are stored outside this
/// crate.
pub type HeaderSource = Arc<dyn Fn() -> Result<HeaderMap, String> + Send + Sync>;

/// How a Tempo is queried.
#[derive(Clone)]
pub struct TempoOptions {
    /// Base URL of the Tempo API.
    pub url: String,
    /// Headers of every request: credentials and tenant.
    pub headers: HeaderSource,
    /// Timeout of one query, including all its requests and retries.
    pub timeout: Duration,
    /// Maximum number of retries of a request that fails with a temporary error.
    pub retries: u32,
    /// Delay before the first retry; it doubles with each further retry.
    pub retry_delay: Duration,
    /// Lookback of a query without a start time.
    pub history: Duration,
    /// Hop id added to requests, used to detect forwarding loops: letters, digits and dashes. It should be unique to
    /// this process; two running processes must never share it.
    pub hop_id: String,
}

impl TempoOptions {
    /// Default limits for the Tempo at this URL, without headers.
    pub fn with_url(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: Arc::new(|| Ok(HeaderMap::new())),
            timeout: Duration::from_secs(30),
            retries: 3,
            retry_delay: Duration::from_secs(1),
            history: Duration::from_secs(14 * 24 * 60 * 60),
            hop_id: String::new(),
        }
    }
}

/// Omits the headers and the URL, which may contain secrets.
impl fmt::Debug for TempoOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TempoOptions")
            .field("timeout", &self.timeout)
            .field("retries", &self.retries)
            .field("retry_delay", &self.retry_delay)
            .field("history", &self.history)
            .field("hop_id", &self.hop_id)
            .finish_non_exhaustive()
    }
}
