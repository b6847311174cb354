//! One model call: deltas are published live, the complete output is journaled.

use super::{Driver, Halt, guard::has_guardrail, prompt::current_request_context, stop::stop_at_sequence};
use crate::end::TaskEnd;
use baton_ports::{FinishReason, Model, ModelError, ModelEvent, ModelStream};
use baton_rules::{REQUEST_MEMBER, TaskRecord, calls_part, request_context_json};
use baton_types::{
    AgentSpec, BudgetUsage, CallId, ErrorCode, FailureReason, GuardStage, Json, Message, MessageId, Part,
    ProviderFailure, ReasoningBlock, RequestContext, Role, TaskEvent, ToolCall, Usage,
};
use futures_util::{FutureExt, StreamExt};
use std::{collections::HashSet, pin::pin, sync::Arc};

/// Maximum text in bytes; longer text is cut and marked as truncated.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// Model events processed between two yields.
const YIELD_INTERVAL: u32 = 64;

/// Maximum calls per turn; further calls are dropped and the message is marked.
pub(super) const MAX_CALLS: usize = 64;

/// Complete output of a model call.
#[derive(Default)]
pub(super) struct ModelOutput {
    pub(super) text: String,
    /// Structured answer as JSON, if requested.
    data: Option<Json>,
    calls: Vec<ToolCall>,
    pub(super) usage: Usage,
    finish: Option<FinishReason>,
    reasoning: Option<ReasoningBlock>,
    /// Model that answered, if it differs from the requested one.
    answered_by: Option<String>,
    /// Whether text or calls were dropped due to a limit.
    truncated: bool,
}

impl Driver {
    /// Calls the model for one attempt. A failed call ends the task: retries are a layer of the model.
    pub(super) async fn call_model(&self, spec: &Arc<AgentSpec>, turn: u32, attempt: u32) -> Result<(), Halt> {
        let model = match self.inner.ports.models.model(spec) {
            Ok(model) => model,
            Err(error) => return Box::pin(self.model_failed(&error)).await,
        };
        let (message, turn, attempt) = self.begin_attempt(turn, attempt)?;
        self.guard_input(spec).await?;
        match self.ask_model(spec, &*model, (message.clone(), turn, attempt)).await? {
            Ok(output) => self.accept_output(spec, message, &*model, output).await,
            Err(error) => Box::pin(self.model_failed(&error)).await,
        }
    }

    /// Accepts the model output, or starts a repair if it does not match the answer schema.
    async fn accept_output(
        &self,
        spec: &AgentSpec,
        id: MessageId,
        model: &dyn Model,
        mut output: ModelOutput,
    ) -> Result<(), Halt> {
        let by = output.answered_by.clone().unwrap_or_else(|| model.name().to_owned());
        output.usage.micro_dollars = model.price_for(&by, output.usage).unwrap_or_default();
        self.add_usage(spec, BudgetUsage::from_model_call(output.usage, output.calls.len() as u64));
        *self.reservation.lock() = None;
        output.text = self.guard_output(spec, &id, std::mem::take(&mut output.text), (&by, output.usage)).await?;
        if let (Some(form), true) = (&spec.answer, output.calls.is_empty()) {
            match self.parse_answer(form, &output.text) {
                Ok(json) => output.data = Some(json),
                Err(problem) => return Box::pin(self.repair(form, output, problem)).await,
            }
        }
        if self.live.lock().task.wishes.as_ref().is_some_and(|options| options.disable_parallel_tool_calls) {
            output.calls.truncate(1);
        }
        self.buffer_events(|task| output_events(task, id, model.name(), output))
            .inspect_err(|_| self.evict_usage_totals(spec))
    }

