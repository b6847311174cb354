//! Model calls that are not a turn of their run: summaries, model requests of tools, and discarded responses.

use super::{
    span_draft::nanos,
    task::{EventMetadata, ModelLabel, TaskSpans, set_completion},
};
use crate::{
    SpanOrigin, ids,
    names::{self, operation},
};
use baton_types::{Span, SpanKind, Usage};

impl TaskSpans {
    /// Emits a model call with this model, or with the model of the definition; its start time is not recorded.
    pub(super) fn add_extra_call(
        &mut self,
        metadata: EventMetadata<'_>,
        model: Option<&str>,
        used: Usage,
        origin: &SpanOrigin,
        out: &mut Vec<Span>,
    ) {
        let Some(run) = self.run.as_mut().filter(|_| used != Usage::default()) else { return };
        run.model_calls += 1;
        run.usage = run.usage.plus(used);
        let label = model.map(ModelLabel::parse).or_else(|| run.label.clone()).unwrap_or_default();
        let id = ids::attempt_span(&self.task, &format!("beside-{}", metadata.number).into(), 1);
        let (context, parent, turn) = (run.context.with_span(id), run.context.span, run.turn);
        let name = format!("{} {}", operation::CHAT, label.model);
        let mut draft =
            self.draft(name, SpanKind::Internal, context, Some(parent)).between(nanos(metadata.at), nanos(metadata.at));
        draft.set(names::GEN_AI_OPERATION_NAME, operation::CHAT);
        draft.set(names::GEN_AI_PROVIDER_NAME, label.provider);
        draft.set(names::GEN_AI_REQUEST_MODEL, label.model);
        draft.set(names::RUN_TURN, turn);
        set_completion(&mut draft, "stop", used);
        out.push(draft.finish(origin));
    }
}
