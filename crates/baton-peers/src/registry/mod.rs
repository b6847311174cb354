//! Registry of peers: those in the configuration and those added by command.

mod agent;
mod connector;
mod entry;
mod file;
mod local;
mod open;
mod referenced;
mod refresh;

pub use connector::{CardReadOutcome, FetchedCard, PeerConnector, PeerInterface};
pub use local::LocalPeerRegistry;
pub use open::PeerRegistryOptions;
