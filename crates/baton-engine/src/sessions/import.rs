//! A conversation that comes from a file.

use super::{SessionError, open::NewSession};
use crate::{Engine, EngineError};
use baton_ports::Conversation;
use baton_rules::{check_mode_setting, check_settings, check_title, whole};
use baton_types::{AgentName, ContextId, ItemName, Principal, SessionEntry, SessionOrigin, SessionOverrides};
use std::sync::Arc;

/// What a file says.
#[derive(Clone, Debug)]
pub struct ImportSession {
    /// With whom it goes on.
    pub agent: AgentName,
    /// The name of the new one; a fresh one when not given.
    pub context: Option<ContextId>,
    /// Its name where the file was made.
    pub was: Option<String>,
    /// What people call it.
    pub title: Option<String>,
    /// Settings that differ from the agent's.
    pub settings: SessionOverrides,
    /// What was named.
    pub included: Vec<ItemName>,
    /// What is left out.
    pub excluded: Vec<ItemName>,
    /// What was said.
    pub history: Vec<SessionEntry>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The new conversation.
    pub conversation: Conversation,
    /// Messages that were left out or cut, because calls lacked results or results calls.
    pub cut: usize,
}

impl Engine {
    /// Begins a conversation that knows what a file says.
    pub async fn import_session(
        &self,
        principal: &Arc<Principal>,
        import: ImportSession,
    ) -> Result<Imported, SessionError> {
        let ImportSession { agent, context, was, title, settings, included, excluded, history } = import;
        let agents = &self.inner.ports.agents;
        // Where none is served, sessions are managed for those that will be.
        if !agents.has(&agent) && !agents.listed().is_empty() {
            return Err(EngineError::AgentNotFound(agent).into());
        }
        check_settings(&settings)?;
        if let Some(spec) = agents.agent(&agent) {
            check_mode_setting(&spec, &settings)?;
        }
        let title = check_title(title.as_deref())?;
        let (history, cut) = whole(history);
        let origin = SessionOrigin::Import { context: was };
        let new = NewSession { agent, context, origin, title, settings, included, excluded, history };
        let conversation = self.inner.open_session(principal, new).await?;
        Ok(Imported { conversation, cut })
    }
}
