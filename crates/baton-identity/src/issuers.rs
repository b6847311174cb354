//! Trusted issuers of JSON Web Tokens.

mod config;
mod discover;
mod documents;
mod keys;
mod scopes;
mod trusted;

pub use config::{IssuerConfig, IssuerError};
pub use documents::{GuardedIssuerDocuments, IssuerDocuments};
pub use trusted::Issuers;
