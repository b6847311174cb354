//! Who is asking, and who signed: bearer tokens made here, tokens of trusted issuers, and signed agent cards.
//!
//! This crate must never keep or log a secret that it can do without: tokens are stored as digests, and signing keys
//! stay in files that only their owner can read. It accepts no algorithm that its caller did not name, and never `none`.
//!
//! Read first: [`Gate`] (who shows this token), [`TokenRegistry`] (tokens made here), [`Issuers`] (tokens made elsewhere),
//! [`SigningKeys`] (this Baton's keys, the port `CardSigner`), [`verify_card`] (whether a card holds).

mod card;
mod gate;
mod issuers;
mod jws;
mod jwt;
mod keys;
mod tokens;

pub use card::{CardDistrust, Verified, signature_headers, verify_card};
pub use gate::Gate;
pub use issuers::{Documents, GuardedDocuments, IssuerConfig, IssuerError, Issuers};
pub use jws::SignatureHeader;
pub use jwt::Algorithm;
pub use keys::{BadKeySet, CardAlgorithm, KeyFileError, SigningKeys, TrustedKeys};
pub use tokens::TokenRegistry;
