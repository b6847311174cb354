//! Stored form of events: a kind, a schema version and a body. Older bodies are upcast on read.

use crate::{HandoffEvent, Json, JsonError, SessionEvent, TaskEvent, upcast::to_schema_2};

/// Upcasts the body of one kind from one schema version to the next; an unchanged body is returned as is.
type Upcaster = fn(kind: &str, body: Json) -> Json;

/// Upcasters, starting with schema 1 to 2. A new schema does not compile without its upcaster.
const UPCASTERS: [Upcaster; JournalEvent::SCHEMA as usize - 1] = [to_schema_2];

fn upcast(steps: &[Upcaster], kind: &str, schema: u16, body: Json) -> Json {
    steps.iter().skip(usize::from(schema) - 1).fold(body, |body, step| step(kind, body))
}

/// A journaled event of any stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JournalEvent {
    /// Event of a task.
    Task(TaskEvent),
    /// Event of a handoff.
    Handoff(HandoffEvent),
    /// Event of a session.
    Session(SessionEvent),
}

/// Error while decoding a stored event.
#[derive(Debug, thiserror::Error)]
pub enum EventDecodeError {
    /// The event was written by a newer Baton.
    #[error("event kind '{kind}' with schema {schema} was written by a newer Baton; upgrade this one")]
    NewerSchema {
        /// Stored kind.
        kind: String,
        /// Stored schema version.
        schema: u16,
    },
    /// The body does not match its kind.
    #[error("event kind '{kind}': {source}")]
    InvalidBody {
        /// Stored kind.
        kind: String,
        /// Decoding error.
        source: JsonError,
    },
}

impl JournalEvent {
    /// Schema version written by this Baton.
    pub const SCHEMA: u16 = 2;

