//! Runs guardrails and applies their verdicts.

use super::{Driver, Halt, current_request::message_text, tool_helper::RunToolHelper};
use crate::end::TaskEnd;
use baton_ports::{ToolInvocation, ToolOutcome, ToolOutput};
use baton_rules::{CallState, GuardDecision, GuardSubject, guard_request, guard_tool, unchecked_messages};
use baton_types::{
    AgentSpec, ErrorCode, FailureReason, GuardStage, GuardVerdict, Guardrail, Json, MessageId, ModelNote, TaskEvent,
    ToolCall, Usage,
};

/// Maximum characters of a guardrail error.
const MAX_ERROR_CHARS: usize = 300;

/// Subject of a guardrail check, without its content.
#[derive(Clone, Copy, Default)]
struct GuardTarget<'a> {
    message: Option<&'a MessageId>,
    call: Option<&'a ToolCall>,
    is_error: bool,
}

/// Result of the guardrails of one stage.
enum GuardOutcome {
    /// Continue, with new content if a guardrail rewrote it.
    Pass(Option<Json>),
    /// A guardrail blocked or failed.
    Block(FailureReason),
}

/// Whether the agent has a guardrail for this stage.
pub(super) fn has_guardrail(spec: &AgentSpec, stage: GuardStage) -> bool {
    spec.guardrails.iter().any(|guardrail| guardrail.on.contains(&stage))
}

impl Driver {
    /// Checks new caller messages; ends the task if one is blocked.
    pub(super) async fn guard_input(&self, spec: &AgentSpec) -> Result<(), Halt> {
        if !has_guardrail(spec, GuardStage::Input) {
            return Ok(());
        }
        let messages: Vec<(MessageId, String)> = {
            let cell = self.live.lock();
            let messages = unchecked_messages(&cell.task).into_iter();
            messages.map(|message| (message.id.clone(), message_text(message, &message.text(), true))).collect()
        };
        for (id, text) in messages {
            let target = GuardTarget { message: Some(&id), ..GuardTarget::default() };
            if let GuardOutcome::Block(reason) =
                Box::pin(self.run_guardrails(spec, GuardStage::Input, target, Json::string(&text))).await?
            {
                Box::pin(self.inner.end(&self.live, TaskEnd::Blocked(reason))).await?;
                return Err(Halt::Changed);
            }
        }
        Ok(())
    }

    /// Checks model output and returns the permitted text; ends the task if it is blocked.
    pub(super) async fn guard_output(
        &self,
        spec: &AgentSpec,
        id: &MessageId,
        text: String,
        (by, usage): (&str, Usage),
    ) -> Result<String, Halt> {
        if text.is_empty() || !has_guardrail(spec, GuardStage::Output) {
            return Ok(text);
        }
        let target = GuardTarget { message: Some(id), ..GuardTarget::default() };
        let text = match Box::pin(self.run_guardrails(spec, GuardStage::Output, target, Json::string(&text))).await? {
            GuardOutcome::Pass(None) => text,
            GuardOutcome::Pass(Some(content)) => content.to_plain_text(),
            GuardOutcome::Block(reason) => {
                let (purpose, model) = ("an answer that was blocked".to_owned(), by.to_owned());
                self.buffer_events(|_| {
                    vec![TaskEvent::ModelNoted { note: ModelNote::Used { purpose, model, usage } }]
                })?;
                Box::pin(self.inner.end(&self.live, TaskEnd::Failed(reason))).await?;
                return Err(Halt::Changed);
            }
        };
        // No part of the output was published before.
        self.live.feed.delta(&text);
        Ok(text)
    }

    /// Checks a tool call. Returns the permitted call; `None` if it is blocked, with an error result recorded.
    pub(super) async fn guard_call(&self, spec: &AgentSpec, state: &CallState) -> Result<Option<CallState>, Halt> {
        if state.guarded || !has_guardrail(spec, GuardStage::ToolCall) {
            return Ok(Some(state.clone()));
        }
        let call = &state.call;
        let target = GuardTarget { call: Some(call), ..GuardTarget::default() };
        match Box::pin(self.run_guardrails(spec, GuardStage::ToolCall, target, call.arguments.clone())).await? {
            GuardOutcome::Pass(_) => Ok(self.live.lock().task.call(&call.id).cloned()),
            GuardOutcome::Block(reason) => self.finish_open(call, reason_output(&reason)).map(|()| None),
        }
    }

    /// Checks a tool result and returns the permitted output.
    pub(super) async fn guard_result(
        &self,
        spec: &AgentSpec,
        call: &ToolCall,
        tool_output: ToolOutput,
    ) -> Result<ToolOutput, Halt> {
        if !has_guardrail(spec, GuardStage::ToolResult) {
            return Ok(tool_output);
        }
        let target = GuardTarget { call: Some(call), is_error: tool_output.is_error, ..GuardTarget::default() };
        Ok(
            match Box::pin(self.run_guardrails(spec, GuardStage::ToolResult, target, tool_output.output.clone()))
                .await?
            {
                GuardOutcome::Pass(None) => tool_output,
                GuardOutcome::Pass(Some(output)) => ToolOutput { output, ..tool_output },
                GuardOutcome::Block(reason) => ToolOutput { output: reason_output(&reason), is_error: true },
            },
        )
    }

