//! Model registry of all agents.

use crate::{ModelOptions, Persistence, ServerError, error::embedding_failure};
use baton_engine::Engine;
use baton_local::VectorFiles;
use baton_model_registry::{LoopbackProbe, ModelRegistry, ModelRegistryParts};
use baton_models::{ModelCatalog, PlaybookModels};
use baton_ports::AgentSource;
use baton_system::SystemClock;
use std::sync::Arc;

/// Folder of cached embeddings, below the data directory.
const EMBEDDING_FOLDER: &str = "vectors";

/// Model registry for these agents; detection has not run yet.
pub(crate) fn open_registry(
    options: ModelOptions,
    agents: Arc<dyn AgentSource>,
    playbooks: Arc<PlaybookModels>,
) -> Arc<ModelRegistry> {
    ModelRegistry::new(ModelRegistryParts {
        agents,
        playbooks,
        settings: options.settings,
        environment: options.environment,
        probe: Arc::new(LoopbackProbe),
        catalog: Arc::new(ModelCatalog::new(options.prices)),
        clock: Arc::new(SystemClock),
    })
}

/// The engine with embeddings, if an embedding model is configured.
pub(crate) fn with_embeddings(
    engine: Engine,
    registry: &ModelRegistry,
    persistence: &Persistence,
) -> Result<Engine, ServerError> {
    let Some(embedder) = registry.embedder().map_err(|error| embedding_failure(&error))? else { return Ok(engine) };
    let Some(data) = persistence.caches() else {
        return Err(embedding_failure(&"embeddings need a directory to be cached in"));
    };
    Ok(engine.with_embedder(embedder, Arc::new(VectorFiles::new(&data.join(EMBEDDING_FOLDER)))))
}
