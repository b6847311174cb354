//! What the surface is told about who may come in.

use baton_ports::{Audit, Clock, Identity, Tokens};
use baton_rules::RateLimit;
use baton_types::{Digest, Timestamp};
use std::{fmt, sync::Arc};

/// Who may come in.
#[derive(Clone)]
pub struct AccessOptions {
    /// Who knows callers; without it everybody is the owner of this Baton, which is for loopback only.
    pub identity: Option<Arc<dyn Identity>>,
    /// The digest of the token that only this Baton's owner has; without it everybody who comes is the owner, as in
    /// the owner's own process.
    pub owner: Option<Digest>,
    /// Who makes tokens and takes them back.
    pub tokens: Option<Arc<dyn Tokens>>,
    /// Who keeps a record of those that were turned away.
    pub audit: Option<Arc<dyn Audit>>,
    /// Whether cards and lists of agents are for callers who may read the agent, and not for everybody.
    pub private_cards: bool,
    /// Whether everybody may read the meters.
    pub open_metrics: bool,
    /// How often each caller may ask.
    pub rate: Option<RateLimit>,
    /// What time it is, for the audit log and the expiry of tokens.
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
            clock: Arc::new(Stopped),
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

/// The clock of a surface that was given none.
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        Timestamp::default()
    }
}
