//! Finds a message that may have been delivered, without sending it again.

use crate::{
    CallError, PeerClient,
    ask::Before,
    follow::{Follow, is_missing, is_unknown_method},
    retry::Backoff,
};
use baton_ports::{PeerError, PeerRequest};
use baton_wire::a2a::v1::{GetTaskRequest, ListTasksRequest, Task};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Delays between polls for a message that may still be in flight.
const LOOKS: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_millis(300),
    Duration::from_millis(700),
    Duration::from_millis(1000),
    Duration::from_millis(1500),
    Duration::from_millis(1500),
];

/// Maximum number of tasks of a conversation that are examined, newest first.
const CANDIDATES: usize = 10;

/// Result of a search for the message.
enum Look {
    Found(String),
    NotThere,
    /// The peer does not support this search.
    Blind,
}

impl PeerClient {
    /// Finds a message sent before a restart and follows its task. The message is sent again only to a peer that
    /// supports idempotency.
    pub(crate) async fn resume(&self, ask: &PeerRequest, task: Option<&str>) -> Result<Follow, PeerError> {
        if let Some(task) = task {
            return Ok(self.stay(ask, task));
        }
        if let Some(found) = self.find(ask).await {
            return Ok(found);
        }
        if self.abilities().idempotent {
            return self.say_after(ask, Before::Perhaps).await;
        }
        let words = "Baton stopped while sending it, and the remote agent has no record of it";
        Err(PeerError::InDoubt(words.to_owned()))
    }

    /// Finds a message whose delivery is unknown.
    pub(crate) async fn find(&self, ask: &PeerRequest) -> Option<Follow> {
        // With idempotency one poll is enough: the message can be sent again.
        let once = self.abilities().idempotent;
        let looks = if once { &LOOKS[..1] } else { &LOOKS[..] };
        let task = self.search(ask, looks, once).await?;
        Some(self.stay(ask, &task))
    }

    /// The task that received the message, for callers that never send it again, even to an idempotent peer.
    pub(crate) async fn trace(&self, ask: &PeerRequest) -> Option<String> {
        self.search(ask, &LOOKS, false).await
    }

    async fn search(&self, ask: &PeerRequest, looks: &[Duration], once: bool) -> Option<String> {
        for wait in looks {
            sleep(*wait).await;
            match self.look_patiently(ask, once).await {
                Look::Found(task) => return Some(task),
                Look::NotThere => {}
                Look::Blind => break,
            }
        }
        None
    }

    /// One search, with retries until the peer replies: an unreachable peer may be starting.
    async fn look_patiently(&self, ask: &PeerRequest, once: bool) -> Look {
        let began = Instant::now();
        let mut backoff = Backoff::connections();
        loop {
            let error = match self.look_for(ask).await {
                Ok(look) => return look,
                Err(error) => error,
            };
            tracing::debug!(%error, "a remote agent could not be queried");
            let wait = backoff.next(error.retry_after());
            if once || error.is_refusal() || began.elapsed() + wait > self.patience().silence {
                return Look::Blind;
            }
            sleep(wait).await;
        }
    }

    async fn look_for(&self, ask: &PeerRequest) -> Result<Look, CallError> {
        let said = ask.message.id.as_str();
        if let Some(task) = &ask.task {
            return match self.full(ask, task).await {
                Ok(found) if has(&found, said) => Ok(Look::Found(task.clone())),
                Ok(_) => Ok(Look::NotThere),
                Err(error) if is_missing(&error) => Ok(Look::Blind),
                Err(error) => Err(error),
            };
        }
        if !self.abilities().lists || ask.context.is_empty() {
            return Ok(Look::Blind);
        }
        let request = ListTasksRequest {
            context_id: Some(ask.context.clone().into()),
            page_size: Some(i32::try_from(CANDIDATES).unwrap_or(i32::MAX)),
            ..ListTasksRequest::default()
        };
        let page = match self.binding().list(request, &self.with(ask)).await {
            Err(error) if is_unknown_method(&error) => return Ok(Look::Blind),
            page => page?,
        };
        let of_context = page.tasks.iter().filter(|task| task.context_id == ask.context);
        for task in of_context.take(CANDIDATES) {
            // Other messages of the conversation may have created tasks too: only a task that contains this message
            // matches.
            if has(task, said) || has(&self.full(ask, &task.id).await?, said) {
                return Ok(Look::Found(task.id.to_string()));
            }
        }
        Ok(Look::NotThere)
    }

    async fn full(&self, ask: &PeerRequest, task: &str) -> Result<Task<'static>, CallError> {
        let request = GetTaskRequest { id: task.to_owned().into(), ..GetTaskRequest::default() };
        self.binding().get(request, &self.with(ask)).await
    }
}

/// Whether the task's history contains the message.
fn has(task: &Task<'_>, message: &str) -> bool {
    task.history.iter().flatten().any(|said| said.message_id == message)
}
