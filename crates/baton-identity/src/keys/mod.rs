//! Keys that sign agent cards, and those whose signatures are believed.

mod files;
mod public;
mod signing;
mod trusted;

pub use files::KeyFileError;
pub(crate) use public::PublicKey;
pub use public::{BadKeySet, CardAlgorithm};
pub use signing::SigningKeys;
pub use trusted::TrustedKeys;
