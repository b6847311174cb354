//! Who is asking, and who signed: bearer tokens made here, tokens of trusted issuers, and signed agent cards.
//!
//! This crate must never keep or log a secret that it can do without: tokens are stored as digests, and signing keys
//! stay in files that only their owner can read. It accepts no algorithm that its caller did not name, and never `none`.
//!
//! Read first: [`SigningKeys`] (this Baton's keys, the port `CardSigner`), [`verify_card`] (whether a card holds).

mod card;
mod jws;
mod keys;

pub use card::{CardDistrust, Verified, signature_headers, verify_card};
pub use jws::SignatureHeader;
pub use keys::{BadKeySet, CardAlgorithm, KeyFileError, SigningKeys, TrustedKeys};
