//! Input requests during a run.

use crate::{
    form::{AnswerKind, ApprovalDetails, InputForm, InputQuestion, InputReply},
    screen::Screen,
    steps::InputRequest,
};
use baton_api::{ApprovalEntry, ApprovalKind};
use baton_types::{AnswerAction, Json, Part};
use serde::Serialize;

#[derive(Serialize)]
struct InputResponses<'a> {
    input_responses: Vec<InputResponse<'a>>,
}

#[derive(Serialize)]
struct InputResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<AnswerAction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Json>,
}

impl InputRequest {
    fn question(&self, spoken_to: &str) -> InputQuestion {
        let wants = match (&self.schema, &self.url, &self.approval) {
            (Some(schema), ..) => AnswerKind::Form(InputForm::from_schema(schema)),
            (None, Some(url), _) => AnswerKind::Visit(url.clone()),
            (None, None, Some(arguments)) => AnswerKind::Approval(ApprovalDetails {
                arguments: Some(arguments.clone()),
                asker: self.agent.clone().filter(|agent| self.task_id.is_some() && agent != spoken_to),
                for_session: true,
            }),
            (None, None, None) => AnswerKind::Text,
        };
        InputQuestion { message: self.message.clone(), answer_kind: wants }
    }

    fn response(&self, reply: InputReply) -> InputResponse<'_> {
        let (decision, digest) = match &self.approval {
            Some(_) => (Some(decision_name(reply.action)), self.digest.as_deref()),
            None => (None, None),
        };
        let is_text = self.call_id.is_none() && self.key.is_none();
        InputResponse {
            task_id: self.task_id.as_deref(),
            call_id: self.call_id.as_deref(),
            key: self.key.as_deref(),
            action: (decision.is_none() && !is_text).then_some(reply.action),
            decision,
            digest,
            content: reply.content,
        }
    }
}

/// Wire value of a decision about a call.
fn decision_name(action: AnswerAction) -> &'static str {
    match action {
        AnswerAction::Accept => "allow_once",
        AnswerAction::AcceptForSession => "allow_session",
        AnswerAction::Decline | AnswerAction::Cancel => "deny",
    }
}

/// Prompts for all answers on the terminal, one by one; `None` if it is closed.
pub(super) async fn prompt_answers(requests: &[InputRequest], spoken_to: &str, screen: Screen) -> Option<Part> {
    let mut responses = Vec::with_capacity(requests.len());
    for (index, request) in requests.iter().enumerate() {
        if requests.len() > 1 {
            screen.print_stderr(&format!("{} of {}:", index + 1, requests.len()));
        }
        let reply = request.question(spoken_to).ask(&[], screen).await.ok()?;
        if reply.action == AnswerAction::Cancel {
            return None;
        }
        responses.push(request.response(reply));
    }
    Json::from_serializable(&InputResponses { input_responses: responses }).ok().map(Part::data)
}

/// Text of the questions, for later answers.
pub(super) fn lines(requests: &[InputRequest], spoken_to: &str) -> Vec<String> {
    requests.iter().flat_map(|request| request.question(spoken_to).lines()).collect()
}

/// Command that answers them if they are not stored here.
pub(super) fn answer_hint(requests: &[InputRequest], agent: &str, task: &str) -> String {
    match requests {
        [InputRequest { schema: Some(_), .. }] => {
            format!("answer with: baton run {agent} '{{\"name\": \"value\"}}' --task {task}")
        }
        [InputRequest { approval: Some(_), .. }] => {
            format!("answer with: baton run {agent} yes --task {task}   (or always, no)")
        }
        [InputRequest { url: Some(_), .. }] => format!("answer with: baton run {agent} yes --task {task}   (or no)"),
        [_] => format!("answer with: baton run {agent} \"...\" --task {task}"),
        _ => "answer on a terminal; an A2A client sends an input_responses data part".to_owned(),
    }
}

/// Commands that answer the pending approvals.
pub(crate) fn answer_commands(approvals: &[ApprovalEntry]) -> Vec<String> {
    let command = |approval: &ApprovalEntry| {
        let id = crate::screen::one_line(&approval.id, 500);
        let with = match approval.kind {
            _ if !approval.further_questions.is_empty() => "   on a terminal",
            ApprovalKind::Approval => "allow   (or always, deny)",
            ApprovalKind::Visit => "allow   (or deny)",
            ApprovalKind::Form => "--content '{\"name\": \"value\"}'   (or deny)",
            ApprovalKind::Question => "--text \"...\"",
        };
        format!("baton approvals answer {id} {with}")
    };
    approvals.iter().map(command).collect()
}