    /// Calls the model, and once more with a shorter conversation if the provider reports it as too long.
    async fn ask_model(
        &self,
        spec: &AgentSpec,
        model: &dyn Model,
        attempt: (MessageId, u32, u32),
    ) -> Result<Result<ModelOutput, ModelError>, Halt> {
        let call = match self.model_call(spec, model, attempt.clone(), false).await? {
            Ok(call) => call,
            Err(error) => return Ok(Err(error)),
        };
        self.reserve_model_budget(spec, model, &call).await?;
        let (is_watched, stops) = (has_guardrail(spec, GuardStage::Output), &spec.writing.stop);
        let result = self.read_stream(model.name(), stop_at_sequence(model.call(call), stops), is_watched).await?;
        if !matches!(result, Err(ModelError::TooLong(_))) {
            return Ok(result);
        }
        // Boxed, like all rare steps: the future of a run is allocated and moved for every task.
        Box::pin(async {
            match self.model_call(spec, model, attempt, true).await? {
                Ok(call) => {
                    self.reserve_model_budget(spec, model, &call).await?;
                    self.read_stream(model.name(), stop_at_sequence(model.call(call), stops), is_watched).await
                }
                Err(_) => Ok(result),
            }
        })
        .await
    }

    /// Starts the attempt, unless the events that started the run have done so.
    pub(super) fn begin_attempt(&self, turn: u32, attempt: u32) -> Result<(MessageId, u32, u32), Halt> {
        let mut cell = self.live.lock();
        if let Some(message) = cell.unused_attempt.take()
            && let Some(run) = &cell.task.run
            && run.open.as_ref() == Some(&message)
        {
            return Ok((message, run.turn, run.attempt));
        }
        let open = cell.task.run.as_ref().and_then(|run| run.open.clone());
        drop(cell);
        let message = open.unwrap_or_else(|| self.inner.ports.ids.next_id().into());
        self.buffer_events(|_| vec![TaskEvent::AttemptStarted { message: message.clone(), turn, attempt }])?;
        Ok((message, turn, attempt))
    }

    /// Reads the model stream; dropping it cancels the call. Output subject to guardrails is not published yet.
    async fn read_stream(
        &self,
        name: &str,
        mut stream: ModelStream,
        is_watched: bool,
    ) -> Result<Result<ModelOutput, ModelError>, Halt> {
        let mut output = ModelOutput::default();
        let mut buffer = self.delta_buffer(is_watched);
        let mut thought = String::new();
        // Whether the first recorded reasoning came after text.
        let mut first_thought = None;
        let mut deadline = pin!(self.until_deadline());
        for count in 1_u32.. {
            let at_once = if count.is_multiple_of(YIELD_INTERVAL) { None } else { stream.next().now_or_never() };
            let event = match at_once {
                Some(event) => event,
                None => {
                    self.flush();
                    tokio::select! {
                        biased;
                        () = self.live.cancel.cancelled() => return Err(Halt::Changed),
                        () = self.inner.stopping.cancelled() => return Err(Halt::Stopping),
                        event = next_after_yield(&mut stream, count) => event,
                        () = buffer.wait_due() => {
                            self.flush_deltas(&mut buffer)?;
                            continue;
                        }
                        () = &mut deadline => return Err(Halt::Changed),
                    }
                }
            };
            if matches!(event, Some(Ok(ModelEvent::Text(_) | ModelEvent::ToolCall(_)))) {
                let behind_text = self.record_reasoning(name, &mut thought, is_watched, &output.text)?;
                first_thought = first_thought.or(behind_text);
            }
            match event {
                Some(Ok(ModelEvent::Text(text))) => {
                    let room = MAX_TEXT_BYTES.saturating_sub(output.text.len());
                    let fits = &text[..text.floor_char_boundary(room)];
                    output.truncated |= fits.len() < text.len();
                    if !is_watched && !fits.is_empty() {
                        self.live.feed.delta(fits);
                        buffer.push(fits);
                        if buffer.is_full() {
                            self.flush_deltas(&mut buffer)?;
                        }
                    }
                    output.text.push_str(fits);
                    if output.truncated {
                        // Further output could not be stored.
                        output.finish = Some(FinishReason::Length);
                        return Ok(Ok(output));
                    }
                }
                Some(Ok(ModelEvent::Reasoning(more))) => {
                    let room = MAX_TEXT_BYTES.saturating_sub(thought.len());
                    thought.push_str(&more[..more.floor_char_boundary(room)]);
                }
                Some(Ok(ModelEvent::ReasoningComplete(mut reasoning))) => {
                    reasoning.text.truncate(reasoning.text.floor_char_boundary(MAX_TEXT_BYTES));
                    reasoning.after_text = first_thought.unwrap_or(!is_watched && !output.text.is_empty());
                    output.reasoning = Some(reasoning);
                }
                Some(Ok(ModelEvent::Note(note))) => self.buffer_events(|_| vec![TaskEvent::ModelNoted { note }])?,
                Some(Ok(ModelEvent::ToolCall(call))) if output.calls.len() < MAX_CALLS => output.calls.push(call),
                Some(Ok(ModelEvent::ToolCall(_))) => output.truncated = true,
                Some(Ok(ModelEvent::Done { usage, finish, answered_by: by })) => {
                    output.answered_by = by;
                    (output.usage, output.finish) =
                        (usage, Some(if output.truncated { FinishReason::Length } else { finish }));
                    return Ok(Ok(output));
                }
                Some(Err(error)) => return Ok(Err(error)),
                None => {
                    return Ok(Err(ModelError::Interrupted(
                        "the stream ended before the answer was complete".to_owned(),
                    )));
                }
            }
        }
        Ok(Err(ModelError::Interrupted("the answer has no end".to_owned())))
    }

