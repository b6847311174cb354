//! What is shown to peers: named by reference, looked up when it is used, and sent to the peer's own hosts only.

mod authorizer;
mod credential;
mod oauth;
mod secret;

pub use authorizer::Authorizer;
pub use credential::{ClientCredentials, Credential, KeyPlace, SecretPlace};
pub use oauth::TokenEndpoint;
pub use secret::{Secret, SecretError, SecretRef};