    /// Kind that is stored with the body, as `stream.event`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Task(event) => match event {
                TaskEvent::Submitted { .. } => "task.submitted",
                TaskEvent::MessageReceived { .. } => "task.message_received",
                TaskEvent::RunOptionsSet { .. } => "task.run_options_set",
                TaskEvent::RunStarted { .. } => "task.run_started",
                TaskEvent::RunResumed { .. } => "task.run_resumed",
                TaskEvent::RunPaused { .. } => "task.run_paused",
                TaskEvent::ContextSelected { .. } => "task.context_selected",
                TaskEvent::AttemptStarted { .. } => "task.attempt_started",
                TaskEvent::TextFlushed { .. } => "task.text_flushed",
                TaskEvent::ModelNoted { .. } => "task.model_noted",
                TaskEvent::ReasoningProduced { .. } => "task.reasoning_produced",
                TaskEvent::Compacted { .. } => "task.compacted",
                TaskEvent::GuardrailChecked { .. } => "task.guardrail_checked",
                TaskEvent::ToolsCalled { .. } => "task.tools_called",
                TaskEvent::ToolStarted { .. } => "task.tool_started",
                TaskEvent::ToolInputRequested { .. } => "task.tool_input_requested",
                TaskEvent::ToolInputReceived { .. } => "task.tool_input_received",
                TaskEvent::ToolFinished { .. } => "task.tool_finished",
                TaskEvent::HandoffSent { .. } => "task.handoff_sent",
                TaskEvent::HandoffInputRequested { .. } => "task.handoff_input_requested",
                TaskEvent::HandoffInputReceived { .. } => "task.handoff_input_received",
                TaskEvent::PeerSendStarted { .. } => "task.peer_send_started",
                TaskEvent::PeerAttached { .. } => "task.peer_attached",
                TaskEvent::ArtifactEmitted { .. } => "task.artifact_emitted",
                TaskEvent::Answered { .. } => "task.answered",
                TaskEvent::StatusChanged { .. } => "task.status_changed",
            },
            Self::Handoff(event) => match event {
                HandoffEvent::Created(_) => "handoff.created",
                HandoffEvent::StatusChanged { .. } => "handoff.status_changed",
                HandoffEvent::Rerouted { .. } => "handoff.rerouted",
            },
            Self::Session(event) => match event {
                SessionEvent::Opened { .. } => "session.opened",
                SessionEvent::Renamed { .. } => "session.renamed",
                SessionEvent::SettingsChanged { .. } => "session.settings_changed",
                SessionEvent::NoteAdded { .. } => "session.note_added",
                SessionEvent::Included { .. } => "session.included",
                SessionEvent::Excluded { .. } => "session.excluded",
            },
        }
    }

    /// Encodes the body for storage.
    pub fn encode(&self) -> Result<Json, JsonError> {
        match self {
            Self::Task(event) => Json::from_serializable(event),
            Self::Handoff(event) => Json::from_serializable(event),
            Self::Session(event) => Json::from_serializable(event),
        }
    }

    /// Decodes a stored body and upcasts older schemas.
    pub fn decode(kind: &str, schema: u16, body: &Json) -> Result<Self, EventDecodeError> {
        let newer = || EventDecodeError::NewerSchema { kind: kind.to_owned(), schema };
        if schema == 0 || schema > Self::SCHEMA {
            return Err(newer());
        }
        let body = &upcast(&UPCASTERS, kind, schema, body.clone());
        let wrong = |source| EventDecodeError::InvalidBody { kind: kind.to_owned(), source };
        match kind.split_once('.') {
            Some(("task", _)) => body.read().map(Self::Task).map_err(wrong),
            Some(("handoff", _)) => body.read().map(Self::Handoff).map_err(wrong),
            Some(("session", _)) => body.read().map(Self::Session).map_err(wrong),
            _ => Err(newer()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallerToolChoice, RunId, RunOptions};

    #[test]
    fn events_of_schema_1_are_read_under_their_new_names() {
        let decode = |kind: &str, body: &str| {
            let body = Json::parse(body).expect("JSON");
            JournalEvent::decode(kind, 1, &body).expect("an event of schema 1")
        };
        let options = RunOptions {
            disable_parallel_tool_calls: true,
            max_tool_calls: Some(3),
            no_truncation: true,
            journal_deltas: true,
            tool_choice: CallerToolChoice::Required,
            note: Some(Json::parse("{\"calls\":12345678901234567890.10}").expect("JSON")),
            ..RunOptions::default()
        };
        let wished = r#"{"wished":{"wishes":{"calls":"required","one_call_a_turn":true,"most_calls":3,"whole":true,"keeps_text":true,"note":{"calls":12345678901234567890.10}}}}"#;
        let expect = JournalEvent::Task(TaskEvent::RunOptionsSet { options: Box::new(options) });
        assert_eq!(decode("task.wished", wished), expect);

        let resumed = r#"{"run_resumed":{"run":"r1","after":7,"alone":true}}"#;
        let expect = TaskEvent::RunResumed { run: RunId::new("r1"), after: 7, isolated: true };
        assert_eq!(decode("task.run_resumed", resumed), JournalEvent::Task(expect));
        let note = decode("session.noted", r#"{"noted":{"key":"k","value":1.0}}"#);
        assert_eq!(note.kind(), "session.note_added");
        assert_eq!(note.encode().expect("JSON").as_str(), r#"{"note_added":{"key":"k","value":1.0}}"#);
    }

    #[test]
    fn old_bodies_are_upcast_through_every_later_step() {
        let steps: [Upcaster; 2] = [
            |kind, body| if kind == "task.said" { Json::string(&format!("{}+2", body.to_plain_text())) } else { body },
            |_, body| Json::string(&format!("{}+3", body.to_plain_text())),
        ];
        for (kind, schema, expect) in
            [("task.said", 1, "body+2+3"), ("task.said", 2, "body+3"), ("task.said", 3, "body"), ("other", 1, "body+3")]
        {
            assert_eq!(upcast(&steps, kind, schema, Json::string("body")).to_plain_text(), expect);
        }
    }
}