    /// Records reasoning before the text that follows it, so that subscribers see them in order. The replay data of the
    /// provider arrives at the end and replaces this record.
    fn record_reasoning(
        &self,
        model: &str,
        thought: &mut String,
        is_watched: bool,
        preceding_text: &str,
    ) -> Result<Option<bool>, Halt> {
        let text = std::mem::take(thought);
        if text.is_empty() || is_watched {
            return Ok(None);
        }
        let after_text = !preceding_text.is_empty();
        if !after_text {
            self.live.feed.hold_text();
        }
        let reasoning = ReasoningBlock { model: model.to_owned(), text, replay: None, after_text };
        self.buffer_events(|task| {
            let open = task.run.as_ref().and_then(|run| run.open.clone());
            open.map(|message| TaskEvent::ReasoningProduced { message, reasoning }).into_iter().collect()
        })?;
        Ok(Some(after_text))
    }

    /// Sleeps until the run's deadline; the next step then fails the run.
    pub(super) async fn until_deadline(&self) {
        let deadline = self.live.lock().task.run.as_ref().map(|run| run.deadline);
        let now = self.inner.ports.clock.now();
        match deadline {
            Some(deadline) => tokio::time::sleep(now.until(deadline)).await,
            None => std::future::pending().await,
        }
    }

    async fn model_failed(&self, error: &ModelError) -> Result<(), Halt> {
        let provider = provider_failure(error);
        let code = match (error, &provider) {
            (ModelError::TooLong(_), _) => ErrorCode::WINDOW_EXCEEDED,
            (ModelError::Configuration(_), _) => ErrorCode::MODEL_NOT_CONFIGURED,
            (_, Some(failure)) if failure.quota_exhausted => ErrorCode::PROVIDER_QUOTA_EXHAUSTED,
            (_, Some(ProviderFailure { status: 401 | 403, .. })) => ErrorCode::PROVIDER_KEY_REFUSED,
            _ => ErrorCode::MODEL_FAILED,
        };
        let reason = FailureReason { provider, ..FailureReason::new(code.code, error.to_string()) };
        Ok(Box::pin(self.inner.end(&self.live, TaskEnd::Failed(reason))).await?)
    }
}

