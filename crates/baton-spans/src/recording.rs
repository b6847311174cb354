//! All that makes spans of a process, put together: of facts, and at the edges.

use crate::{EmbeddedSpans, Emitter, Projecting, Projector};
use baton_ports::{CommitObserver, Journal, SpanStore};
use baton_telemetry::{Origin, Settings, Tracer};
use std::sync::Arc;

/// Spans that can be made, before the journal is heard.
pub struct Recording {
    store: Arc<EmbeddedSpans>,
    tracer: Tracer,
    made: Option<(Arc<Emitter>, Projector)>,
}

/// Spans, made and kept.
pub struct Recorded {
    store: Arc<EmbeddedSpans>,
    tracer: Tracer,
    made: Option<(Arc<Emitter>, Projecting)>,
}

impl Recording {
    /// Makes spans as the settings say; switched off, the store takes what others send, and nothing of this process.
    pub fn new(store: Arc<EmbeddedSpans>, settings: &Settings, instance: &str) -> Self {
        if !settings.enabled {
            return Self { store, tracer: Tracer::off(), made: None };
        }
        tracing::info!(
            "feature_flag.key" = "contextcore.emit_mode",
            "feature_flag.result.variant" = settings.mode.as_str(),
            "feature_flag.provider_name" = settings.mode_source.provider(),
            "feature_flag.result.value" = settings.mode_source.value(),
            "spans are emitted"
        );
        let origin = Origin::new(settings.clone(), instance);
        let emitter = Emitter::start(&store);
        let tracer = Tracer::new(emitter.clone(), origin.clone());
        let projector = Projector::new(store.clone(), origin);
        Self { store, tracer, made: Some((emitter, projector)) }
    }

    /// Makes spans of what happens at the edges.
    pub fn tracer(&self) -> Tracer {
        self.tracer.clone()
    }

    /// Hears what becomes true; give it to the engine.
    pub fn observer(&self) -> Option<Arc<dyn CommitObserver>> {
        self.made.as_ref().map(|(_, projector)| projector.observer())
    }

    /// Follows the journal.
    pub fn follow(self, journal: Arc<dyn Journal>) -> Recorded {
        let Self { store, tracer, made } = self;
        Recorded { store, tracer, made: made.map(|(emitter, projector)| (emitter, projector.start(journal))) }
    }
}

impl Recorded {
    /// Makes spans of what happens at the edges.
    pub fn tracer(&self) -> Tracer {
        self.tracer.clone()
    }

    /// Keeps spans and answers questions about them.
    pub fn store(&self) -> Arc<dyn SpanStore> {
        self.store.clone()
    }

    /// Resolves when everything that the journal has now has its spans: only then may it forget. At once, when no spans
    /// are made.
    pub fn caught_up(&self) -> impl Future<Output = ()> + Send + use<> {
        let told = self.made.as_ref().map(|(_, projecting)| projecting.caught_up());
        async move {
            if let Some(mut told) = told {
                let _ = told.wait_for(|caught_up| *caught_up).await;
            }
        }
    }

    /// Keeps what was said until now, and closes the store.
    pub async fn close(self) {
        if let Some((emitter, projecting)) = self.made {
            projecting.close().await;
            emitter.flush().await;
        }
        self.store.close().await;
    }
}
