//! Authentication and signatures: bearer tokens issued here, tokens of trusted issuers, and signed agent cards.
//!
//! This crate must never store or log a secret unless it is required: tokens are stored as digests, and signing keys
//! stay in files that only their owner can read. It accepts no algorithm that its caller did not name, and never
//! `none`.
//!
//! Read first: [`BearerAuthenticator`] (authentication of a token), [`TokenRegistry`] (tokens issued here), [`Issuers`]
//! (tokens issued elsewhere), [`SigningKeys`] (this server's keys, the port `CardSigner`), [`verify_card`]
//! (verification of a card).

mod card;
mod gate;
mod issuers;
mod jws;
mod jwt;
mod keys;
mod tokens;

pub use card::{CardVerificationError, VerifiedCard, signature_headers, verify_card};
pub use gate::BearerAuthenticator;
pub use issuers::{GuardedIssuerDocuments, IssuerConfig, IssuerDocuments, IssuerError, Issuers};
pub use jws::SignatureHeader;
pub use jwt::Algorithm;
pub use keys::{CardAlgorithm, KeyFileError, KeySetError, SigningKeys, TrustedKeys};
pub use tokens::TokenRegistry;
