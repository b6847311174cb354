//! Registry of peers: those in the configuration and those added by command.

mod agent;
mod entry;
mod file;
mod keep;
mod lent;
mod open;
mod reach;
mod refresh;

pub use keep::LocalPeerRegistry;
pub use open::PeerRegistryOptions;
pub use reach::{CardReadOutcome, EnvironmentAccess, FetchedCard, PeerConnector, PeerInterface};
