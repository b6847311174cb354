//! `POST /api/v1/approvals/{task}/{call}`.

use super::{approval_error, find_approval};
use crate::{error_codes, state::ApiState};
use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use baton_api::{AnsweredApproval, ApiError, ApiErrorKind};
use baton_engine::{AnswerApproval, ApprovalDecision, ApprovalRef, QuestionAnswer};
use baton_http::{Caller, RequestSpan, invalid_path, reply};
use baton_rules::Access;
use baton_types::ErrorCode;
use std::sync::Arc;

/// Answers a pending approval. The response is sent as soon as the answer is journaled and reports the task state at
/// that time.
pub(crate) async fn answer(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let answered = async {
        let Path((task, call)) = path.map_err(|error| invalid_path(&error.body_text()))?;
        let (parts, body) = request.into_parts();
        reply::check_json(&parts.headers)?;
        let received = shared.http.bodies.read(&parts, body).await?;
        let answer: baton_api::AnswerApproval =
            serde_json::from_str(reply::parse_text(&received.bytes)?).map_err(|error| {
                ApiError::new(ApiErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, error.to_string())
            })?;
        let id = format!("{task}/{call}");
        let answer = command(task, call, answer, RequestSpan::from_request(&parts.extensions, &parts.headers).trace())?;
        let approval = find_approval(&shared, &caller, &answer.approval).await?;
        caller.check_access(&shared.http, Access::Call, Some(&approval.task_agent))?;
        let view = shared.engine.answer_approval(caller.principal(), &answer).await;
        let view = view.map_err(|error| approval_error(&shared, &caller, error))?;
        let (task_id, agent) = (view.id.to_string(), view.agent.to_string());
        Ok(AnsweredApproval { id, task_id, agent, state: view.state.as_str().to_owned() })
    };
    match answered.await {
        Ok(answered) => reply::json(&answered),
        Err(error) => reply::error(&error),
    }
}

fn command(
    task: String,
    call: String,
    answer: baton_api::AnswerApproval,
    trace: Option<String>,
) -> Result<AnswerApproval, ApiError> {
    let baton_api::AnswerApproval { decision, digest, key, content, text, remote_task_id, answers } = answer;
    let several = answers.into_iter().map(|answer| QuestionAnswer {
        key: Some(answer.key),
        decision: answer.decision.map(convert_decision),
        content: answer.content,
        text: answer.text,
    });
    let mut answers: Vec<QuestionAnswer> = several.collect();
    let only = QuestionAnswer { key, decision: decision.map(convert_decision), content, text };
    match (only == QuestionAnswer::default(), answers.is_empty()) {
        (false, true) => answers.push(only),
        (true, false) => {}
        (true, true) => return Err(invalid_answer("decision, content or text is required")),
        (false, false) => return Err(invalid_answer("give one answer, or several in answers, but not both")),
    }
    let approval = ApprovalRef { task: task.into(), call, remote_task: remote_task_id };
    Ok(AnswerApproval { approval, digest, answers, trace: trace.map(Into::into) })
}

fn invalid_answer(message: &str) -> ApiError {
    ApiError::new(ApiErrorKind::InvalidParams, error_codes::ANSWER_INVALID, message)
}

fn convert_decision(decision: baton_api::ApprovalDecision) -> ApprovalDecision {
    match decision {
        baton_api::ApprovalDecision::AllowOnce => ApprovalDecision::AllowOnce,
        baton_api::ApprovalDecision::AllowSession => ApprovalDecision::AllowSession,
        baton_api::ApprovalDecision::Deny => ApprovalDecision::Deny,
    }
}
