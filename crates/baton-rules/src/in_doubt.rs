//! In-doubt calls: interrupted by a crash, and not declared safe to retry.
//!
//! Such a call is never published as a call to run. It becomes a question, and the answer decides its outcome.

use crate::{CallStage, CallState, MessageRejection, TaskRecord, error_codes};
use baton_types::{
    AgentName, AnswerAction, CallId, ErrorCode, Json, Part, QuestionKind, ToolAnswers, ToolCall, ToolInputRequest,
    ToolQuestion, ToolResult,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Key of the question about the outcome of a call.
const OUTCOME_KEY: &str = "baton/outcome";

/// Decided outcome of an in-doubt call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum InDoubtOutcome {
    RunAgain,
    UseResult,
    Fail,
}

#[derive(Deserialize)]
struct OutcomeForm {
    outcome: InDoubtOutcome,
    result: Option<Json>,
}

#[derive(Serialize)]
struct InDoubtRequestsPayload<'a> {
    input_requests: Vec<InDoubtRequestPayload<'a>>,
}

#[derive(Serialize)]
struct InDoubtRequestPayload<'a> {
    call_id: &'a CallId,
    key: &'static str,
    agent: &'a AgentName,
    tool: &'a str,
    message: String,
    schema: Json,
    in_doubt: bool,
    arguments: &'a Json,
}

/// Whether the call is in doubt: started, without a run in progress.
pub fn is_in_doubt(task: &TaskRecord, state: &CallState) -> bool {
    task.run.is_none() && state.stage == CallStage::Started
}

/// Question about the outcome of an in-doubt call.
pub fn in_doubt_request(call: &ToolCall) -> ToolInputRequest {
    let kind = QuestionKind::Form { schema: outcome_schema() };
    let question = ToolQuestion { key: OUTCOME_KEY.to_owned(), message: in_doubt_message(call), wants: kind };
    ToolInputRequest { questions: vec![question], state: None }
}

/// Question text for display.
pub fn in_doubt_message(ToolCall { id, name, .. }: &ToolCall) -> String {
    let code = ErrorCode::TOOL_UNSAFE_TO_REPEAT.code;
    format!(
        "{code}: the tool '{name}' (call {id}) was interrupted and may or may not have taken effect. Check what it did, \
         then answer run_again, fail, or use_result together with its result; or cancel the task."
    )
}

/// Data part that asks for the outcome of calls. They are not in `tool_calls`, so that no client runs them unasked.
pub fn in_doubt_part<'a>(agent: &'a AgentName, calls: impl IntoIterator<Item = &'a ToolCall>) -> Part {
    let doubts = calls.into_iter().map(|call| InDoubtRequestPayload {
        call_id: &call.id,
        key: OUTCOME_KEY,
        agent,
        tool: &call.name,
        message: in_doubt_message(call),
        schema: outcome_schema(),
        in_doubt: true,
        arguments: &call.arguments,
    });
    let payload = InDoubtRequestsPayload { input_requests: doubts.collect() };
    Part::data(Json::from_serializable(&payload).unwrap_or_else(|_| Json::string("")))
}

fn outcome_schema() -> Json {
    let schema = json!({
        "type": "object",
        "properties": {
            "outcome": {
                "type": "string",
                "enum": ["run_again", "use_result", "fail"],
                "description": "run_again if it took no effect, use_result if it did, fail if it is unknown",
            },
            "result": { "type": "string", "description": "output of the tool, for use_result" },
        },
        "required": ["outcome"],
    });
    schema.into()
}

/// Whether the answers allow the call to run again.
pub(crate) fn allows_another_run(answers: &ToolAnswers) -> bool {
    read_outcome(answers).is_some_and(|form| form.outcome == InDoubtOutcome::RunAgain)
}

/// Submitted form; none if it was declined.
fn read_outcome(answers: &ToolAnswers) -> Option<OutcomeForm> {
    let answer = answers.answers.iter().find(|answer| answer.key == OUTCOME_KEY)?;
    let content = answer.content.as_ref().filter(|_| answer.action == AnswerAction::Accept)?;
    content.read().ok()
}

/// Result of an in-doubt call according to the answers; none if it runs again.
pub(crate) fn decided_result(call: &ToolCall, answers: &ToolAnswers) -> Result<Option<ToolResult>, MessageRejection> {
    let result = |output, is_error| ToolResult { call: call.id.clone(), name: call.name.clone(), output, is_error };
    match read_outcome(answers) {
        Some(OutcomeForm { outcome: InDoubtOutcome::RunAgain, .. }) => Ok(None),
        Some(OutcomeForm { outcome: InDoubtOutcome::UseResult, result: Some(output) }) => {
            Ok(Some(result(output, false)))
        }
        Some(OutcomeForm { outcome: InDoubtOutcome::UseResult, result: None }) => Err(MessageRejection {
            code: error_codes::ANSWER_INVALID,
            field: "message.parts.input_responses".to_owned(),
            detail: format!("use_result needs the result of call '{}'; add it to content as 'result'", call.id),
        }),
        Some(OutcomeForm { outcome: InDoubtOutcome::Fail, .. }) | None => {
            let text = format!(
                "{}: '{}' was interrupted, and it is unknown whether it took effect. Do not call it again before that is \
                 known.",
                ErrorCode::TOOL_UNSAFE_TO_REPEAT.code,
                call.name
            );
            Ok(Some(result(Json::string(&text), true)))
        }
    }
}
