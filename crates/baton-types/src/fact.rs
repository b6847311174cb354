//! The stored form of events: a kind, a schema version and a body, upcast when read.

use crate::{HandoffEvent, Json, JsonError, SessionEvent, TaskEvent};

/// Brings the body of one kind from a schema to the next; a body that did not change is given back as it is.
type Step = fn(kind: &str, body: Json) -> Json;

/// The step from schema 1, from schema 2 and so on: a new schema does not compile without its step.
const STEPS: [Step; Fact::SCHEMA as usize - 1] = [];

fn upcast(steps: &[Step], kind: &str, schema: u16, body: Json) -> Json {
    steps.iter().skip(usize::from(schema) - 1).fold(body, |body, step| step(kind, body))
}

/// An event of any noun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Of a task.
    Task(TaskEvent),
    /// Of a handoff.
    Handoff(HandoffEvent),
    /// Of a session.
    Session(SessionEvent),
}

/// Why a stored event cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FactError {
    /// A newer Baton wrote it.
    #[error("event kind '{kind}' with schema {schema} was written by a newer Baton; upgrade this one")]
    Newer {
        /// The stored kind.
        kind: String,
        /// The stored schema version.
        schema: u16,
    },
    /// The body does not fit its kind.
    #[error("event kind '{kind}': {source}")]
    Body {
        /// The stored kind.
        kind: String,
        /// What is wrong with the body.
        source: JsonError,
    },
}

impl Fact {
    /// The schema version that this Baton writes.
    pub const SCHEMA: u16 = 1;

    /// The noun and verb stored beside the body.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Task(event) => match event {
                TaskEvent::Submitted { .. } => "task.submitted",
                TaskEvent::Said { .. } => "task.said",
                TaskEvent::Wished { .. } => "task.wished",
                TaskEvent::RunStarted { .. } => "task.run_started",
                TaskEvent::RunResumed { .. } => "task.run_resumed",
                TaskEvent::RunPaused { .. } => "task.run_paused",
                TaskEvent::ContextChosen { .. } => "task.context_chosen",
                TaskEvent::AttemptStarted { .. } => "task.attempt_started",
                TaskEvent::Wrote { .. } => "task.wrote",
                TaskEvent::ModelNoted { .. } => "task.model_noted",
                TaskEvent::Reasoned { .. } => "task.reasoned",
                TaskEvent::Compacted { .. } => "task.compacted",
                TaskEvent::Guarded { .. } => "task.guarded",
                TaskEvent::ToolsCalled { .. } => "task.tools_called",
                TaskEvent::ToolStarted { .. } => "task.tool_started",
                TaskEvent::ToolAsked { .. } => "task.tool_asked",
                TaskEvent::ToolAnswered { .. } => "task.tool_answered",
                TaskEvent::ToolFinished { .. } => "task.tool_finished",
                TaskEvent::HandoffSent { .. } => "task.handoff_sent",
                TaskEvent::HandoffAsked { .. } => "task.handoff_asked",
                TaskEvent::HandoffAnswered { .. } => "task.handoff_answered",
                TaskEvent::PeerAsked { .. } => "task.peer_asked",
                TaskEvent::PeerAttached { .. } => "task.peer_attached",
                TaskEvent::ArtifactEmitted { .. } => "task.artifact_emitted",
                TaskEvent::Answered { .. } => "task.answered",
                TaskEvent::StatusChanged { .. } => "task.status_changed",
            },
            Self::Handoff(event) => match event {
                HandoffEvent::Created(_) => "handoff.created",
                HandoffEvent::Moved { .. } => "handoff.moved",
                HandoffEvent::Rerouted { .. } => "handoff.rerouted",
            },
            Self::Session(event) => match event {
                SessionEvent::Opened { .. } => "session.opened",
                SessionEvent::Renamed { .. } => "session.renamed",
                SessionEvent::SettingsChanged { .. } => "session.settings_changed",
                SessionEvent::Noted { .. } => "session.noted",
                SessionEvent::Included { .. } => "session.included",
                SessionEvent::Excluded { .. } => "session.excluded",
            },
        }
    }

    /// The body as stored.
    pub fn encode(&self) -> Result<Json, JsonError> {
        match self {
            Self::Task(event) => Json::of(event),
            Self::Handoff(event) => Json::of(event),
            Self::Session(event) => Json::of(event),
        }
    }

    /// Reads a stored body, bringing older schemas up to date first.
    pub fn decode(kind: &str, schema: u16, body: &Json) -> Result<Self, FactError> {
        let newer = || FactError::Newer { kind: kind.to_owned(), schema };
        if schema == 0 || schema > Self::SCHEMA {
            return Err(newer());
        }
        let body = &upcast(&STEPS, kind, schema, body.clone());
        let wrong = |source| FactError::Body { kind: kind.to_owned(), source };
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

    #[test]
    fn old_bodies_go_through_every_later_step() {
        let steps: [Step; 2] = [
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
