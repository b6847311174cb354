//! State of one session of an older protocol, or of one request of the newest.

use super::{agent::EnvironmentAgent, watch::EnvironmentChange};
use parking_lot::Mutex;
use rmcp::{ErrorData, Peer, RoleServer, model::LoggingLevel, model::ResourceUpdatedNotificationParam};
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Maximum number of resource subscriptions per session.
const MAX_SUBSCRIPTIONS: usize = 256;
/// Maximum number of tools approved for a session; further tools need approval for every call.
const MAX_GRANTS: usize = 256;

/// State of one session.
#[derive(Default)]
pub(super) struct EnvironmentSession {
    level: Mutex<Option<LoggingLevel>>,
    subscriptions: Subscriptions,
    notifier: OnceLock<DropGuard>,
    /// Tools approved for the rest of the session.
    granted: Mutex<HashSet<String>>,
    /// Whether the client answered a handoff with a model.
    answers_from_model: AtomicBool,
}

/// Subscribed resources, each with its server; references of the agent have none.
type Subscriptions = Arc<Mutex<HashMap<String, Option<String>>>>;

impl EnvironmentSession {
    pub(super) fn level(&self) -> Option<LoggingLevel> {
        *self.level.lock()
    }

    pub(super) fn set_level(&self, level: LoggingLevel) {
        *self.level.lock() = Some(level);
    }

    /// Whether a tool was approved for the rest of the session.
    pub(super) fn is_granted(&self, tool: &str) -> bool {
        self.granted.lock().contains(tool)
    }

    pub(super) fn grant(&self, tool: &str) {
        let mut granted = self.granted.lock();
        if granted.len() < MAX_GRANTS {
            granted.insert(tool.to_owned());
        }
    }

    /// Whether the client answered a handoff with a model, so that no further handoff is delegated to it.
    pub(super) fn answers_from_model(&self) -> bool {
        self.answers_from_model.load(Ordering::Relaxed)
    }

    pub(super) fn note_model_answer(&self) {
        self.answers_from_model.store(true, Ordering::Relaxed);
    }

    /// Records a subscription; false if it already exists.
    pub(super) fn subscribe(&self, uri: &str, server: Option<String>) -> Result<bool, ErrorData> {
        let mut subscriptions = self.subscriptions.lock();
        if subscriptions.contains_key(uri) {
            return Ok(false);
        }
        if subscriptions.len() >= MAX_SUBSCRIPTIONS {
            let message =
                format!("a session can subscribe to at most {MAX_SUBSCRIPTIONS} resources; unsubscribe from one first");
            return Err(ErrorData::invalid_params(message, None));
        }
        subscriptions.insert(uri.to_owned(), server);
        Ok(true)
    }

    /// Removes a subscription and returns its server.
    pub(super) fn unsubscribe(&self, uri: &str) -> Option<Option<String>> {
        self.subscriptions.lock().remove(uri)
    }

    /// Starts to send change notifications to the client, until the session ends.
    pub(super) fn start_notifications(&self, agent: &Arc<EnvironmentAgent>, peer: &Peer<RoleServer>) {
        self.notifier.get_or_init(|| {
            let stop = CancellationToken::new();
            let listening =
                send_changes(Arc::clone(agent), peer.clone(), Arc::clone(&self.subscriptions), stop.clone());
            tokio::spawn(listening);
            stop.drop_guard()
        });
    }
}

async fn send_changes(
    agent: Arc<EnvironmentAgent>,
    peer: Peer<RoleServer>,
    subscriptions: Subscriptions,
    stop: CancellationToken,
) {
    let mut watch = agent.watch();
    'changes: loop {
        let changes = tokio::select! {
            changes = watch.next() => changes,
            () = stop.cancelled() => break,
        };
        for change in changes {
            let sent = match change {
                EnvironmentChange::Tools => peer.notify_tool_list_changed().await,
                EnvironmentChange::Prompts => peer.notify_prompt_list_changed().await,
                EnvironmentChange::Resources => peer.notify_resource_list_changed().await,
                EnvironmentChange::Updated(uri) if subscriptions.lock().contains_key(&uri) => {
                    peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
                }
                EnvironmentChange::Updated(_) => Ok(()),
            };
            if sent.is_err() {
                break 'changes;
            }
        }
    }
    let left: Vec<_> = subscriptions.lock().drain().collect();
    for (uri, server) in left {
        let Some(server) = server else { continue };
        if let Err(error) = agent.ports.servers.unsubscribe(&agent.name, &server, &uri).await {
            tracing::debug!(%error, "cannot unsubscribe from a resource after the end of a session");
        }
    }
}
