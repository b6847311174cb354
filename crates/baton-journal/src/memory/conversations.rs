//! Conversations: streams by agent and context.

use super::{list::owns, state::MemoryState};
use baton_ports::{ConversationCursor, ConversationPage, ConversationQuery, ConversationSummary, DeleteOutcome};
use baton_types::{AgentName, ContextId, Principal, StreamId};
use std::collections::{BTreeMap, HashSet};

impl MemoryState {
    pub(super) fn conversations(&self, principal: &Principal, query: &ConversationQuery) -> ConversationPage {
        let mut found: BTreeMap<(AgentName, ContextId), ConversationSummary> = BTreeMap::new();
        let heads = self.heads().filter(|head| {
            owns(principal, head)
                && !matches!(head.stream, StreamId::Handoff(_))
                && query.agent.as_ref().is_none_or(|agent| *agent == head.agent)
                && query.context.as_ref().is_none_or(|context| *context == head.context)
        });
        for head in heads {
            let (agent, context) = (head.agent.clone(), head.context.clone());
            let summary = found.entry((agent.clone(), context.clone())).or_insert(ConversationSummary {
                agent,
                context,
                tasks: 0,
                unfinished: 0,
                began_at: head.created_at,
                last_at: head.status_at,
            });
            summary.began_at = summary.began_at.min(head.created_at);
            summary.last_at = summary.last_at.max(head.status_at);
            summary.tasks += u64::from(head.task().is_some());
            summary.unfinished += u64::from(head.task().is_some() && !head.terminal);
        }
        let mut conversations: Vec<ConversationSummary> = found.into_values().collect();
        conversations.sort_unstable_by_key(|conversation| std::cmp::Reverse(conversation_cursor(conversation)));
        let total = conversations.len() as u64;
        if let Some(after) = &query.after {
            conversations.retain(|conversation| conversation_cursor(conversation) < *after);
        }
        let more = conversations.len() > query.limit;
        conversations.truncate(query.limit);
        let next = conversations.last().filter(|_| more).map(conversation_cursor);
        ConversationPage { conversations, total, next }
    }

    pub(super) fn delete_conversation(
        &mut self,
        principal: &Principal,
        agent: &AgentName,
        context: &ContextId,
    ) -> DeleteOutcome {
        let streams = self.streams.iter().filter(|(_, stream)| {
            owns(principal, &stream.head) && stream.head.agent == *agent && stream.head.context == *context
        });
        let mut keys = Vec::new();
        for (key, stream) in streams {
            if stream.head.terminal {
                keys.push(*key);
            } else if stream.head.task().is_some() {
                return DeleteOutcome::Unfinished(stream.head.stream.clone());
            }
        }
        let removed: HashSet<StreamId> = keys.into_iter().filter_map(|key| self.remove_stream(key)).collect();
        self.outbox.remove_streams(&removed);
        self.claims.remove_streams(&removed);
        DeleteOutcome::Deleted(removed.len() as u64)
    }
}

fn conversation_cursor(conversation: &ConversationSummary) -> ConversationCursor {
    ConversationCursor {
        last_at: conversation.last_at,
        agent: conversation.agent.clone(),
        context: conversation.context.clone(),
    }
}
