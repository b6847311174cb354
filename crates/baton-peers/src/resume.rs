//! Finds a message that may have been delivered, without sending it again.

use crate::{
    CallError, PeerClient,
    follow::{TaskFollower, is_missing, is_unknown_method},
    retry::{RECONNECTS, next_delay},
    send::PriorPeerSend,
};
use baton_ports::{PeerError, PeerRequest};
use baton_types::Backoff;
use baton_wire::a2a::v1::{GetTaskRequest, ListTasksRequest, Task};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Delays between polls for a message that may still be in flight.
const SEARCH_BACKOFF: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_millis(300),
    Duration::from_millis(700),
    Duration::from_millis(1000),
    Duration::from_millis(1500),
    Duration::from_millis(1500),
];

/// Maximum number of tasks of a conversation that are examined, newest first.
const MAX_CANDIDATES: usize = 10;

/// Result of a search for the message.
enum SearchOutcome {
    Found(String),
    NotFound,
    /// The peer does not support this search.
    Unsupported,
}

impl PeerClient {
    /// Finds a message sent before a restart and follows its task. The message is sent again only to a peer that
    /// supports idempotency.
    pub(crate) async fn resume(&self, ask: &PeerRequest, task: Option<&str>) -> Result<TaskFollower, PeerError> {
        if let Some(task) = task {
            return Ok(self.follow_message(ask, task));
        }
        if let Some(found) = self.find_message(ask).await {
            return Ok(found);
        }
        if self.capabilities().idempotent {
            return self.send_after(ask, PriorPeerSend::Possible).await;
        }
        let message = "Baton stopped while sending it, and the remote agent has no record of it";
        Err(PeerError::InDoubt(message.to_owned()))
    }

    /// Finds a message whose delivery is unknown.
    pub(crate) async fn find_message(&self, ask: &PeerRequest) -> Option<TaskFollower> {
        // With idempotency one poll is enough: the message can be sent again.
        let once = self.capabilities().idempotent;
        let looks = if once { &SEARCH_BACKOFF[..1] } else { &SEARCH_BACKOFF[..] };
        let task = self.search(ask, looks, once).await?;
        Some(self.follow_message(ask, &task))
    }

    /// The task that received the message, for callers that never send it again, even to an idempotent peer.
    pub(crate) async fn find_task(&self, ask: &PeerRequest) -> Option<String> {
        self.search(ask, &SEARCH_BACKOFF, false).await
    }

    async fn search(&self, ask: &PeerRequest, looks: &[Duration], once: bool) -> Option<String> {
        for wait in looks {
            sleep(*wait).await;
            match self.search_with_retry(ask, once).await {
                SearchOutcome::Found(task) => return Some(task),
                SearchOutcome::NotFound => {}
                SearchOutcome::Unsupported => break,
            }
        }
        None
    }

    /// One search, with retries until the peer replies: an unreachable peer may be starting.
    async fn search_with_retry(&self, ask: &PeerRequest, once: bool) -> SearchOutcome {
        let began = Instant::now();
        let mut backoff = Backoff::new(RECONNECTS);
        loop {
            let error = match self.search_once(ask).await {
                Ok(look) => return look,
                Err(error) => error,
            };
            tracing::debug!(%error, "a remote agent could not be queried");
            let wait = next_delay(&mut backoff, error.retry_after());
            if once || error.is_refusal() || began.elapsed() + wait > self.retry_limits().silence_timeout {
                return SearchOutcome::Unsupported;
            }
            sleep(wait).await;
        }
    }

    async fn search_once(&self, ask: &PeerRequest) -> Result<SearchOutcome, CallError> {
        let message_id = ask.message.id.as_str();
        if let Some(task) = &ask.task {
            return match self.get_full_task(ask, task).await {
                Ok(found) if has_message(&found, message_id) => Ok(SearchOutcome::Found(task.clone())),
                Ok(_) => Ok(SearchOutcome::NotFound),
                Err(error) if is_missing(&error) => Ok(SearchOutcome::Unsupported),
                Err(error) => Err(error),
            };
        }
        if !self.capabilities().lists_tasks || ask.context.is_empty() {
            return Ok(SearchOutcome::Unsupported);
        }
        let request = ListTasksRequest {
            context_id: Some(ask.context.clone().into()),
            page_size: Some(i32::try_from(MAX_CANDIDATES).unwrap_or(i32::MAX)),
            ..ListTasksRequest::default()
        };
        let page = match self.binding().list(request, &self.message_metadata(ask)).await {
            Err(error) if is_unknown_method(&error) => return Ok(SearchOutcome::Unsupported),
            page => page?,
        };
        let of_context = page.tasks.iter().filter(|task| task.context_id == ask.context);
        for task in of_context.take(MAX_CANDIDATES) {
            // Other messages of the conversation may have created tasks too: only a task that contains this message
            // matches.
            if has_message(task, message_id) || has_message(&self.get_full_task(ask, &task.id).await?, message_id) {
                return Ok(SearchOutcome::Found(task.id.to_string()));
            }
        }
        Ok(SearchOutcome::NotFound)
    }

    async fn get_full_task(&self, ask: &PeerRequest, task: &str) -> Result<Task<'static>, CallError> {
        let request = GetTaskRequest { id: task.to_owned().into(), ..GetTaskRequest::default() };
        self.binding().get(request, &self.message_metadata(ask)).await
    }
}

/// Whether the task's history contains the message.
fn has_message(task: &Task<'_>, message: &str) -> bool {
    task.history.iter().flatten().any(|entry| entry.message_id == message)
}
