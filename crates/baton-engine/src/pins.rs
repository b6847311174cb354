//! Agent definitions by digest. A run uses the same definition from start to end.

use crate::EngineError;
use baton_ports::Journal;
use baton_rules::SessionRecord;
use baton_types::{AgentName, AgentSpec, Digest, Json};
use foldhash::HashMap;
use parking_lot::Mutex;
use std::sync::Arc;

/// Maximum cached definitions; others are read from the journal again.
const MAX_CACHED_DEFINITIONS: usize = 1024;

/// Cache of definitions stored in the journal.
#[derive(Default)]
pub(crate) struct DefinitionPins {
    current: Mutex<HashMap<AgentName, PinnedDefinition>>,
    cache: Mutex<HashMap<Digest, Arc<AgentSpec>>>,
}

/// A definition stored in the journal.
#[derive(Clone)]
pub(crate) struct PinnedDefinition {
    pub(crate) digest: Digest,
    pub(crate) spec: Arc<AgentSpec>,
    /// Session record at the time the definition was pinned for a run.
    pub(crate) session: Option<Arc<SessionRecord>>,
}

impl DefinitionPins {
    /// Stores the definition in the journal if needed.
    pub(crate) async fn pin(
        &self,
        journal: &dyn Journal,
        spec: &Arc<AgentSpec>,
    ) -> Result<PinnedDefinition, EngineError> {
        if let Some(pinned) = self.current.lock().get(&spec.name).filter(|pinned| Arc::ptr_eq(&pinned.spec, spec)) {
            return Ok(pinned.clone());
        }
        let json = to_json(spec)?;
        let digest = journal.put_blob(json.as_str().as_bytes().into()).await?;
        let pinned = PinnedDefinition { digest, spec: Arc::clone(spec), session: None };
        let mut current = self.current.lock();
        if current.len() >= MAX_CACHED_DEFINITIONS {
            current.clear();
        }
        current.insert(spec.name.clone(), pinned.clone());
        drop(current);
        self.remember(&pinned);
        Ok(pinned)
    }

    /// Stores a session-specific definition in the journal if needed.
    pub(crate) async fn pin_variant(
        &self,
        journal: &dyn Journal,
        spec: AgentSpec,
    ) -> Result<PinnedDefinition, EngineError> {
        let json = to_json(&spec)?;
        let digest = Digest::compute(json.as_str().as_bytes());
        if let Some(spec) = self.cache.lock().get(&digest) {
            return Ok(PinnedDefinition { digest, spec: Arc::clone(spec), session: None });
        }
        let digest = journal.put_blob(json.as_str().as_bytes().into()).await?;
        let pinned = PinnedDefinition { digest, spec: Arc::new(spec), session: None };
        self.remember(&pinned);
        Ok(pinned)
    }

    /// The definition that a run started with; `None` when it is gone.
    pub(crate) async fn find(
        &self,
        journal: &dyn Journal,
        digest: &Digest,
    ) -> Result<Option<Arc<AgentSpec>>, EngineError> {
        if let Some(spec) = self.cache.lock().get(digest) {
            return Ok(Some(Arc::clone(spec)));
        }
        let Some(bytes) = journal.blob(digest).await? else { return Ok(None) };
        let spec = std::str::from_utf8(&bytes)
            .ok()
            .and_then(|text| Json::parse(text).ok())
            .and_then(|json| json.read::<AgentSpec>().ok().map(Arc::new));
        if let Some(spec) = &spec {
            self.remember(&PinnedDefinition { digest: digest.clone(), spec: Arc::clone(spec), session: None });
        }
        Ok(spec)
    }

    fn remember(&self, pinned: &PinnedDefinition) {
        let mut cache = self.cache.lock();
        if cache.len() >= MAX_CACHED_DEFINITIONS {
            cache.clear();
        }
        cache.insert(pinned.digest.clone(), Arc::clone(&pinned.spec));
    }
}

fn to_json(spec: &AgentSpec) -> Result<Json, EngineError> {
    spec.to_json().map_err(|error| {
        EngineError::Journal(baton_ports::JournalError::Unavailable(format!("agent '{}': {error}", spec.name)))
    })
}
