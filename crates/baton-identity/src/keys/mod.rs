//! Signing keys for agent cards, and trusted keys for their verification.

mod files;
mod public;
mod signing;
mod trusted;

pub use files::KeyFileError;
pub(crate) use public::PublicKey;
pub use public::{CardAlgorithm, KeySetError};
pub use signing::SigningKeys;
pub use trusted::TrustedKeys;
