//! Creates session records with imported history.

use super::{SessionError, SessionRef, show::SessionSizeLimit};
use crate::{EngineError, engine::EngineInner, error_codes};
use baton_ports::{Commit, ConversationSummary, JournalError, Write};
use baton_rules::SessionRecord;
use baton_types::{
    AgentName, ContextId, ItemName, Principal, SessionEntry, SessionEvent, SessionOrigin, SessionOverrides,
};
use std::sync::Arc;

/// Maximum included and excluded items together.
const MAX_ITEMS: usize = 10_000;

/// A session that starts with existing history.
pub(super) struct NewSession {
    pub(super) agent: AgentName,
    /// Context id; generated if omitted.
    pub(super) context: Option<ContextId>,
    pub(super) origin: SessionOrigin,
    pub(super) title: Option<String>,
    pub(super) settings: SessionOverrides,
    pub(super) included: Vec<ItemName>,
    pub(super) excluded: Vec<ItemName>,
    pub(super) history: Vec<SessionEntry>,
}

/// Moves history entries to a context and removes their task references, within the size limits.
fn rebase_history(history: &mut [SessionEntry], context: &ContextId) -> Result<(), SessionError> {
    let mut room = SessionSizeLimit::default();
    for entry in history {
        room.add(entry)?;
        (entry.message.context, entry.message.task) = (Some(context.clone()), None);
        entry.message.reference_tasks.clear();
    }
    Ok(())
}

impl EngineInner {
    /// The write that creates a session record with imported history, and the record.
    pub(crate) fn import_history(
        &self,
        principal: &Arc<Principal>,
        agent: &AgentName,
        context: &ContextId,
        mut history: Vec<SessionEntry>,
    ) -> Result<Option<(Write, Arc<SessionRecord>)>, EngineError> {
        if history.is_empty() {
            return Ok(None);
        }
        rebase_history(&mut history, context).map_err(|error| EngineError::Invalid {
            code: error_codes::SESSION_INVALID,
            field: "history".to_owned(),
            detail: error.to_string(),
        })?;
        let (agent, context) = (agent.clone(), context.clone());
        let origin = Some(SessionOrigin::Import { context: None });
        let opened = SessionEvent::Opened { agent: agent.clone(), context: context.clone(), origin, history };
        let (write, record) = self.session_write(principal, &agent, &context, None, vec![opened])?;
        Ok(Some((write, Arc::new(record))))
    }

    /// Creates the session record in one commit.
    pub(super) async fn open_session(
        &self,
        principal: &Arc<Principal>,
        new: NewSession,
    ) -> Result<ConversationSummary, SessionError> {
        let NewSession { agent, context, origin, title, settings, included, excluded, mut history } = new;
        let context = match context {
            Some(context) => {
                let reference = SessionRef { context: context.clone(), agent: Some(agent.clone()) };
                match self.conversation(principal, &reference).await {
                    Err(SessionError::NotFound(_)) => context,
                    Err(error) => return Err(error),
                    Ok(_) => return Err(SessionError::Exists(context)),
                }
            }
            None => ContextId::from(self.ports.ids.next_id()),
        };
        rebase_history(&mut history, &context)?;
        if included.len() + excluded.len() > MAX_ITEMS {
            return Err(SessionError::TooLarge { limit: MAX_ITEMS, of: "included and excluded items" });
        }
        let opened =
            SessionEvent::Opened { agent: agent.clone(), context: context.clone(), origin: Some(origin), history };
        let mut events = vec![opened];
        events.extend(title.map(|title| SessionEvent::Renamed { title: Some(title) }));
        if !settings.is_empty() {
            events.push(SessionEvent::SettingsChanged { settings });
        }
        events.extend(included.into_iter().map(|item| SessionEvent::Included { item }));
        events.extend(excluded.into_iter().map(|item| SessionEvent::Excluded { item }));
        let (write, _) = self.session_write(principal, &agent, &context, None, events)?;
        match self.journal().append(Commit::from_writes(vec![write])).await {
            Ok(_) => {}
            Err(JournalError::Conflict { .. }) => return Err(SessionError::Exists(context)),
            Err(error) => return Err(error.into()),
        }
        self.conversation(principal, &SessionRef { context, agent: Some(agent) }).await
    }
}