/// Provider failure for clients; `None` if the provider is not the cause.
fn provider_failure(error: &ModelError) -> Option<ProviderFailure> {
    let failed = |status| Some(ProviderFailure { status, retry_after_ms: None, quota_exhausted: false });
    match error {
        ModelError::Refused { status, advice, .. } => Some(ProviderFailure {
            status: *status,
            retry_after_ms: advice.wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            quota_exhausted: advice.quota_exhausted,
        }),
        ModelError::Unreachable(_) => failed(503),
        ModelError::TimedOut(_) => failed(504),
        ModelError::TooLong(_) | ModelError::Configuration(_) | ModelError::Interrupted(_) => None,
    }
}

/// Yields regularly, so that a model that is always ready does not block other work or cancellation.
async fn next_after_yield(stream: &mut ModelStream, count: u32) -> Option<Result<ModelEvent, ModelError>> {
    if count.is_multiple_of(YIELD_INTERVAL) {
        tokio::task::yield_now().await;
    }
    stream.next().await
}

/// Events of a finished model call.
fn output_events(task: &TaskRecord, id: MessageId, model: &str, output: ModelOutput) -> Vec<TaskEvent> {
    let ModelOutput { text, data, mut calls, usage, finish, reasoning, answered_by: by, .. } = output;
    let model = by.as_deref().unwrap_or(model);
    let thought = reasoning.map(|reasoning| TaskEvent::ReasoningProduced { message: id.clone(), reasoning });
    if calls.is_empty() {
        let json = data.map(|data| Part { media_type: Some("application/json".to_owned()), ..Part::data(data) });
        let parts = [Part::text(text)].into_iter().chain(json).collect();
        let mut message = Message::new(id, Role::Agent, parts).with_task(&task.context, &task.id);
        // Callers of an autonomous run see only its result.
        let request = current_request_context(task).filter(|_| !task.autonomous);
        message.metadata = Some(metadata(model, finish, request));
        let mut events: Vec<TaskEvent> = thought.into_iter().collect();
        events.push(TaskEvent::Answered { message: message.clone(), usage });
        if task.waiting.is_empty() {
            events.push(TaskEvent::StatusChanged {
                state: baton_types::TaskState::Completed,
                message: Some(message),
                reason: None,
            });
        }
        return events;
    }
    unique_ids(&mut calls);
    let text_part = Some(text).filter(|text| !text.is_empty()).map(Part::text);
    let parts = text_part.into_iter().chain([calls_part(&calls)]).collect();
    let mut message = Message::new(id, Role::Agent, parts).with_task(&task.context, &task.id);
    // The model name is recorded unless it is the built-in model.
    if finish == Some(FinishReason::Length) || model != "playbook" {
        message.metadata = Some(metadata(model, finish, None));
    }
    thought.into_iter().chain([TaskEvent::ToolsCalled { message, calls, usage }]).collect()
}

fn metadata(model: &str, finish: Option<FinishReason>, request: Option<&RequestContext>) -> Json {
    let mut metadata = serde_json::json!({ "model": model });
    if model == "playbook" {
        metadata["simulated"] = "true".into();
    }
    match finish {
        Some(FinishReason::Length) => metadata["finish"] = "length".into(),
        Some(FinishReason::Refusal) => metadata["finish"] = "refusal".into(),
        _ => {}
    }
    if let Some(request) = request.filter(|request| !request.items.is_empty()) {
        metadata[REQUEST_MEMBER] = request_context_json(request);
    }
    metadata.into()
}

/// Makes call ids unique within a turn; results are addressed by call id.
fn unique_ids(calls: &mut [ToolCall]) {
    let mut seen = HashSet::new();
    for call in calls {
        let mut id = call.id.clone();
        let mut copies = 1;
        while !seen.insert(id.clone()) {
            copies += 1;
            id = CallId::from(format!("{}-{copies}", call.id));
        }
        call.id = id;
    }
}
