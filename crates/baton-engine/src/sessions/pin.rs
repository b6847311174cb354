//! The definition that a run follows: the agent's, with the settings of its session.

use crate::{EngineError, engine::Inner, pins::Pinned};
use baton_rules::{SessionRecord, in_session};
use baton_types::{AgentSpec, ContextId, Principal};
use std::sync::Arc;

impl Inner {
    /// Pins a definition for a run in a conversation; one that begins with the run has no settings yet.
    pub(crate) async fn pin(
        &self,
        owner: &Principal,
        spec: &Arc<AgentSpec>,
        context: Option<&ContextId>,
    ) -> Result<Pinned, EngineError> {
        let record = match context {
            Some(context) => self.session_record(owner, &spec.name, context).await?.map(Arc::new),
            None => None,
        };
        self.pin_with(spec, record).await
    }

    /// The same for those who know what was said about the conversation.
    pub(crate) async fn pin_with(
        &self,
        spec: &Arc<AgentSpec>,
        session: Option<Arc<SessionRecord>>,
    ) -> Result<Pinned, EngineError> {
        let pinned = match session.as_ref().filter(|record| !record.settings.is_empty()) {
            Some(record) => self.pins.pin_variant(self.journal(), in_session(spec, &record.settings)).await?,
            None => self.pins.pin(self.journal(), spec).await?,
        };
        Ok(Pinned { session, ..pinned })
    }
}
