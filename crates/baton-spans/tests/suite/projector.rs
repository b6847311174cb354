//! The spans of a journal do not depend on the number of restarts of the projector.

use anyhow::Result;
use baton_journal::MemoryJournal;
use baton_ports::{Commit, CommitObserver, Journal, StoredEvent, StreamHeadUpdate, Write};
use baton_span_ports::SpanStore;
use baton_spans::{EmbeddedSpanStore, ProjectorHandle, SpanProjector, SpanStoreOptions};
use baton_telemetry::{ContentCapture, SpanOrigin, TelemetrySettings};
use baton_types::{
    AgentSpec, Digest, JournalEvent, Message, ModelSpec, Part, Principal, Role, Span, StreamId, TaskEvent, TaskId,
    TaskState, Timestamp, ToolCall, ToolExecution, ToolResult, TraceContext, Usage,
};
use parking_lot::Mutex;
use std::{path::Path, sync::Arc};

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Events of a task that calls one tool and answers.
pub(crate) fn story(agent: &Digest) -> Vec<TaskEvent> {
    let message = |id: &str, role, text: &str| Message::new(id.into(), role, vec![Part::text(text.to_owned())]);
    let call =
        ToolCall { id: "call-1".into(), name: "get_weather".to_owned(), arguments: serde_json::json!({}).into() };
    let output = serde_json::json!("sunny").into();
    let result = ToolResult { call: "call-1".into(), name: "get_weather".to_owned(), output, is_error: false };
    vec![
        TaskEvent::Submitted {
            context: "context".into(),
            agent: "weather".into(),
            message: message("m0", Role::User, "how is it?"),
            tool_execution: ToolExecution::Agent,
            parent: None,
            depth: 0,
            autonomous: false,
        },
        TaskEvent::RunStarted {
            run: "run".into(),
            agent: agent.clone(),
            deadline: Timestamp::from_millis(i64::MAX),
            autonomous: false,
        },
        TaskEvent::AttemptStarted { message: "m1".into(), turn: 1, attempt: 1 },
        TaskEvent::ToolsCalled {
            message: message("m1", Role::Agent, "let me look"),
            calls: vec![call],
            usage: Usage::new(10, 2),
        },
        TaskEvent::ToolStarted { call: "call-1".into(), effects: None, server: None },
        TaskEvent::ToolFinished { result },
        TaskEvent::AttemptStarted { message: "m2".into(), turn: 2, attempt: 1 },
        TaskEvent::Answered { message: message("m2", Role::Agent, "it is sunny"), usage: Usage::new(20, 4) },
        TaskEvent::StatusChanged { state: TaskState::Completed, message: None, reason: None },
    ]
}

/// A journal keeps one observer for its lifetime; this one forwards to the current observer.
#[derive(Default)]
struct Relay(Mutex<Option<Arc<dyn CommitObserver>>>);

impl CommitObserver for Relay {
    fn on_commit(&self, events: &[Arc<StoredEvent>]) {
        if let Some(observer) = &*self.0.lock() {
            observer.on_commit(events);
        }
    }
}

pub(crate) struct JournalFixture {
    pub(crate) journal: Arc<MemoryJournal>,
    relay: Arc<Relay>,
    pub(crate) agent: Digest,
}

impl JournalFixture {
    pub(crate) async fn new() -> Result<Self> {
        let (journal, relay) = (Arc::new(MemoryJournal::new()), Arc::new(Relay::default()));
        journal.observe(relay.clone());
        let spec = AgentSpec {
            name: "weather".into(),
            title: String::new(),
            description: String::new(),
            version: "1".to_owned(),
            prompt: String::new(),
            skills: Vec::new(),
            input_modes: Vec::new(),
            knowledge: Default::default(),
            about: Default::default(),
            writing: Default::default(),
            tools: Vec::new(),
            answer: None,
            guardrails: Vec::new(),
            model: ModelSpec::Playbook { rules: None },
            tool_execution: ToolExecution::Agent,
            limits: Default::default(),
            control_tools: Default::default(),
            enable_handoff: false,
            handoffs: Vec::new(),
            policy: Default::default(),
            autonomous: false,
            orchestration: None,
            a2a: baton_types::A2aSettings::default(),
        };
        let agent = journal.put_blob(spec.to_json()?.as_str().as_bytes().into()).await?;
        Ok(Self { journal, relay, agent })
    }

    /// Sets the current observer.
    pub(crate) fn listen(&self, observer: Arc<dyn CommitObserver>) {
        *self.relay.0.lock() = Some(observer);
    }

    pub(crate) async fn append(&self, number: usize, event: TaskEvent) -> Result<()> {
        let at = Timestamp::from_millis(1_000 + 10 * i64::try_from(number)?);
        let write = Write {
            stream: StreamId::Task(TaskId::from("task")),
            expected_version: u64::try_from(number)?,
            epoch: 1,
            principal: Arc::new(Principal::local()),
            run: None,
            trace: Some(TRACE.into()),
            at,
            facts: vec![JournalEvent::Task(event)],
            head: StreamHeadUpdate {
                agent: "weather".into(),
                context: "context".into(),
                state: "working",
                status_at: at,
                active: true,
                terminal: false,
            },
            snapshot: None,
        };
        self.journal.append(Commit::from_writes(vec![write])).await?;
        Ok(())
    }

