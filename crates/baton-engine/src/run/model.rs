//! One model call: deltas go out live, what is complete goes to the journal.

use super::{Driver, Halt, guard::is_watched, prompt::request_of, stop::until_stop};
use crate::end::Ending;
use baton_ports::{Finish, Model, ModelError, ModelEvent, ModelStream};
use baton_rules::{REQUEST_MEMBER, Task, calls_part, shown};
use baton_types::{
    AgentSpec, CallId, ErrorCode, GuardStage, Json, Message, MessageId, Part, ProviderFailure, Reason, Reasoning,
    RequestContext, Role, Spent, TaskEvent, ToolCall, Usage,
};
use futures_util::{FutureExt, StreamExt};
use std::{collections::HashSet, pin::pin, sync::Arc, time::Duration};

/// Tries at one turn when the model's service asks for another.
const MAX_ATTEMPTS: u32 = 3;

/// Text beyond this is cut and marked as such.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// Events of a model taken without a pause.
const YIELD_EVERY: u32 = 64;

/// Calls of one turn beyond this are left out, and the message says so.
pub(super) const MAX_CALLS: usize = 64;

/// What a model said, complete.
#[derive(Default)]
pub(super) struct Said {
    pub(super) text: String,
    /// The answer as JSON, when that was asked for.
    data: Option<Json>,
    calls: Vec<ToolCall>,
    pub(super) usage: Usage,
    finish: Option<Finish>,
    reasoning: Option<Reasoning>,
    /// Who answered, when it is not who was asked.
    by: Option<String>,
    /// Whether something was left out for want of room.
    cut: bool,
}

impl Driver {
    pub(super) async fn call_model(&self, spec: &Arc<AgentSpec>, turn: u32, attempt: u32) -> Result<(), Halt> {
        let model = match self.inner.ports.models.model(spec) {
            Ok(model) => model,
            Err(error) => return self.model_failed(&error).await,
        };
        let (message, turn, attempt) = self.begin_attempt(turn, attempt)?;
        self.guard_input(spec).await?;
        match self.ask_model(spec, &*model, (message.clone(), turn, attempt)).await? {
            Ok(said) => self.take(spec, message, &*model, said).await,
            Err(ModelError::Refused { retry_after: Some(wait), .. }) if attempt < MAX_ATTEMPTS => self.wait(wait).await,
            Err(error) => self.model_failed(&error).await,
        }
    }

    /// Takes what the model said, as far as it has the form that was asked for.
    async fn take(&self, spec: &AgentSpec, id: MessageId, model: &dyn Model, mut said: Said) -> Result<(), Halt> {
        let by = said.by.clone().unwrap_or_else(|| model.name().to_owned());
        said.usage.micro_dollars = model.price_by(&by, said.usage).unwrap_or_default();
        self.spend(spec, Spent::of(said.usage, said.calls.len() as u64));
        *self.aside.lock() = None;
        said.text = self.guard_output(spec, &id, std::mem::take(&mut said.text), (&by, said.usage)).await?;
        if let (Some(form), true) = (&spec.answer, said.calls.is_empty()) {
            match self.in_form(form, &said.text) {
                Ok(json) => said.data = Some(json),
                Err(problem) => return self.repair(form, said, problem).await,
            }
        }
        if self.live.lock().task.wishes.as_ref().is_some_and(|wishes| wishes.one_call_a_turn) {
            said.calls.truncate(1);
        }
        self.hold(|task| record(task, id, model.name(), said)).inspect_err(|_| self.unspend(spec))
    }

    /// Asks once, and once more with less of the conversation when the service finds it too long.
    async fn ask_model(
        &self,
        spec: &AgentSpec,
        model: &dyn Model,
        attempt: (MessageId, u32, u32),
    ) -> Result<Result<Said, ModelError>, Halt> {
        let call = match self.model_call(spec, model, attempt.clone(), false).await? {
            Ok(call) => call,
            Err(error) => return Ok(Err(error)),
        };
        self.afford(spec, model, &call).await?;
        let (is_watched, stops) = (is_watched(spec, GuardStage::Output), &spec.writing.stop);
        let heard = self.listen(model.name(), until_stop(model.call(call), stops), is_watched).await?;
        if !matches!(heard, Err(ModelError::TooLong(_))) {
            return Ok(heard);
        }
        match self.model_call(spec, model, attempt, true).await? {
            Ok(call) => {
                self.afford(spec, model, &call).await?;
                self.listen(model.name(), until_stop(model.call(call), stops), is_watched).await
            }
            Err(_) => Ok(heard),
        }
    }

