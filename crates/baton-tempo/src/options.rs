//! Where a Tempo is, and how long it may take.

use http::HeaderMap;
use std::{fmt, sync::Arc, time::Duration};

/// Says, for every request anew, which headers it carries: secrets change, and are kept elsewhere.
pub type HeaderSource = Arc<dyn Fn() -> Result<HeaderMap, String> + Send + Sync>;

/// How a Tempo is asked.
#[derive(Clone)]
pub struct Options {
    /// The address below which its API is.
    pub url: String,
    /// What every request carries: who asks, and for which tenant.
    pub headers: HeaderSource,
    /// Time for one question, with all requests and repetitions that it takes.
    pub patience: Duration,
    /// How often a request is repeated that may work later.
    pub retries: u32,
    /// The pause before the first repetition; each further one is twice as long.
    pub first_pause: Duration,
    /// How far a question goes back that does not say when it begins.
    pub history: Duration,
    /// The mark that requests leave, by which they are known if they come back: letters, digits and dashes. It should be
    /// this process' own, and never two processes' at once.
    pub mark: String,
}

impl Options {
    /// The usual bounds for the Tempo at that address, without any headers.
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: Arc::new(|| Ok(HeaderMap::new())),
            patience: Duration::from_secs(30),
            retries: 3,
            first_pause: Duration::from_secs(1),
            history: Duration::from_secs(14 * 24 * 60 * 60),
            mark: String::new(),
        }
    }
}

/// Without the headers and without the path, which may be secret.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("patience", &self.patience)
            .field("retries", &self.retries)
            .field("first_pause", &self.first_pause)
            .field("history", &self.history)
            .field("mark", &self.mark)
            .finish_non_exhaustive()
    }
}
