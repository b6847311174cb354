//! Access control options of the HTTP server.

use baton_ports::{AuditLog, Authenticator, TokenIssuer};
use baton_rules::RateLimit;
use baton_types::{Clock, Digest, Timestamp};
use std::{fmt, sync::Arc};

/// Access control options.
#[derive(Clone)]
pub struct AccessOptions {
    /// Identity provider; without it every caller is the owner of this Baton, which is safe on loopback only.
    pub identity: Option<Arc<dyn Authenticator>>,
    /// Digest of the owner's token; without it every caller is the owner, as within the owner's process.
    pub owner: Option<Digest>,
    /// Issues and revokes tokens.
    pub tokens: Option<Arc<dyn TokenIssuer>>,
    /// Audit log of denials and administrative changes.
    pub audit: Option<Arc<dyn AuditLog>>,
    /// Whether agent cards and agent lists require read access to the agent.
    pub private_cards: bool,
    /// Whether metrics are public.
    pub open_metrics: bool,
    /// Rate limit of each caller.
    pub rate: Option<RateLimit>,
    /// Clock for the audit log and token expiry.
    pub clock: Arc<dyn Clock>,
}

impl Default for AccessOptions {
    fn default() -> Self {
        Self {
            identity: None,
            owner: None,
            tokens: None,
            audit: None,
            private_cards: false,
            open_metrics: false,
            rate: None,
            clock: Arc::new(FixedClock),
        }
    }
}

impl fmt::Debug for AccessOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessOptions")
            .field("identity", &self.identity.is_some())
            .field("tokens", &self.tokens.is_some())
            .field("audit", &self.audit.is_some())
            .field("private_cards", &self.private_cards)
            .field("open_metrics", &self.open_metrics)
            .field("rate", &self.rate)
            .finish_non_exhaustive()
    }
}

/// Clock of a server without one; it does not advance.
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::default()
    }
}
