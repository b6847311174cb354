//! Going on in a conversation.

use super::{
    super::{asked::Asked, turn},
    Entry, Record,
    items::all,
};
use baton_responses::{Input, Refusal, ResponseId, Turn as Said, read_items};
use baton_rules::{Access, calls_in};
use baton_types::{AgentSpec, ContextId, Json, SessionEntry, TaskId, TaskState};

/// A conversation that somebody goes on in.
pub(in super::super) struct Joined {
    pub(in super::super) context: ContextId,
    pub(in super::super) place: Place,
    /// What has to be given along.
    pub(in super::super) history: Vec<SessionEntry>,
    /// What was said by whoever set it up.
    pub(in super::super) system: Vec<String>,
    /// Ids of the items that are to be answered.
    pub(in super::super) input: Vec<String>,
    agent: String,
}

/// Where in a conversation somebody goes on.
#[derive(Debug)]
pub(in super::super) enum Place {
    /// In a task that waits.
    Waiting {
        /// The task.
        task: TaskId,
        /// Its last event.
        version: u64,
        /// Calls that it waits for.
        open: Vec<String>,
    },
    /// In the context of the conversation.
    Natural,
    /// In a context of its own, because other words belong to it than the conversation's context has.
    Apart,
}

/// Looks where a request goes on in a conversation; `apart` when it brings words that belong before its own.
pub(in super::super) async fn join(asked: &Asked, spec: &AgentSpec, id: &str, apart: bool) -> Result<Joined, Refusal> {
    let record = Record::find(asked, id, Access::Read).await?;
    record.check_room()?;
    let entries = record.entries();
    let agent = spec.name.to_string();
    let is_ours = |entry: &Entry| matches!(entry, Entry::Response { agent: of, natural: true, .. } if *of == agent);
    let responses = entries.iter().filter(|entry| matches!(entry, Entry::Response { .. })).count();
    let first = entries.iter().take_while(|entry| matches!(entry, Entry::Items(_))).count();
    let mut joined = Joined {
        context: record.context.clone(),
        place: Place::Natural,
        history: Vec::new(),
        system: Vec::new(),
        input: Vec::new(),
        agent: agent.clone(),
    };
    let last = match entries.iter().rev().find_map(|entry| match entry {
        Entry::Response { id, .. } => Some(id),
        Entry::Items(_) => None,
    }) {
        Some(id) => turn::find(asked, id).await.ok(),
        None => None,
    };
    if last.as_ref().is_some_and(|last| last.end.is_none()) {
        let message = "a response is in progress in this conversation; wait for its end, or cancel it";
        let locked = Refusal::invalid("conversation_locked", "conversation", message);
        return Err(Refusal { status: 409, kind: "conflict", ..locked });
    }
    // The items that were there before anybody was asked are what the first task was given along.
    let is_natural = !apart && !record.has_gaps() && entries[first..].iter().all(is_ours);
    if responses > 0 && is_natural {
        let Some(last) = last else { return Ok(joined) };
        joined.system = last.note.system;
        if last.view.state == TaskState::InputRequired && last.end == Some(last.view.version) {
            let open = last.view.status_message.as_ref().map(calls_in).unwrap_or_default();
            let open = open.into_iter().map(|call| call.id.to_string()).collect();
            joined.place = Place::Waiting { task: last.view.id.clone(), version: last.view.version, open };
        }
        return Ok(joined);
    }
    if responses > 0 {
        joined.place = Place::Apart;
    }
    let items = Json::of(&all(asked, &record).await?).unwrap_or_else(|_| Json::string(""));
    let (Input { history, last, system }, _) = read_items(&items, &mut || asked.shared.engine.fresh_id())?;
    let now = asked.shared.engine.now();
    let said = history.into_iter().filter_map(|entry| match entry {
        Said::Said(message) => Some(message),
        Said::Reference { .. } => None,
    });
    joined.history = said.chain(last.message).map(|message| SessionEntry::new(now, message)).collect();
    joined.system = system;
    Ok(joined)
}

/// Tells a conversation of a response that is given in it.
pub(in super::super) async fn tell(asked: &Asked, joined: Option<Joined>, id: &ResponseId) -> Result<(), Refusal> {
    let Some(joined) = joined else { return Ok(()) };
    let natural = !matches!(joined.place, Place::Apart);
    let entry = Entry::response(id.to_string(), joined.agent, natural, joined.input);
    Record::add_begun(asked, &joined.context, &entry).await
}
