//! Liveness and readiness of a Baton.

use crate::{Client, ClientError};
use baton_api::Health;

impl Client {
    /// Checks liveness.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.document("/healthz").await
    }

    /// Checks readiness; the error contains the reason.
    pub async fn ready(&self) -> Result<Health, ClientError> {
        self.document("/readyz").await
    }
}
