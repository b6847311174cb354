//! Folds of open tasks and handoffs, as far as spans need them.

use baton_ports::{Journal, JournalError, StoredEvent};
use baton_telemetry::{EventMetadata, HandoffSpans, ModelLabel, SpanOrigin, TaskSpans};
use baton_types::{
    AgentSpec, Digest, HandoffEvent, HandoffId, JournalEvent, ModelSpec, Span, StreamId, TaskEvent, TaskId,
};
use foldhash::quality::RandomState;
use std::collections::HashMap;

/// Upper bound of folds in memory; beyond it all are evicted, and each is rebuilt from the journal when its next event
/// arrives.
const MAX_OPEN_FOLDS: usize = 32_768;
const MAX_CACHED_LABELS: usize = 1024;
const PAGE: usize = 512;

/// Model labels by the digest of the definition.
type ModelLabels = HashMap<Digest, ModelLabel, RandomState>;

pub(super) struct SpanFolds {
    origin: SpanOrigin,
    tasks: HashMap<TaskId, TaskSpans, RandomState>,
    handoffs: HashMap<HandoffId, HandoffSpans, RandomState>,
    labels: ModelLabels,
}

impl SpanFolds {
    pub(super) fn new(origin: SpanOrigin) -> Self {
        Self { origin, tasks: HashMap::default(), handoffs: HashMap::default(), labels: ModelLabels::default() }
    }

    /// Clears all folds; the journal can rebuild them.
    pub(super) fn clear(&mut self) {
        self.tasks.clear();
        self.handoffs.clear();
    }

    pub(super) async fn apply(
        &mut self,
        journal: &dyn Journal,
        event: &StoredEvent,
        out: &mut Vec<Span>,
    ) -> Result<(), JournalError> {
        if self.tasks.len() + self.handoffs.len() > MAX_OPEN_FOLDS {
            self.clear();
        }
        match (&event.stream, &event.fact) {
            (StreamId::Task(task), JournalEvent::Task(fact)) => self.task(journal, task, event, fact, out).await,
            (StreamId::Handoff(handoff), JournalEvent::Handoff(fact)) => {
                self.handoff(journal, handoff, event, fact, out).await
            }
            _ => Ok(()),
        }
    }

    async fn task(
        &mut self,
        journal: &dyn Journal,
        task: &TaskId,
        event: &StoredEvent,
        fact: &TaskEvent,
        out: &mut Vec<Span>,
    ) -> Result<(), JournalError> {
        if !self.tasks.contains_key(task) {
            // An unreadable task must not delay the spans of all others.
            let reread = match self.reread_task(journal, task, event, fact).await {
                Err(JournalError::Damaged { .. }) => None,
                reread => reread?,
            };
            let Some(spans) = reread else {
                tracing::warn!(%task, "a task has no spans, because its first events are missing or unreadable");
                return Ok(());
            };
            self.tasks.insert(task.clone(), spans);
        }
        self.cache_model_label(journal, fact).await?;
        let Some(spans) = self.tasks.get_mut(task) else { return Ok(()) };
        step(spans, event, fact, &self.labels, &self.origin, out);
        if spans.has_ended() {
            self.tasks.remove(task);
        }
        Ok(())
    }

    /// Fold of the task before this event.
    async fn reread_task(
        &mut self,
        journal: &dyn Journal,
        task: &TaskId,
        event: &StoredEvent,
        fact: &TaskEvent,
    ) -> Result<Option<TaskSpans>, JournalError> {
        if event.number == 1 {
            return Ok(TaskSpans::submitted(task, fact));
        }
        let (mut spans, mut after, mut ignored) = (None, 0, Vec::new());
        while after + 1 < event.number {
            let page = journal.events(&event.stream, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.number;
            for earlier in page.iter().filter(|earlier| earlier.number < event.number) {
                let JournalEvent::Task(fact) = &earlier.fact else { continue };
                self.cache_model_label(journal, fact).await?;
                spans = spans.or_else(|| TaskSpans::submitted(task, fact));
                if let Some(spans) = &mut spans {
                    step(spans, earlier, fact, &self.labels, &self.origin, &mut ignored);
                }
                ignored.clear();
            }
        }
        Ok(spans)
    }

    async fn handoff(
        &mut self,
        journal: &dyn Journal,
        handoff: &HandoffId,
        event: &StoredEvent,
        fact: &HandoffEvent,
        out: &mut Vec<Span>,
    ) -> Result<(), JournalError> {
        let mut spans = match self.handoffs.remove(handoff) {
            Some(spans) => spans,
            None if event.number == 1 => HandoffSpans::default(),
            None => {
                let mut spans = HandoffSpans::default();
                let earlier = match journal.events(&event.stream, 0, PAGE).await {
                    Err(JournalError::Damaged { .. }) => Vec::new(),
                    earlier => earlier?,
                };
                for earlier in earlier {
                    if let (JournalEvent::Handoff(fact), true) = (&earlier.fact, earlier.number < event.number) {
                        spans.apply(earlier.at, fact, &self.origin);
                    }
                }
                spans
            }
        };
        match spans.apply(event.at, fact, &self.origin) {
            Some(span) => out.push(span),
            None => {
                self.handoffs.insert(handoff.clone(), spans);
            }
        }
        Ok(())
    }

    /// Caches the model label of a run, which is in the agent definition that the run pins.
    async fn cache_model_label(&mut self, journal: &dyn Journal, fact: &TaskEvent) -> Result<(), JournalError> {
        let TaskEvent::RunStarted { agent, .. } = fact else { return Ok(()) };
        if self.labels.contains_key(agent) {
            return Ok(());
        }
        let spec = journal.blob(agent).await?.and_then(|blob| serde_json::from_slice::<AgentSpec>(&blob).ok());
        if let Some(spec) = spec {
            if self.labels.len() >= MAX_CACHED_LABELS {
                self.labels.clear();
            }
            self.labels.insert(agent.clone(), label(&spec));
        }
        Ok(())
    }
}

fn step(
    spans: &mut TaskSpans,
    event: &StoredEvent,
    fact: &TaskEvent,
    labels: &ModelLabels,
    origin: &SpanOrigin,
    out: &mut Vec<Span>,
) {
    let metadata = EventMetadata { number: event.number, at: event.at, trace: event.trace.as_deref() };
    spans.apply(metadata, fact, |digest| labels.get(digest).cloned(), origin, out);
}

fn label(spec: &AgentSpec) -> ModelLabel {
    match &spec.model {
        ModelSpec::Playbook { .. } => ModelLabel::parse(spec.writing.model.as_deref().unwrap_or("playbook")),
        ModelSpec::Peer { url, .. } => {
            ModelLabel { provider: "a2a".to_owned(), model: String::new(), remote_url: Some(url.clone()) }
        }
    }
}
