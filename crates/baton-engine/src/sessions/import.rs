//! Imports a session from a file.

use super::{SessionError, open::NewSession};
use crate::{Engine, EngineError};
use baton_ports::ConversationSummary;
use baton_rules::{check_mode_setting, check_settings, check_title, repair_transcript};
use baton_types::{AgentName, ContextId, ItemName, Principal, SessionEntry, SessionOrigin, SessionOverrides};
use std::sync::Arc;

/// Content of a session file.
#[derive(Clone, Debug)]
pub struct ImportSession {
    /// Agent of the new session.
    pub agent: AgentName,
    /// Context id of the new session; generated if omitted.
    pub context: Option<ContextId>,
    /// Original context id.
    pub original_context: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Settings that differ from the agent's.
    pub settings: SessionOverrides,
    /// Included items.
    pub included: Vec<ItemName>,
    /// Excluded items.
    pub excluded: Vec<ItemName>,
    /// Messages.
    pub history: Vec<SessionEntry>,
}

/// Result of an import.
#[derive(Clone, Debug)]
pub struct SessionImportResult {
    /// The new session.
    pub conversation: ConversationSummary,
    /// Messages omitted or cut, because calls lacked results or results lacked calls.
    pub cut: usize,
}

impl Engine {
    /// Starts a session with the history of a file.
    pub async fn import_session(
        &self,
        principal: &Arc<Principal>,
        import: ImportSession,
    ) -> Result<SessionImportResult, SessionError> {
        let ImportSession { agent, context, original_context: was, title, settings, included, excluded, history } =
            import;
        let agents = &self.inner.ports.agents;
        // Without any agents, sessions can be imported for agents added later.
        if !agents.has(&agent) && !agents.listings().is_empty() {
            return Err(EngineError::AgentNotFound(agent).into());
        }
        check_settings(&settings)?;
        if let Some(spec) = agents.agent(&agent) {
            check_mode_setting(&spec, &settings)?;
        }
        let title = check_title(title.as_deref())?;
        let (history, cut) = repair_transcript(history);
        let origin = SessionOrigin::Import { context: was };
        let new = NewSession { agent, context, origin, title, settings, included, excluded, history };
        let conversation = self.inner.open_session(principal, new).await?;
        Ok(SessionImportResult { conversation, cut })
    }
}
