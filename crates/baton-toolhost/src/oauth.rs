//! OAuth login at MCP servers.
//!
//! rmcp implements the protocol. This module decides when to log in and with which credentials, stores the credentials
//! readable by their owner only, and sends every request through the client that checks addresses.

mod authorize;
mod authorizer;
mod browser;
mod challenge;
mod discovery;
mod error;
mod http;
mod login;
mod loopback;
mod vault;

pub use authorizer::{Authorizer, OauthAccount};
pub use browser::Browser;
pub use challenge::Challenge;
pub use error::LoginError;
pub use login::login;
pub use loopback::LoopbackBrowser;
