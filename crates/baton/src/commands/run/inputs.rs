//! What tools ask in the middle of a run.

use crate::{
    form::{Form, Question, Wants},
    screen::Screen,
    steps::InputRequest,
};
use baton_types::{AnswerAction, Json, Part};
use serde::Serialize;

#[derive(Serialize)]
struct Responses<'a> {
    input_responses: Vec<Response<'a>>,
}

#[derive(Serialize)]
struct Response<'a> {
    call_id: &'a str,
    key: &'a str,
    action: AnswerAction,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Json>,
}

impl From<&InputRequest> for Question {
    fn from(request: &InputRequest) -> Self {
        let wants = match (&request.schema, &request.url) {
            (Some(schema), _) => Wants::Form(Form::of(schema)),
            (None, Some(url)) => Wants::Visit(url.clone()),
            (None, None) => Wants::Approval(request.approval.clone()),
        };
        Self { message: request.message.clone(), wants }
    }
}

/// Asks at the terminal; nothing when it is closed.
pub(super) async fn answer(requests: &[InputRequest], screen: Screen) -> Option<Part> {
    let mut responses = Vec::with_capacity(requests.len());
    for request in requests {
        let reply = Question::from(request).ask(&[], screen).await.ok()?;
        if reply.action == AnswerAction::Cancel {
            return None;
        }
        let InputRequest { call_id, key, .. } = request;
        responses.push(Response { call_id, key, action: reply.action, content: reply.content });
    }
    Json::of(&Responses { input_responses: responses }).ok().map(Part::data)
}

/// The questions, for somebody who is not there now.
pub(super) fn lines(requests: &[InputRequest]) -> Vec<String> {
    requests.iter().flat_map(|request| Question::from(request).lines()).collect()
}

/// How they are answered from here.
pub(super) fn how(requests: &[InputRequest], agent: &str, task: &str) -> String {
    match requests {
        [InputRequest { schema: Some(_), .. }] => {
            format!("answer with: baton run {agent} '{{\"name\": \"value\"}}' --task {task}")
        }
        [_] => format!("answer with: baton run {agent} yes --task {task}   (or no)"),
        _ => "answer on a terminal; an A2A client sends an input_responses data part".to_owned(),
    }
}
