//! Every span is metered once, however often its batch is retried.

use crate::projector::{JournalFixture, story};
use anyhow::Result;
use baton_meters::{JournalLevels, MeteredCommits, Meters, OpenTasks};
use baton_ports::{BoxFuture, Journal};
use baton_span_ports::SpanStoreError;
use baton_spans::{ProjectionRequests, ProjectionStore, SpanBatchEncoder, SpanProjector};
use baton_telemetry::{SpanOrigin, TelemetrySettings};
use baton_types::{MeterSnapshot, Span, SpanId, SpanValue, find_attribute};
use parking_lot::Mutex;
use std::{collections::BTreeMap, future::ready, sync::Arc, time::Duration};
use tokio::sync::watch;

/// A store whose first writes fail because the disk is full.
struct FullDiskStore {
    refusals: Mutex<u32>,
    mark: Mutex<Option<u64>>,
    kept: watch::Sender<Vec<Span>>,
}

impl ProjectionStore for FullDiskStore {
    fn position(&self) -> Option<u64> {
        *self.mark.lock()
    }

    fn batch_delay(&self) -> Duration {
        Duration::from_millis(30)
    }

    fn requests(&self) -> ProjectionRequests {
        ProjectionRequests::none()
    }

    fn keep(&self, spans: &mut SpanBatchEncoder, position: u64) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        let mut refusals = self.refusals.lock();
        if *refusals > 0 {
            *refusals -= 1;
            return Box::pin(ready(Err(SpanStoreError::Unavailable("the disk is full".to_owned()))));
        }
        *self.mark.lock() = Some(position);
        let spans = std::mem::take(spans).spans().expect("what was written can be read");
        self.kept.send_modify(|kept| kept.extend(spans));
        Box::pin(ready(Ok(())))
    }
}

/// Number of uses of each instrument and value of each gauge.
fn totals(reading: &MeterSnapshot) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    for family in &reading.families {
        for point in &family.points {
            let state =
                point.labels.iter().find(|(name, _)| name == "task.state").and_then(|(_, state)| state.as_text());
            let state = state.filter(|_| family.instrument.name == "baton.tasks.open").unwrap_or_default();
            *totals.entry(format!("{} {state}", family.instrument.name).trim().to_owned()).or_default() +=
                point.value.total();
        }
    }
    totals
}

#[tokio::test(start_paused = true)]
async fn span_is_metered_once_when_the_disk_is_full() -> Result<()> {
    let place = JournalFixture::new().await?;
    let store = Arc::new(FullDiskStore {
        refusals: Mutex::new(3),
        mark: Mutex::default(),
        kept: watch::Sender::new(Vec::new()),
    });
    let origin = SpanOrigin::new(TelemetrySettings::default(), "here");
    let (meters, tasks) = (Arc::new(Meters::new(&origin, 0)), Arc::new(OpenTasks::default()));
    let projector = SpanProjector::new(store.clone(), origin).with_observer(meters.clone());
    let commits = MeteredCommits::new(Arc::clone(&meters), Arc::clone(&tasks), Some(projector.observer()));
    place.listen(Arc::new(commits));
    let journal: Arc<dyn Journal> = place.journal.clone();
    meters.add_source(Arc::new(JournalLevels::new(&journal, tasks)));
    let projecting = projector.start(Arc::clone(&journal));

    let story = story(&place.agent);
    let (last, before) = story.split_last().expect("events");
    for (number, event) in before.iter().enumerate() {
        place.append(number, event.clone()).await?;
    }
    // The journal is read for tasks that have not been counted yet.
    let seen = totals(&meters.read(1).await);
    assert_eq!(seen.get("baton.tasks.open working"), Some(&1), "{seen:?}");
    place.append(before.len(), last.clone()).await?;
    let mut kept = store.kept.subscribe();
    kept.wait_for(|kept| kept.len() >= 4).await?;
    projecting.close().await;

    let mut ids: Vec<SpanId> = store.kept.borrow().iter().map(|span| span.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), *store.refusals.lock()), (4, 0));
    let seen = totals(&meters.read(1).await);
    let expect = [
        ("baton.approvals.waiting", 0),
        ("baton.journal.commits", 9),
        ("baton.journal.events", 9),
        ("baton.tasks.open input_required", 0),
        ("baton.tasks.open submitted", 0),
        ("baton.tasks.open working", 0),
        ("gen_ai.client.operation.duration", 2),
        ("gen_ai.client.token.usage", 4),
        ("gen_ai.execute_tool.duration", 1),
        ("gen_ai.invoke_agent.duration", 1),
        ("gen_ai.invoke_agent.inference_calls", 1),
        ("gen_ai.invoke_agent.tool_calls", 1),
    ];
    assert_eq!(seen, expect.map(|(name, total)| (name.to_owned(), total)).into());
    // The run called its model twice and one tool once.
    let kept = store.kept.borrow();
    let run = kept.iter().find(|span| span.name == "invoke_agent weather").expect("a run");
    let calls = ["run.model_calls", "run.tool_calls"].map(|key| find_attribute(&run.attributes, key));
    assert_eq!(calls, [Some(&SpanValue::Int(2)), Some(&SpanValue::Int(1))]);
    Ok(())
}
