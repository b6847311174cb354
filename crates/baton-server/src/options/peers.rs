//! Options of remote agents.

use baton_peers::PeerConfig;
use std::path::PathBuf;

/// Remote agents.
#[derive(Clone, Debug, Default)]
pub struct PeerOptions {
    /// Configured peers.
    pub configured: Vec<PeerConfig>,
    /// Data directory with the peers that were added at runtime; without it they are kept in memory.
    pub directory: Option<PathBuf>,
    /// When their cards are read.
    pub card_refresh: CardRefresh,
}

/// When the cards of remote agents are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CardRefresh {
    /// Every few minutes.
    #[default]
    Periodic,
    /// At every refresh.
    OnDemand,
}
