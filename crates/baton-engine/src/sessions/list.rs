//! Pages of conversations.

use super::{NO_AGENT, SessionError};
use crate::{Engine, engine::Inner};
use baton_ports::{Conversation, ConversationCursor, ConversationPage, ConversationQuery, ListQuery};
use baton_rules::{SessionRecord, Task};
use baton_types::{AgentName, Message, Principal, SessionOrigin, TaskView};
use std::sync::Arc;

/// Which ones to list.
#[derive(Clone, Debug, Default)]
pub struct ListSessions {
    /// Only with this agent.
    pub agent: Option<AgentName>,
    /// Start after this one.
    pub after: Option<ConversationCursor>,
    /// Most sessions.
    pub limit: usize,
}

/// One page, those in which something happened last first.
#[derive(Clone, Debug)]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<SessionSummary>,
    /// How many there are without paging.
    pub total: u64,
    /// Where the next page starts, if there is one.
    pub next: Option<ConversationCursor>,
}

/// One conversation in a list.
#[derive(Clone, Debug)]
pub struct SessionSummary {
    /// What is on record of it.
    pub conversation: Conversation,
    /// What people call it.
    pub title: Option<String>,
    /// Where it was taken from, when it did not begin here.
    pub origin: Option<SessionOrigin>,
    /// What was last said in it.
    pub last_word: Option<Message>,
}

impl Engine {
    /// A page of the caller's conversations.
    pub async fn sessions(
        &self,
        principal: &Arc<Principal>,
        query: &ListSessions,
    ) -> Result<SessionPage, SessionError> {
        let ListSessions { agent, after, limit } = query.clone();
        let query = ConversationQuery { agent, context: None, after, limit };
        let ConversationPage { conversations, total, next } =
            self.inner.journal().conversations(principal, &query).await?;
        let mut sessions = Vec::with_capacity(conversations.len());
        // What surfaces keep for themselves is no conversation with anybody.
        for conversation in conversations.into_iter().filter(|one| one.agent.as_str() != NO_AGENT) {
            let Conversation { agent, context, .. } = &conversation;
            let record = match self.inner.session_record(principal, agent, context).await {
                Err(error) if error.is_damage() => {
                    tracing::warn!(code = error.code().code, %context, %error, "a session is listed without its record");
                    None
                }
                record => record?,
            };
            let last_word = self.inner.last_word(principal, &conversation, record.as_ref()).await?;
            let (title, origin) = record.map(|record| (record.title, record.origin)).unwrap_or_default();
            sessions.push(SessionSummary { conversation, title, origin, last_word });
        }
        Ok(SessionPage { sessions, total, next })
    }
}

impl Inner {
    /// What was last said: in the task that moved last, or before the first.
    async fn last_word(
        &self,
        principal: &Principal,
        conversation: &Conversation,
        record: Option<&SessionRecord>,
    ) -> Result<Option<Message>, SessionError> {
        let (agent, context) = (Some(conversation.agent.clone()), Some(conversation.context.clone()));
        let query = ListQuery { agent, context, ..ListQuery::tasks(1) };
        if let Some(head) = self.journal().list(principal, &query).await?.heads.pop()
            && let Some(task) = self.load_listed(principal, &head).await?
        {
            return Ok(last_of(&task));
        }
        let said = record.iter().flat_map(|record| record.history.iter().rev()).find(|entry| !entry.notice);
        Ok(said.map(|entry| entry.message.clone()))
    }
}

/// Words that only carry calls or results say nothing to people.
fn last_of(task: &Task) -> Option<Message> {
    let TaskView { history, status_message, .. } = task.view();
    let last = history.into_iter().rev().find(|message| !message.text().is_empty());
    status_message.filter(|message| !message.text().is_empty()).or(last)
}
