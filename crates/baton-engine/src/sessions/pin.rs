//! Pins the definition of a run: the agent's definition with session settings and run options applied.

use crate::{EngineError, engine::EngineInner, pins::PinnedDefinition};
use baton_rules::{SessionRecord, apply_overrides, apply_run_options, changes_definition};
use baton_types::{AgentSpec, ContextId, Principal, RunOptions};
use std::sync::Arc;

impl EngineInner {
    /// Pins a definition for a run in a context; a new context has no settings yet.
    pub(crate) async fn pin(
        &self,
        owner: &Principal,
        spec: &Arc<AgentSpec>,
        context: Option<&ContextId>,
        options: Option<&RunOptions>,
    ) -> Result<PinnedDefinition, EngineError> {
        let record = match context {
            Some(context) => self.session_record(owner, &spec.name, context).await?.map(Arc::new),
            None => None,
        };
        self.pin_with(spec, record, options).await
    }

    /// Pins a definition with an already loaded session record.
    pub(crate) async fn pin_with(
        &self,
        spec: &Arc<AgentSpec>,
        session: Option<Arc<SessionRecord>>,
        options: Option<&RunOptions>,
    ) -> Result<PinnedDefinition, EngineError> {
        let settings = session.as_ref().map(|record| &record.settings).filter(|settings| !settings.is_empty());
        let options = options.filter(|options| changes_definition(options));
        let variant = match (settings, options) {
            (None, None) => None,
            (Some(settings), None) => Some(apply_overrides(spec, settings)),
            (None, Some(options)) => Some(apply_run_options(spec, options)),
            (Some(settings), Some(options)) => Some(apply_run_options(&apply_overrides(spec, settings), options)),
        };
        let pinned = match variant {
            Some(variant) => self.pins.pin_variant(self.journal(), variant).await?,
            None => self.pins.pin(self.journal(), spec).await?,
        };
        Ok(PinnedDefinition { session, ..pinned })
    }
}
