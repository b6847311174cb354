//! One typical request, answer and stream item.

use baton_types::{
    Artifact, ContextId, Json, Message, Part, Role, TaskEvent, TaskId, TaskState, TaskView, Timestamp, ToolExecution,
    Usage,
};
use baton_wire::a2a::v1;
use std::error::Error;

/// Input of the benchmark.
pub struct Sample {
    /// A message of one text part with metadata, as a caller sends it.
    pub message: Message,
    /// A task with four messages and two artifacts, as it is answered.
    pub view: TaskView,
    /// A recorded answer, presented as an artifact update.
    pub event: TaskEvent,
}

const QUESTION: &str = "What will the weather be in Oakland this weekend, and should we move the picnic?";
const ANSWER: &str = "Saturday stays dry with 72\u{b0}F and light wind from the west; on Sunday rain is likely from \
                      noon on. Keep the picnic on Saturday, and plan to be indoors by Sunday at eleven.";

/// The full presentation: it contains every member, so that each is read and written.
const PRESENTATION: v1::Presentation = v1::Presentation::FULL;

impl Sample {
    /// Creates the sample, identical each time.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let task: TaskId = "019a8c5e-6c1f-7d52-9a1b-0f3e5d7c9b21".into();
        let context: ContextId = "019a8c5e-6c1f-7d52-9a1b-1a2b3c4d5e6f".into();
        let message = |id: &str, role, parts| Message::new(format!("019a8c5e-6c1f-7d52-9a1b-{id}").into(), role, parts);
        let question = Message {
            metadata: Some(Json::parse(r#"{"session":"7f3a","priority":2,"labels":["weather","picnic"]}"#)?),
            ..message("000000000001", Role::User, vec![Part::text(QUESTION)])
        };
        let called = r#"{"tool_calls":[{"call_id":"call-1","name":"forecast","arguments":{"location":"Oakland, CA","days":2}}]}"#;
        let found = r#"{"tool_results":[{"call_id":"call-1","result":{"days":[{"high":72.5,"rain":0.05},{"high":66,"rain":0.8}]}}]}"#;
        let calls = vec![Part::text("Let me look that up."), Part::data(Json::parse(called)?)];
        let calls = message("000000000002", Role::Agent, calls);
        let results = message("000000000003", Role::User, vec![Part::data(Json::parse(found)?)]);
        let answer = message("000000000004", Role::Agent, vec![Part::text(ANSWER)]);
        let table = Artifact {
            id: "forecast".into(),
            name: Some("Forecast".into()),
            description: Some("High and chance of rain by day".into()),
            parts: vec![Part::data(Json::parse(r#"{"saturday":{"high":72.5},"sunday":{"high":66}}"#)?)],
            metadata: None,
        };
        let view = TaskView {
            id: task,
            context,
            agent: "weather".into(),
            tool_execution: ToolExecution::Agent,
            state: TaskState::Completed,
            status_message: Some(answer.clone()),
            status_at: Timestamp::from_millis(1_794_770_760_123),
            created_at: Timestamp::from_millis(1_794_770_759_000),
            history: vec![question.clone(), calls, results, answer.clone()],
            artifacts: vec![table, Artifact::from_answer(&answer)],
            version: 12,
            generation: 7,
        };
        Ok(Self { message: question, view, event: TaskEvent::Answered { message: answer, usage: Usage::default() } })
    }

    /// The request in 1.0.
    pub fn request(&self) -> v1::SendMessageRequest<'_> {
        let message = Some(v1::Message::from(&self.message));
        let configuration = Some(v1::SendMessageConfiguration::default());
        v1::SendMessageRequest { message, configuration, ..Default::default() }
    }

    /// The answer in 1.0.
    pub fn answer(&self) -> v1::SendMessageResponse<'_> {
        v1::SendMessageResponse { task: Some(self.task()), message: None }
    }

    /// The task in 1.0.
    pub fn task(&self) -> v1::Task<'_> {
        v1::Task::from_view(&self.view, v1::HistoryLength::All, v1::ArtifactInclusion::Include, PRESENTATION)
    }

    /// The stream item in 1.0.
    pub fn item(&self) -> v1::StreamResponse<'_> {
        v1::project(&self.view.id, &self.view.context, self.view.status_at, &self.event, PRESENTATION, true)
            .unwrap_or_default()
    }
}
