//! Browser interface for interactive logins.

use super::LoginError;
use baton_ports::BoxFuture;

/// Directs a user to the page of an authorization server.
pub trait Browser: Send + Sync {
    /// The redirect address for the authorization server.
    fn callback(&self) -> &str;

    /// Opens the page and returns the full callback address.
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<String, LoginError>>;
}
