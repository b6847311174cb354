//! Whether a Baton is there and takes work.

use crate::{Client, ClientError};
use baton_wire::api::Health;

impl Client {
    /// Whether the process lives.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.document("/healthz").await
    }

    /// Whether it takes work; an error says why not.
    pub async fn ready(&self) -> Result<Health, ClientError> {
        self.document("/readyz").await
    }
}
