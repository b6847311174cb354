//! Presentation of tasks for a request.

use super::{call::A2aCall, extensions::ActiveExtensions};
use baton_types::{A2aSettings, TaskView};
use baton_wire::a2a::v1::{Presentation, PresentationRequest};

/// Inputs that determine the presentation of tasks for a request: agent settings, server settings and extensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct PresentationPolicy {
    settings: A2aSettings,
    request: PresentationRequest,
}

impl PresentationPolicy {
    pub(super) fn new(call: &A2aCall<'_>, active: &ActiveExtensions) -> Self {
        let agent = call.shared.engine.agent(call.agent).map(|agent| agent.a2a).unwrap_or_default();
        Self { settings: agent.or(call.shared.options.settings), request: active.presentation_request() }
    }

    /// Presentation of this task.
    pub(super) fn resolve(&self, view: &TaskView) -> Presentation {
        Presentation::resolve(self.settings, view.tool_execution, self.request)
    }
}
