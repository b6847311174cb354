//! Notes of surfaces, stored with a session.

use crate::{Engine, EngineError};
use baton_rules::SessionRecord;
use baton_types::{AgentName, ContextId, Json, Principal, SessionEvent};
use std::sync::Arc;

/// Agent name of sessions without an agent; not a valid agent name.
pub const NO_AGENT: &str = "~";

/// Maximum notes per session.
const MAX_NOTES: usize = 20_000;

impl Engine {
    /// The session record with its notes; `None` if there is no record.
    pub async fn notes(
        &self,
        principal: &Arc<Principal>,
        agent: &AgentName,
        context: &ContextId,
    ) -> Result<Option<SessionRecord>, EngineError> {
        self.inner.session_record(principal, agent, context).await
    }

    /// Adds or removes notes; creates the session record if needed. `decide` receives the current record and may be
    /// called again after a concurrent write.
    pub async fn note(
        &self,
        principal: &Arc<Principal>,
        agent: &AgentName,
        context: &ContextId,
        decide: impl Fn(Option<&SessionRecord>) -> Vec<(String, Option<Json>)> + Send,
    ) -> Result<Option<SessionRecord>, EngineError> {
        let events = move |record: Option<&SessionRecord>| {
            if record.is_some_and(|record| record.notes.len() >= MAX_NOTES) {
                return Vec::new();
            }
            decide(record).into_iter().map(|(key, value)| SessionEvent::NoteAdded { key, value }).collect()
        };
        self.inner.update_session(principal, agent, context, events).await
    }
}