    /// Announces the attempt, unless the events that began the run have done so.
    pub(super) fn begin_attempt(&self, turn: u32, attempt: u32) -> Result<(MessageId, u32, u32), Halt> {
        let mut cell = self.live.lock();
        if let Some(begun) = cell.begun.take()
            && let Some(run) = &cell.task.run
            && run.open.as_ref() == Some(&begun)
        {
            return Ok((begun, run.turn, run.attempt));
        }
        let open = cell.task.run.as_ref().and_then(|run| run.open.clone());
        drop(cell);
        let message = open.unwrap_or_else(|| self.inner.ports.ids.fresh().into());
        self.hold(|_| vec![TaskEvent::AttemptStarted { message: message.clone(), turn, attempt }])?;
        Ok((message, turn, attempt))
    }

    /// Hears the model out; dropping the stream stops it. What is watched is shown to nobody yet.
    async fn listen(
        &self,
        name: &str,
        mut stream: ModelStream,
        is_watched: bool,
    ) -> Result<Result<Said, ModelError>, Halt> {
        let mut said = Said::default();
        let mut pen = self.pen(is_watched);
        let mut thought = String::new();
        // Whether the first thought that is on record came behind text.
        let mut first_thought = None;
        let mut deadline = pin!(self.until_deadline());
        for count in 1_u32.. {
            let at_once = if count.is_multiple_of(YIELD_EVERY) { None } else { stream.next().now_or_never() };
            let event = match at_once {
                Some(event) => event,
                None => {
                    self.flush();
                    tokio::select! {
                        biased;
                        () = self.live.cancel.cancelled() => return Err(Halt::Changed),
                        () = self.inner.stopping.cancelled() => return Err(Halt::Stopping),
                        event = next_after_yield(&mut stream, count) => event,
                        () = pen.is_due() => {
                            self.write_down(&mut pen)?;
                            continue;
                        }
                        () = &mut deadline => return Err(Halt::Changed),
                    }
                }
            };
            if matches!(event, Some(Ok(ModelEvent::Text(_) | ModelEvent::ToolCall(_)))) {
                let behind_text = self.thought_first(name, &mut thought, is_watched, &said.text)?;
                first_thought = first_thought.or(behind_text);
            }
            match event {
                Some(Ok(ModelEvent::Text(text))) => {
                    let room = MAX_TEXT.saturating_sub(said.text.len());
                    let fits = &text[..text.floor_char_boundary(room)];
                    said.cut |= fits.len() < text.len();
                    if !is_watched && !fits.is_empty() {
                        self.live.feed.delta(fits);
                        pen.hear(fits);
                        if pen.is_full() {
                            self.write_down(&mut pen)?;
                        }
                    }
                    said.text.push_str(fits);
                    if said.cut {
                        // Whatever else the model would say could not be kept.
                        said.finish = Some(Finish::Length);
                        return Ok(Ok(said));
                    }
                }
                Some(Ok(ModelEvent::Reasoning(more))) => {
                    let room = MAX_TEXT.saturating_sub(thought.len());
                    thought.push_str(&more[..more.floor_char_boundary(room)]);
                }
                Some(Ok(ModelEvent::Reasoned(mut reasoning))) => {
                    reasoning.text.truncate(reasoning.text.floor_char_boundary(MAX_TEXT));
                    reasoning.after_text = first_thought.unwrap_or(!is_watched && !said.text.is_empty());
                    said.reasoning = Some(reasoning);
                }
                Some(Ok(ModelEvent::Note(note))) => self.hold(|_| vec![TaskEvent::ModelNoted { note }])?,
                Some(Ok(ModelEvent::ToolCall(call))) if said.calls.len() < MAX_CALLS => said.calls.push(call),
                Some(Ok(ModelEvent::ToolCall(_))) => said.cut = true,
                Some(Ok(ModelEvent::Done { usage, finish, by })) => {
                    said.by = by;
                    (said.usage, said.finish) = (usage, Some(if said.cut { Finish::Length } else { finish }));
                    return Ok(Ok(said));
                }
                Some(Err(error)) => return Ok(Err(error)),
                None => return Ok(Err(ModelError::Interrupted("no end of the answer was seen".to_owned()))),
            }
        }
        Ok(Err(ModelError::Interrupted("the answer has no end".to_owned())))
    }

