//! What surfaces keep with a conversation.

use crate::{Engine, EngineError};
use baton_rules::SessionRecord;
use baton_types::{AgentName, ContextId, Json, Principal, SessionEvent};
use std::sync::Arc;

/// The agent of conversations that are kept without being with any one agent; no agent can have this name.
pub const NO_AGENT: &str = "~";

/// Notes of one conversation.
const MOST_NOTES: usize = 20_000;

impl Engine {
    /// What is on record of a conversation, with the notes; none when nothing was ever said about it.
    pub async fn notes(
        &self,
        principal: &Arc<Principal>,
        agent: &AgentName,
        context: &ContextId,
    ) -> Result<Option<SessionRecord>, EngineError> {
        self.inner.session_record(principal, agent, context).await
    }

    /// Keeps notes, or takes them away; the conversation is put on record with the first. `decide` sees what is on record and
    /// may be asked again when somebody else writes at the same moment.
    pub async fn note(
        &self,
        principal: &Arc<Principal>,
        agent: &AgentName,
        context: &ContextId,
        decide: impl Fn(Option<&SessionRecord>) -> Vec<(String, Option<Json>)> + Send,
    ) -> Result<Option<SessionRecord>, EngineError> {
        let events = move |record: Option<&SessionRecord>| {
            if record.is_some_and(|record| record.notes.len() >= MOST_NOTES) {
                return Vec::new();
            }
            decide(record).into_iter().map(|(key, value)| SessionEvent::Noted { key, value }).collect()
        };
        self.inner.say_about(principal, agent, context, events).await
    }
}