    /// Runs the guardrails of a stage in order. Each sees the content rewritten by the previous one; the first block
    /// ends the check.
    async fn run_guardrails(
        &self,
        spec: &AgentSpec,
        stage: GuardStage,
        target: GuardTarget<'_>,
        content: Json,
    ) -> Result<GuardOutcome, Halt> {
        let (mut now, mut changed, mut stopped, mut events) = (content, false, None, Vec::new());
        for guardrail in spec.guardrails.iter().filter(|guardrail| guardrail.on.contains(&stage)) {
            let answer = self.ask_guardrail(spec, guardrail, stage, target, &now).await?;
            let (verdict, detail, content) = match answer {
                Ok(GuardDecision::Allow) => (GuardVerdict::Allowed, String::new(), None),
                Ok(GuardDecision::Modify(content, reason)) => (GuardVerdict::Rewritten, reason, Some(content)),
                Ok(GuardDecision::Block(reason)) => {
                    let shown_reason = if reason.is_empty() { "it gave no reason" } else { &reason };
                    stopped = Some(block_reason(ErrorCode::GUARDRAIL_BLOCKED, guardrail, shown_reason));
                    (GuardVerdict::Blocked, reason, None)
                }
                Err(error) if guardrail.fails_open => (GuardVerdict::Unreachable, error, None),
                Err(error) => {
                    stopped = Some(block_reason(ErrorCode::GUARDRAIL_FAILED, guardrail, &error));
                    (GuardVerdict::Unreachable, error, None)
                }
            };
            // Messages and calls have their own events. Replaced or blocked answers and results are stored as blobs.
            let is_lost = matches!(stage, GuardStage::Output | GuardStage::ToolResult)
                && (content.is_some() || stopped.is_some());
            let original = match is_lost {
                true => Some(self.inner.journal().put_blob(now.as_str().as_bytes().into()).await?),
                false => None,
            };
            events.push(TaskEvent::GuardrailChecked {
                guardrail: guardrail.name.clone(),
                stage,
                call: target.call.map(|call| call.id.clone()),
                message: target.message.cloned(),
                verdict,
                detail,
                content: content.clone(),
                original,
            });
            if let Some(content) = content {
                (now, changed) = (content, true);
            }
            if stopped.is_some() {
                break;
            }
        }
        self.buffer_events(|_| events)?;
        Ok(match stopped {
            Some(reason) => GuardOutcome::Block(reason),
            None => GuardOutcome::Pass(changed.then_some(now)),
        })
    }

    /// Runs a guardrail as a tool; the inner error says why it gave no verdict.
    async fn ask_guardrail(
        &self,
        spec: &AgentSpec,
        guardrail: &Guardrail,
        stage: GuardStage,
        target: GuardTarget<'_>,
        content: &Json,
    ) -> Result<Result<GuardDecision, String>, Halt> {
        let (text, called);
        let subject = match (stage, target.call) {
            (GuardStage::ToolCall, Some(call)) => {
                called = ToolCall { arguments: content.clone(), ..call.clone() };
                GuardSubject::Call(&called)
            }
            (GuardStage::ToolResult, Some(call)) => GuardSubject::Result(call, content, target.is_error),
            (GuardStage::Output, _) => {
                text = content.to_plain_text();
                GuardSubject::Output(&text)
            }
            _ => {
                text = content.to_plain_text();
                GuardSubject::Input(&text)
            }
        };
        let (arguments, trace) = {
            let cell = self.live.lock();
            let about = (&cell.task.agent, &cell.task.id, &cell.task.context);
            (guard_request(guardrail, about, subject), cell.run_trace_context().map(|context| context.to_string()))
        };
        let tool = guard_tool(guardrail);
        let id = self.inner.ports.ids.next_id().into();
        let state = CallState::pending(ToolCall { id, name: tool.name.clone(), arguments });
        let run = ToolInvocation {
            agent: spec,
            tool: &tool,
            call: &state.call,
            principal: &self.live.owner,
            task: Some(&self.live.id),
            trace: trace.as_deref(),
            answers: None,
            helper: &RunToolHelper { driver: self, spec, tool: &tool.name, state: &state },
        };
        self.flush();
        let outcome = tokio::select! {
            biased;
            () = self.live.cancel.cancelled() => return Err(Halt::Changed),
            () = self.inner.stopping.cancelled() => return Err(Halt::Stopping),
            outcome = self.inner.ports.tools.call(run) => outcome,
            () = self.until_deadline() => return Err(Halt::Changed),
        };
        Ok(match outcome {
            ToolOutcome::Done(ToolOutput { output, is_error: false }) => GuardDecision::parse(stage, &output),
            ToolOutcome::Done(failed) => Err(truncate_error(&failed.output.to_plain_text())),
            ToolOutcome::InputRequired(_) => Err("it asked a question instead of giving a verdict".to_owned()),
        })
    }
}

fn block_reason(code: ErrorCode, guardrail: &Guardrail, detail: &str) -> FailureReason {
    FailureReason::new(code.code, format!("guardrail '{}': {detail}", guardrail.name))
}

fn reason_output(reason: &FailureReason) -> Json {
    Json::string(&format!("{}: {}", reason.code, reason.detail))
}

fn truncate_error(text: &str) -> String {
    match text.char_indices().nth(MAX_ERROR_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