    /// What the model thought is on record before what it says: whoever watches reads it in that order. What its service
    /// wants back comes at the end, and then stands in its place.
    fn thought_first(
        &self,
        model: &str,
        thought: &mut String,
        is_watched: bool,
        said: &str,
    ) -> Result<Option<bool>, Halt> {
        let text = std::mem::take(thought);
        if text.is_empty() || is_watched {
            return Ok(None);
        }
        let after_text = !said.is_empty();
        if !after_text {
            self.live.feed.hold_text();
        }
        let reasoning = Reasoning { model: model.to_owned(), text, replay: None, after_text };
        self.hold(|task| {
            let open = task.run.as_ref().and_then(|run| run.open.clone());
            open.map(|message| TaskEvent::Reasoned { message, reasoning }).into_iter().collect()
        })?;
        Ok(Some(after_text))
    }

    /// Sleeps until the run's deadline, after which the next step is to fail.
    pub(super) async fn until_deadline(&self) {
        let deadline = self.live.lock().task.run.as_ref().map(|run| run.deadline);
        let now = self.inner.ports.clock.now();
        match deadline {
            Some(deadline) => tokio::time::sleep(now.until(deadline)).await,
            None => std::future::pending().await,
        }
    }

    async fn wait(&self, wait: Duration) -> Result<(), Halt> {
        self.flush();
        tokio::select! {
            () = self.live.cancel.cancelled() => Err(Halt::Changed),
            () = self.inner.stopping.cancelled() => Err(Halt::Stopping),
            () = self.until_deadline() => Ok(()),
            () = tokio::time::sleep(wait) => Ok(()),
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
        let reason = Reason { provider, ..Reason::new(code.code, error.to_string()) };
        Ok(self.inner.end(&self.live, Ending::Failed(reason)).await?)
    }
}

/// How the provider failed, as far as its clients act on it; nothing when it is not to blame.
fn provider_failure(error: &ModelError) -> Option<ProviderFailure> {
    let failed = |status| Some(ProviderFailure { status, retry_after_ms: None, quota_exhausted: false });
    match error {
        ModelError::Refused { status, retry_after, advice, .. } => {
            let wait = retry_after.or(advice.wait);
            Some(ProviderFailure {
                status: *status,
                retry_after_ms: wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
                quota_exhausted: advice.quota_exhausted,
            })
        }
        ModelError::Unreachable(_) => failed(503),
        ModelError::TimedOut(_) => failed(504),
        ModelError::TooLong(_) | ModelError::Configuration(_) | ModelError::Interrupted(_) => None,
    }
}

/// A model that never makes anybody wait must still let others work, be seen and be stopped.
async fn next_after_yield(stream: &mut ModelStream, count: u32) -> Option<Result<ModelEvent, ModelError>> {
    if count.is_multiple_of(YIELD_EVERY) {
        tokio::task::yield_now().await;
    }
    stream.next().await
}

/// What a finished model call makes true.
fn record(task: &Task, id: MessageId, model: &str, said: Said) -> Vec<TaskEvent> {
    let Said { text, data, mut calls, usage, finish, reasoning, by, .. } = said;
    let model = by.as_deref().unwrap_or(model);
    let thought = reasoning.map(|reasoning| TaskEvent::Reasoned { message: id.clone(), reasoning });
    if calls.is_empty() {
        let json = data.map(|data| Part { media_type: Some("application/json".to_owned()), ..Part::data(data) });
        let parts = [Part::text(text)].into_iter().chain(json).collect();
        let mut message = Message::new(id, Role::Agent, parts).within(&task.context, &task.id);
        // Callers of an autonomous run see its result, and not how it came about.
        let request = request_of(task).filter(|_| !task.autonomous);
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
    let words = Some(text).filter(|text| !text.is_empty()).map(Part::text);
    let parts = words.into_iter().chain([calls_part(&calls)]).collect();
    let mut message = Message::new(id, Role::Agent, parts).within(&task.context, &task.id);
    // Who called is only worth a word when it is not the built-in model.
    if finish == Some(Finish::Length) || model != "playbook" {
        message.metadata = Some(metadata(model, finish, None));
    }
    thought.into_iter().chain([TaskEvent::ToolsCalled { message, calls, usage }]).collect()
}

fn metadata(model: &str, finish: Option<Finish>, request: Option<&RequestContext>) -> Json {
    let mut metadata = serde_json::json!({ "model": model });
    if model == "playbook" {
        metadata["simulated"] = "true".into();
    }
    match finish {
        Some(Finish::Length) => metadata["finish"] = "length".into(),
        Some(Finish::Refusal) => metadata["finish"] = "refusal".into(),
        _ => {}
    }
    if let Some(request) = request.filter(|request| !request.items.is_empty()) {
        metadata[REQUEST_MEMBER] = shown(request);
    }
    metadata.into()
}

/// Results are addressed by call id, so two calls of a turn must not share one.
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
