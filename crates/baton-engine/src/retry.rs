//! Delays of the retry loops.

use baton_types::BackoffPolicy;
use std::time::Duration;

/// While the journal rejects.
pub(crate) const JOURNAL_RETRY: BackoffPolicy = BackoffPolicy::new(Duration::from_millis(100), Duration::from_secs(5));

/// After a failed push notification.
pub(crate) const PUSH_RETRY: BackoffPolicy =
    BackoffPolicy::new(Duration::from_millis(500), Duration::from_secs(30)).with_jitter(80, 120);

/// Between attempts to cancel a remote task; each attempt takes up to half a minute.
pub(crate) const REMOTE_CANCEL_RETRY: BackoffPolicy =
    BackoffPolicy::new(Duration::from_secs(5), Duration::from_secs(10 * 60));
