//! Credentials for peers: configured by reference, resolved on use, and sent only to the peer's own hosts.

mod authorizer;
mod credential;
mod oauth;
mod secret;

pub use authorizer::Authorizer;
pub use credential::{ApiKeyLocation, ClientCredentials, ClientSecretLocation, Credential};
pub use oauth::TokenEndpoint;
pub use secret::{Secret, SecretError, SecretRef};
