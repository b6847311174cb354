//! Resolves session references.

use super::{NO_AGENT, SessionError};
use crate::engine::EngineInner;
use baton_ports::{ConversationQuery, ConversationSummary};
use baton_types::{AgentName, ContextId, Principal};

/// Maximum agents named in an ambiguity error.
const MAX_NAMED_AGENTS: usize = 16;

/// Reference to a session of the caller; the agent may be omitted if the context id is unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRef {
    /// Context id.
    pub context: ContextId,
    /// Agent of the session.
    pub agent: Option<AgentName>,
}

impl EngineInner {
    /// The referenced conversation, if the caller has it.
    pub(super) async fn conversation(
        &self,
        principal: &Principal,
        reference: &SessionRef,
    ) -> Result<ConversationSummary, SessionError> {
        let SessionRef { context, agent } = reference.clone();
        let query = ConversationQuery { agent, context: Some(context.clone()), after: None, limit: MAX_NAMED_AGENTS };
        let mut found = self.journal().conversations(principal, &query).await?.conversations;
        found.retain(|conversation| reference.agent.is_some() || conversation.agent.as_str() != NO_AGENT);
        match (found.pop(), found.is_empty()) {
            (None, _) => Err(SessionError::NotFound(context)),
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                found.push(last);
                let agents = found.into_iter().map(|conversation| conversation.agent).collect();
                Err(SessionError::Ambiguous { context, agents })
            }
        }
    }
}