    /// Simulates a process: opens the store, observes the journal, runs `life`, and closes everything in order.
    async fn live(&self, directory: &Path, life: impl AsyncFnOnce() -> Result<()>) -> Result<Vec<Span>> {
        self.live_with(directory, async |_, _| life().await).await
    }

    /// The same, with the store and the projector.
    async fn live_with(
        &self,
        directory: &Path,
        life: impl AsyncFnOnce(&EmbeddedSpanStore, &ProjectorHandle) -> Result<()>,
    ) -> Result<Vec<Span>> {
        let store = EmbeddedSpanStore::open(directory, SpanStoreOptions::default())?;
        let settings = TelemetrySettings { content: ContentCapture::Span, ..TelemetrySettings::default() };
        let projector = SpanProjector::new(store.clone(), SpanOrigin::new(settings, "here"));
        *self.relay.0.lock() = Some(projector.observer());
        let projecting = projector.start(self.journal.clone());
        life(&store, &projecting).await?;
        projecting.close().await;
        *self.relay.0.lock() = None;
        let given = TraceContext::parse(TRACE).expect("a context");
        let spans = store.trace(given.trace).await?;
        store.close().await;
        Ok(spans)
    }
}

async fn spans_of_one_process() -> Result<Vec<Span>> {
    let (place, directory) = (JournalFixture::new().await?, tempfile::tempdir()?);
    place
        .live(directory.path(), async || {
            for (number, event) in story(&place.agent).into_iter().enumerate() {
                place.append(number, event).await?;
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn restart_after_every_event_gives_the_same_spans() -> Result<()> {
    let expect = spans_of_one_process().await?;
    let (place, directory) = (JournalFixture::new().await?, tempfile::tempdir()?);
    let mut spans = Vec::new();
    for (number, event) in story(&place.agent).into_iter().enumerate() {
        spans = place.live(directory.path(), async || place.append(number, event).await).await?;
    }
    assert_eq!(ids(&spans), ids(&expect));
    // No observer was set while the events were appended.
    let (place, directory) = (JournalFixture::new().await?, tempfile::tempdir()?);
    for (number, event) in story(&place.agent).into_iter().enumerate() {
        place.append(number, event).await?;
    }
    let spans = place.live(directory.path(), async || Ok(())).await?;
    assert_eq!(ids(&spans), ids(&expect));
    Ok(())
}

#[tokio::test]
async fn query_finds_the_spans_of_committed_events() -> Result<()> {
    let expect = spans_of_one_process().await?;
    let (place, directory) = (JournalFixture::new().await?, tempfile::tempdir()?);
    let given = TraceContext::parse(TRACE).expect("a context");
    let seen = Mutex::new(Vec::new());
    place
        .live_with(directory.path(), async |store, projecting| {
            projecting.caught_up().wait_for(|caught_up| *caught_up).await?;
            for (number, event) in story(&place.agent).into_iter().enumerate() {
                place.append(number, event).await?;
            }
            *seen.lock() = store.trace(given.trace).await?;
            Ok(())
        })
        .await?;
    assert_eq!(ids(&seen.lock()), ids(&expect));
    Ok(())
}

fn ids(spans: &[Span]) -> Vec<String> {
    let mut lines: Vec<String> =
        spans.iter().map(|span| format!("{} {} {} {:?}", span.id, span.name, span.start, span.attributes)).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn spans_of_a_run_form_a_tree() -> Result<()> {
    let spans = spans_of_one_process().await?;
    let find =
        |name: &str| spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no {name}: {spans:?}"));
    let given = TraceContext::parse(TRACE).expect("a context");
    let run = find("invoke_agent weather");
    assert_eq!(run.parent, Some(given.span));
    assert!(spans.iter().filter(|span| span.id != run.id).all(|span| span.parent == Some(run.id)), "{spans:?}");
    assert_eq!(spans.iter().filter(|span| span.name == "chat playbook").count(), 2);
    let tool = find("execute_tool get_weather");
    assert_eq!((tool.start, tool.end), (1_040_000_000, 1_050_000_000));
    let text = |span: &Span, key: &str| span.attribute(key).and_then(|value| value.as_text().map(str::to_owned));
    assert_eq!(text(tool, "gen_ai.tool.call.result").as_deref(), Some("\"sunny\""));
    assert_eq!(text(run, "gen_ai.conversation.id").as_deref(), Some("context"));
    assert_eq!(text(run, "agent.id").as_deref(), Some("weather"));
    assert_eq!(run.attribute("gen_ai.usage.input_tokens").and_then(baton_types::SpanValue::as_int), Some(30));
    Ok(())
}
