//! A task with notifications, and their sender.

use crate::receiver::client;
use baton_ports::StoredEvent;
use baton_push::PushSender;
use baton_types::{
    Artifact, JournalEvent, Message, Part, PushAuthentication, PushConfig, PushDialect, Role, StreamId, TaskEvent,
    TaskState, TaskView, Timestamp,
};

pub(crate) fn sender(allow: &[&str]) -> PushSender {
    let client = client(allow);
    PushSender::new(|| Ok(client))
}

pub(crate) fn config(url: &str, dialect: PushDialect) -> PushConfig {
    PushConfig {
        id: "p1".into(),
        url: url.to_owned(),
        token: Some("t0ken".to_owned()),
        authentication: Some(PushAuthentication {
            scheme: "Bearer".to_owned(),
            credentials: Some("secret".to_owned()),
        }),
        dialect,
    }
}

/// A completed task and its last event.
pub(crate) fn completed_task() -> (TaskView, StoredEvent) {
    let answer = Message::new("m2".into(), Role::Agent, vec![Part::text("Sunny.")]);
    let question = Message::new("m1".into(), Role::User, vec![Part::text("Weather?")]);
    let view = TaskView {
        id: "task-1".into(),
        context: "context-1".into(),
        agent: "weather".into(),
        created_at: Timestamp::from_millis(1_799_999_990_000),
        tool_execution: baton_types::ToolExecution::Agent,
        state: TaskState::Completed,
        status_message: Some(answer.clone()),
        status_at: Timestamp::from_millis(1_800_000_000_000),
        history: vec![question, answer.clone()],
        artifacts: vec![Artifact::from_answer(&answer)],
        version: 5,
        generation: 4,
    };
    let event = stored(TaskEvent::StatusChanged { state: TaskState::Completed, message: Some(answer), reason: None });
    (view, event)
}

pub(crate) fn stored(event: TaskEvent) -> StoredEvent {
    StoredEvent {
        seq: 9,
        stream: StreamId::Task("task-1".into()),
        number: 5,
        run: None,
        epoch: 1,
        at: Timestamp::from_millis(1_800_000_000_000),
        subject: "local".into(),
        trace: None,
        fact: JournalEvent::Task(event),
    }
}
