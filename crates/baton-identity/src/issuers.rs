//! Issuers of JSON Web Tokens that are trusted here.

mod config;
mod discover;
mod documents;
mod keys;
mod scopes;
mod trusted;

pub use config::{IssuerConfig, IssuerError};
pub use documents::{Documents, GuardedDocuments};
pub use trusted::Issuers;
