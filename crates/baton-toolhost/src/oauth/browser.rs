//! How a person gets to the page where they log in, and back.

use super::LoginError;
use baton_ports::BoxFuture;

/// Brings somebody to an authorization server's page.
pub trait Browser: Send + Sync {
    /// The address to which the authorization server shall send them back.
    fn callback(&self) -> &str;

    /// Has somebody visit the page, and gives the whole address to which they were sent back.
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<String, LoginError>>;
}
