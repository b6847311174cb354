//! Everything that produces the spans of a process: the projector of journal facts and the tracer for requests and
//! calls.

use baton_meters::{JournalLevels, MeteredCommits, MeteredSink, Meters, OpenTasks, SpanLevels};
use baton_ports::{CommitObserver, Journal};
use baton_span_ports::SpanStore;
use baton_spans::{EmbeddedSpanStore, ProjectorHandle, SpanEmitter, SpanProjector, wall_clock};
use baton_telemetry::{SpanOrigin, TelemetrySettings, Tracer};
use std::sync::Arc;

/// Span recording that is not connected to the journal yet.
pub(crate) struct SpanRecorderSetup {
    store: Arc<EmbeddedSpanStore>,
    tracer: Tracer,
    meters: Arc<Meters>,
    tasks: Arc<OpenTasks>,
    producers: Option<(Arc<SpanEmitter>, SpanProjector)>,
}

/// Span recording that follows the journal.
pub(crate) struct SpanRecorder {
    store: Arc<EmbeddedSpanStore>,
    tracer: Tracer,
    meters: Arc<Meters>,
    producers: Option<(Arc<SpanEmitter>, ProjectorHandle)>,
}

impl SpanRecorderSetup {
    /// Sets up recording according to the settings. When disabled, the store still accepts spans from clients, but none
    /// of this process.
    pub(crate) fn new(store: Arc<EmbeddedSpanStore>, settings: &TelemetrySettings, instance: &str) -> Self {
        let origin = SpanOrigin::new(settings.clone(), instance);
        let (meters, tasks) = (Arc::new(Meters::new(&origin, wall_clock())), Arc::new(OpenTasks::default()));
        meters.add_source(Arc::new(SpanLevels::new(store.clone())));
        if !settings.enabled {
            return Self { store, tracer: Tracer::off(), meters, tasks, producers: None };
        }
        tracing::info!(
            "feature_flag.key" = "contextcore.emit_mode",
            "feature_flag.result.variant" = settings.mode.as_str(),
            "feature_flag.provider_name" = settings.mode_source.provider(),
            "feature_flag.result.value" = settings.mode_source.value(),
            "spans are emitted"
        );
        let emitter = SpanEmitter::start(&store);
        let sink = Arc::new(MeteredSink::new(emitter.clone(), Arc::clone(&meters)));
        let tracer = Tracer::new(sink, origin.clone());
        let projector = SpanProjector::new(store.clone(), origin).with_observer(meters.clone());
        Self { store, tracer, meters, tasks, producers: Some((emitter, projector)) }
    }

    /// Tracer for requests and calls.
    pub(crate) fn tracer(&self) -> Tracer {
        self.tracer.clone()
    }

    /// Metrics of this process.
    pub(crate) fn meters(&self) -> Arc<Meters> {
        Arc::clone(&self.meters)
    }

    /// Commit observer; register it with the engine.
    pub(crate) fn observer(&self) -> Option<Arc<dyn CommitObserver>> {
        let next = self.producers.as_ref().map(|(_, projector)| projector.observer());
        let (meters, tasks) = (Arc::clone(&self.meters), Arc::clone(&self.tasks));
        Some(Arc::new(MeteredCommits::new(meters, tasks, next)))
    }

    /// Starts to follow the journal.
    pub(crate) fn follow(self, journal: Arc<dyn Journal>) -> SpanRecorder {
        let Self { store, tracer, meters, tasks, producers } = self;
        meters.add_source(Arc::new(JournalLevels::new(&journal, tasks)));
        let producers = producers.map(|(emitter, projector)| (emitter, projector.start(journal)));
        SpanRecorder { store, tracer, meters, producers }
    }
}

impl SpanRecorder {
    /// Tracer for requests and calls.
    pub(crate) fn tracer(&self) -> Tracer {
        self.tracer.clone()
    }

    /// Metrics of this process.
    pub(crate) fn meters(&self) -> Arc<Meters> {
        Arc::clone(&self.meters)
    }

    /// The span store.
    pub(crate) fn store(&self) -> Arc<dyn SpanStore> {
        self.store.clone()
    }

    /// Resolves when all events in the journal have their spans, which is required before the journal deletes events.
    /// Resolves at once if no spans are recorded.
    pub(crate) fn caught_up(&self) -> impl Future<Output = ()> + Send + use<> {
        let progress = self.producers.as_ref().map(|(_, projecting)| projecting.caught_up());
        async move {
            if let Some(mut progress) = progress {
                let _ = progress.wait_for(|caught_up| *caught_up).await;
            }
        }
    }

    /// Flushes pending spans and closes the store.
    pub(crate) async fn close(self) {
        if let Some((emitter, projecting)) = self.producers {
            projecting.close().await;
            emitter.flush().await;
        }
        self.store.close().await;
    }
}
