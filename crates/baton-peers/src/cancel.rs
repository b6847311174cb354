//! Cancellation of a peer's task.

use crate::{
    CallError, PeerClient,
    client::{refused_error, unreachable_error},
    follow::{is_ended, is_missing},
    retry::{RECONNECTS, next_delay},
};
use baton_ports::PeerError;
use baton_types::Backoff;
use baton_wire::a2a::v1::CancelTaskRequest;
use tokio::time::{Instant, sleep};

impl PeerClient {
    /// Cancels a task, with retries until the peer is reached; a task that has already ended counts as success.
    pub async fn cancel(&self, task: &str) -> Result<(), PeerError> {
        let began = Instant::now();
        let mut backoff = Backoff::new(RECONNECTS);
        loop {
            let request = CancelTaskRequest { id: task.to_owned().into(), ..CancelTaskRequest::default() };
            let error = match self.binding().cancel(request, &self.base_metadata()).await {
                Ok(_) => return Ok(()),
                Err(error) if is_ended(&error) || is_missing(&error) => return Ok(()),
                Err(error) => error,
            };
            if error.is_refusal() {
                return Err(refused_error(&error));
            }
            let wait = next_delay(&mut backoff, error.retry_after());
            if matches!(error, CallError::Forbidden(_)) || began.elapsed() + wait > self.retry_limits().reach_timeout {
                return Err(unreachable_error(&error));
            }
            sleep(wait).await;
        }
    }
}
