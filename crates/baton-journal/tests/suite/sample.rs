//! Sample values.

use baton_ports::{Claim, Commit, OutboxEntry, OutboxProgress, StreamHeadUpdate, Write};
use baton_types::{
    AgentName, CallId, ContextId, Digest, ExpectedOutput, Handoff, HandoffEvent, HandoffId, JournalEvent, Json,
    Message, MessageId, Part, Principal, Priority, Role, SessionEvent, SessionId, StreamId, TaskEvent, TaskId,
    TaskState, Timestamp,
};
use std::sync::Arc;

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(crate) fn task(id: &str) -> StreamId {
    StreamId::Task(TaskId::new(id))
}

pub(crate) fn principal(tenant: &str, subject: &str) -> Arc<Principal> {
    Arc::new(Principal { tenant: tenant.into(), subject: subject.into(), scopes: Vec::new() })
}

pub(crate) fn message_event(text: &str) -> JournalEvent {
    let message = Message::new(MessageId::new("m"), Role::User, vec![Part::text(text)]);
    JournalEvent::Task(TaskEvent::MessageReceived { message, results: Vec::new() })
}

pub(crate) fn status_event(state: TaskState) -> JournalEvent {
    JournalEvent::Task(TaskEvent::StatusChanged { state, message: None, reason: None })
}

pub(crate) fn head(state: TaskState, status_at: i64) -> StreamHeadUpdate {
    StreamHeadUpdate {
        agent: AgentName::new("weather"),
        context: ContextId::new("c1"),
        state: state.as_str(),
        status_at: at(status_at),
        active: state == TaskState::Working,
        terminal: state.is_terminal(),
    }
}

/// A working task with one message per text, under epoch 1.
pub(crate) fn write(id: &str, expected_version: u64, texts: &[&str]) -> Write {
    Write {
        stream: task(id),
        expected_version,
        epoch: 1,
        principal: principal("local", "ann"),
        run: None,
        trace: None,
        at: at(1_000),
        facts: texts.iter().map(|text| message_event(text)).collect(),
        head: head(TaskState::Working, 1_000),
        snapshot: None,
    }
}

/// A task created in this state.
pub(crate) fn created(id: &str, state: TaskState, status_at: i64) -> Write {
    let mut write = write(id, 0, &[]);
    write.facts = vec![status_event(state)];
    write.head = head(state, status_at);
    write
}

pub(crate) fn handoff(id: &str) -> Write {
    let record = Handoff {
        id: HandoffId::new(id),
        from_agent: AgentName::new("personal"),
        to_agent: AgentName::new("weather"),
        capability_id: "forecast".to_owned(),
        task: "What is the weather?".to_owned(),
        inputs: Json::parse("{\"days\":9007199254740993}").unwrap(),
        expected_output: ExpectedOutput::default(),
        priority: Priority::Normal,
        timeout_ms: 60_000,
        created_at: at(1_000),
        parent_task: Some(TaskId::new("t1")),
        parent_call: Some(CallId::new("call-1")),
        child_task: Some(TaskId::new("t2")),
        child_context: ContextId::new("c2"),
        channel: Default::default(),
        channel_reason: None,
        agent_uri: None,
        trace: None,
    };
    let mut write = write("unused", 0, &[]);
    write.stream = StreamId::Handoff(HandoffId::new(id));
    write.facts = vec![JournalEvent::Handoff(HandoffEvent::Created(Box::new(record)))];
    write.head.state = "pending";
    write
}

/// A session that was opened at this time.
pub(crate) fn session(id: &str, status_at: i64) -> Write {
    let mut write = write("unused", 0, &[]);
    write.stream = StreamId::Session(SessionId::new(id));
    let opened = SessionEvent::Opened {
        agent: AgentName::new("weather"),
        context: ContextId::new("c1"),
        origin: None,
        history: Vec::new(),
    };
    write.facts = vec![JournalEvent::Session(opened)];
    write.head = StreamHeadUpdate { state: "open", terminal: true, ..head(TaskState::Completed, status_at) };
    write
}

pub(crate) fn commit(writes: impl IntoIterator<Item = Write>) -> Commit {
    Commit::from_writes(writes.into_iter().collect())
}

/// An open entry for this task, before its first event.
pub(crate) fn outbox_entry(id: &str, channel: &str, about: &str) -> OutboxEntry {
    OutboxEntry {
        id: id.to_owned(),
        channel: channel.to_owned(),
        stream: task(about),
        body: Json::parse("{\"n\":42.0}").unwrap(),
        progress: open_progress(0),
    }
}

/// Open progress up to this event.
pub(crate) fn open_progress(cursor: u64) -> OutboxProgress {
    OutboxProgress { cursor, due_at: at(1_000), attempts: 0, failing_since: None, open: true }
}

/// ann's key for the first event of this task.
pub(crate) fn claim(key: &str, about: &str) -> Claim {
    Claim {
        principal: principal("local", "ann"),
        key: key.to_owned(),
        request: Digest::compute(key.as_bytes()),
        stream: task(about),
        number: 1,
    }
}
