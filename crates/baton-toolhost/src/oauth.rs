//! Logging in at servers that want OAuth.
//!
//! rmcp does the protocol; what is here decides when to log in and with what, keeps the credentials for their owner
//! alone, and sends every request through the client that judges addresses.

mod authorize;
mod authorizer;
mod browser;
mod challenge;
mod error;
mod http;
mod login;
mod loopback;
mod prepare;
mod vault;

pub use authorizer::{Account, Authorizer};
pub use browser::Browser;
pub use challenge::Challenge;
pub use error::LoginError;
pub use login::login;
pub use loopback::Loopback;
