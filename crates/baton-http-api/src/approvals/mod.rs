//! Pending approvals of the caller (tool calls, forms, URLs to visit, plain questions) and their answers.
//!
//! This is a view over tasks that require input. An answer is a message to such a task, as any A2A client could send
//! it.

mod answer;
mod list;
mod show;

use crate::{resources::APPROVALS, state::ApiState};
use baton_api::{ApiError, ApiErrorKind};
use baton_engine::{Approval, ApprovalError, ApprovalKind, ApprovalQuestion, ApprovalRef};
use baton_http::{Caller, RouteAccess, RouteAgentSource, Routes};
use baton_rules::Access;
use baton_types::{FieldViolation, StreamId};
use std::sync::Arc;

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let (read, call) = (RouteAccess::Read(RouteAgentSource::Resource), RouteAccess::Call(RouteAgentSource::Resource));
    let one = "/api/v1/approvals/{task}/{call}";
    routes
        .operation(
            APPROVALS
                .get("/api/v1/approvals", read, "listApprovals", "List pending approvals, newest first")
                .note("Lists only approvals of agents that the token may read.")
                .query::<list::ApprovalListParams>()
                .reply::<baton_api::ApprovalList>(),
            list::list,
        )
        .operation(
            APPROVALS.get(one, read, "getApproval", "Show a pending approval").reply::<baton_api::ApprovalEntry>(),
            show::show,
        )
        .operation(
            APPROVALS
                .post(one, call, "answerApproval", "Answer a pending approval or question")
                .note("Replies as soon as the answer is journaled.")
                .body::<baton_api::AnswerApproval>()
                .reply::<baton_api::AnsweredApproval>(),
            answer::answer,
        )
}

/// The approval, if it is pending and the caller may read its agent.
async fn find_approval(shared: &ApiState, caller: &Caller, target: &ApprovalRef) -> Result<Approval, ApiError> {
    caller.check_access(&shared.http, Access::Read, None)?;
    let found = shared.engine.approval(caller.principal(), target).await;
    let found = found.map_err(|error| approval_error(shared, caller, error))?;
    caller.check_access(&shared.http, Access::Read, Some(&found.task_agent)).map(|()| found)
}

/// Maps an approval error to an API error.
fn approval_error(shared: &ApiState, caller: &Caller, error: ApprovalError) -> ApiError {
    let (code, message) = (error.code(), error.to_string());
    match error {
        ApprovalError::NotFound { task, .. } => {
            caller.audit_not_found(&shared.http, StreamId::Task(task), code);
            ApiError::new(ApiErrorKind::TaskNotFound, code, message)
        }
        ApprovalError::Answered { .. } => ApiError::new(ApiErrorKind::TaskGenerationMismatch, code, message),
        ApprovalError::InvalidAnswer(detail) => {
            let violation = FieldViolation { field: "answer".to_owned(), description: detail };
            ApiError::invalid_params(violation.into()).with_code(code)
        }
        ApprovalError::Engine(error) => crate::engine_error::from_engine(error),
    }
}

fn entry(approval: Approval) -> baton_api::ApprovalEntry {
    let id = format!("{}/{}", approval.task, approval.address());
    let mut questions = approval.questions.into_iter().map(question);
    let baton_api::ApprovalQuestion { key, kind, message, schema, url } = questions.next().unwrap_or_default();
    baton_api::ApprovalEntry {
        id,
        kind,
        task_id: approval.task.to_string(),
        context_id: approval.context.to_string(),
        call_id: approval.call.map(|call| call.to_string()),
        remote_task_id: approval.remote_task,
        key,
        agent: approval.agent.to_string(),
        tool: approval.tool,
        arguments: approval.arguments,
        digest: approval.digest,
        message,
        schema,
        url,
        further_questions: questions.collect(),
        asked_at: Some(approval.asked_at),
        root_task_id: approval.root.to_string(),
        chain: approval.chain.iter().map(ToString::to_string).collect(),
    }
}

fn question(question: ApprovalQuestion) -> baton_api::ApprovalQuestion {
    let ApprovalQuestion { key, message, kind } = question;
    let (kind, schema, url) = match kind {
        ApprovalKind::Approval => (baton_api::ApprovalKind::Approval, None, None),
        ApprovalKind::Form(schema) => (baton_api::ApprovalKind::Form, Some(schema), None),
        ApprovalKind::Visit(url) => (baton_api::ApprovalKind::Visit, None, Some(url)),
        ApprovalKind::Question => (baton_api::ApprovalKind::Question, None, None),
    };
    baton_api::ApprovalQuestion { key, kind, message, schema, url }
}
