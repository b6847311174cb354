//! Which conversation is meant.

use super::{NO_AGENT, SessionError};
use crate::engine::Inner;
use baton_ports::{Conversation, ConversationQuery};
use baton_types::{AgentName, ContextId, Principal};

/// Agents that are named when it is not clear which one is meant.
const NAMED: usize = 16;

/// A conversation of the caller's; without an agent, the only one of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRef {
    /// Its name.
    pub context: ContextId,
    /// With whom.
    pub agent: Option<AgentName>,
}

impl Inner {
    /// The conversation that is meant, if the caller has it.
    pub(super) async fn conversation(
        &self,
        principal: &Principal,
        wanted: &SessionRef,
    ) -> Result<Conversation, SessionError> {
        let SessionRef { context, agent } = wanted.clone();
        let query = ConversationQuery { agent, context: Some(context.clone()), after: None, limit: NAMED };
        let mut found = self.journal().conversations(principal, &query).await?.conversations;
        found.retain(|one| wanted.agent.is_some() || one.agent.as_str() != NO_AGENT);
        match (found.pop(), found.is_empty()) {
            (None, _) => Err(SessionError::NotFound(context)),
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                found.push(last);
                let agents = found.into_iter().map(|one| one.agent).collect();
                Err(SessionError::Ambiguous { context, agents })
            }
        }
    }
}
