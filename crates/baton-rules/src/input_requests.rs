//! Input requests of tools and responses of callers, as data parts.

use crate::{
    CallStage, MessageRejection, SchemaValidator, TaskRecord, error_codes, in_doubt_request, is_in_doubt,
    question_forwarding::is_forwarded,
};
use baton_types::{
    AgentName, AnswerAction, CallId, Digest, Json, Message, Part, PartContent, QuestionKind, TaskState, ToolAnswer,
    ToolAnswers, ToolCall, ToolInputRequest, ToolQuestion, ToolResult,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

#[derive(Serialize)]
struct InputRequestsPayload<'a> {
    input_requests: Vec<InputRequestPayload<'a>>,
}

#[derive(Serialize)]
struct InputRequestPayload<'a> {
    call_id: &'a CallId,
    key: &'a str,
    agent: &'a AgentName,
    tool: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<Digest>,
}

#[derive(Serialize)]
struct InputResponsesPayload<'a> {
    input_responses: Vec<InputResponsePayload<'a>>,
}

#[derive(Serialize)]
struct InputResponsePayload<'a> {
    call_id: &'a CallId,
    key: &'a str,
    action: AnswerAction,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a Json>,
}

#[derive(Deserialize)]
struct InputResponsePart {
    #[serde(default)]
    input_responses: Option<Vec<InputResponseEntry>>,
}

#[derive(Deserialize)]
struct InputResponseEntry {
    call_id: Option<CallId>,
    key: Option<String>,
    action: Option<AnswerAction>,
    decision: Option<InputDecision>,
    content: Option<Json>,
    /// Digest of the arguments that were displayed for the decision.
    digest: Option<String>,
}

/// Decision values for approvals.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum InputDecision {
    #[serde(alias = "allow", alias = "allow-once")]
    AllowOnce,
    #[serde(alias = "allow-session")]
    AllowSession,
    Deny,
}

impl InputResponseEntry {
    /// Resolves the action. Form content implies acceptance; an approval must be explicit.
    fn action(&self, kind: &QuestionKind) -> Result<AnswerAction, String> {
        let decision_action = self.decision.map(|decision| match decision {
            InputDecision::AllowOnce => AnswerAction::Accept,
            InputDecision::AllowSession => AnswerAction::AcceptForSession,
            InputDecision::Deny => AnswerAction::Decline,
        });
        match (self.action, decision_action) {
            (Some(action), Some(decision_action)) if action.is_accepted() != decision_action.is_accepted() => {
                Err("action and decision contradict each other; send only one of them".to_owned())
            }
            (Some(action), _) => Ok(action),
            (None, Some(decision_action)) => Ok(decision_action),
            (None, None) if *kind == QuestionKind::Approval => {
                Err("decision must be allow_once, allow_session or deny".to_owned())
            }
            (None, None) => Ok(AnswerAction::Accept),
        }
    }
}

/// Data part with the input requests of tools; an approval includes the arguments of its call.
pub fn input_requests_part<'a>(
    agent: &'a AgentName,
    pending_requests: impl IntoIterator<Item = &'a (ToolCall, ToolInputRequest)>,
) -> Part {
    let requests = |(call, request): &'a (ToolCall, ToolInputRequest)| {
        request.questions.iter().map(|question| {
            let (schema, url, approval) = match &question.wants {
                QuestionKind::Form { schema } => (Some(schema), None, None),
                QuestionKind::Visit { url } => (None, Some(url.as_str()), None),
                QuestionKind::Approval => (None, None, Some(&call.arguments)),
            };
            let (key, message) = (question.key.as_str(), question.message.as_str());
            let digest = approval.map(|arguments| Digest::compute(arguments.as_str().as_bytes()));
            InputRequestPayload {
                call_id: &call.id,
                key,
                agent,
                tool: &call.name,
                message,
                schema,
                url,
                approval,
                digest,
            }
        })
    };
    let input_requests = pending_requests.into_iter().flat_map(requests).collect();
    Part::data(Json::from_serializable(&InputRequestsPayload { input_requests }).unwrap_or_else(|_| Json::string("")))
}

/// Whether the message answers input requests of tools; it is then not sent to the model.
pub fn is_tool_answer(message: &Message) -> bool {
    message.parts.iter().any(|part| match &part.content {
        PartContent::Data(data) if data.is_object() => {
            is_forwarded(data) || data.read::<InputResponsePart>().is_ok_and(|part| part.input_responses.is_some())
        }
        _ => false,
    })
}

/// Data part with the responses in a message.
pub(crate) fn input_responses_part(call_answers: &[(CallId, ToolAnswers)]) -> Part {
    let responses = call_answers.iter().flat_map(|(call_id, answers)| {
        answers.answers.iter().map(move |ToolAnswer { key, action, content }| InputResponsePayload {
            call_id,
            key,
            action: *action,
            content: content.as_ref(),
        })
    });
    let payload = InputResponsesPayload { input_responses: responses.collect() };
    Part::data(Json::from_serializable(&payload).unwrap_or_else(|_| Json::string("")))
}

/// Answers of a message to the tools of a task.
pub(crate) enum ParsedAnswers {
    /// Given as data parts.
    FromParts(Vec<(CallId, ToolAnswers)>),
    /// Given as text, parsed as the answer to the only open question.
    FromText(Vec<(CallId, ToolAnswers)>),
}

/// Parses the answers in a message. Calls with a result in `results` have no open question.
pub(crate) fn parse_answers(
    task: &TaskRecord,
    message: &Message,
    results: &[ToolResult],
    text_used: bool,
) -> Result<ParsedAnswers, MessageRejection> {
    let has_result = |call: &ToolCall| results.iter().any(|result| result.call == call.id);
    let pending_requests: Vec<(&ToolCall, Cow<'_, ToolInputRequest>)> = task
        .open_calls()
        .filter_map(|state| match &state.stage {
            CallStage::Asked(request) => Some((&state.call, Cow::Borrowed(request))),
            _ if is_in_doubt(task, state) && !has_result(&state.call) => {
                Some((&state.call, Cow::Owned(in_doubt_request(&state.call))))
            }
            _ => None,
        })
        .collect();
    let open: Vec<(&ToolCall, &ToolInputRequest)> =
        pending_requests.iter().map(|(call, request)| (*call, request.as_ref())).collect();
    let mut received: Vec<(CallId, Vec<ToolAnswer>)> = Vec::new();
    let mut count = 0;
    for part in &message.parts {
        let PartContent::Data(data) = &part.content else { continue };
        if !data.as_str().contains("\"input_responses\"") {
            continue;
        }
        let part: InputResponsePart =
            data.read().map_err(|error| invalid_answer("input_responses", error.to_string()))?;
        for response in part.input_responses.unwrap_or_default() {
            let field = format!("input_responses[{count}]");
            let (call, answer) = match_response(&open, response).map_err(|detail| invalid_answer(&field, detail))?;
            match received.iter_mut().find(|(id, _)| *id == call) {
                Some((_, answers)) if answers.iter().any(|other| other.key == answer.key) => {
                    return Err(invalid_answer(&field, format!("the question '{}' has two answers here", answer.key)));
                }
                Some((_, answers)) => answers.push(answer),
                None => received.push((call, vec![answer])),
            }
            count += 1;
        }
    }
    if received.is_empty() {
        let text = message.text();
        let accepts_text = task.state == TaskState::InputRequired && !text_used && !text.trim().is_empty();
        return match (accepts_text, open.as_slice()) {
            (true, [(call, request)]) if request.questions.len() == 1 => {
                let answer = request.questions.iter().map(|question| parse_text_answer(question, text.trim()));
                let answers = answer.collect::<Result<_, _>>().map_err(|detail| invalid_answer("text", detail))?;
                Ok(ParsedAnswers::FromText(vec![(
                    call.id.clone(),
                    ToolAnswers { answers, state: request.state.clone() },
                )]))
            }
            _ => Ok(ParsedAnswers::FromParts(Vec::new())),
        };
    }
    let complete = |(call, answers): (CallId, Vec<ToolAnswer>)| {
        let request = open.iter().find(|(open, _)| open.id == call).map(|(_, request)| *request);
        let request =
            request.ok_or_else(|| invalid_answer("input_responses", format!("call '{call}' has no open question")))?;
        let missing = request.questions.iter().find(|question| answers.iter().all(|answer| answer.key != question.key));
        if let Some(question) = missing {
            let detail = format!("call '{call}' also asks '{}'; answer all its questions together", question.key);
            return Err(invalid_answer("input_responses", detail));
        }
        Ok((call, ToolAnswers { answers, state: request.state.clone() }))
    };
    received.into_iter().map(complete).collect::<Result<_, _>>().map(ParsedAnswers::FromParts)
}

fn invalid_answer(field: &str, detail: String) -> MessageRejection {
    MessageRejection { code: error_codes::ANSWER_INVALID, field: format!("message.parts.{field}"), detail }
}

/// Finds the question of a response; ids are optional if there is only one choice.
fn match_response(
    open: &[(&ToolCall, &ToolInputRequest)],
    response: InputResponseEntry,
) -> Result<(CallId, ToolAnswer), String> {
    let ids = || open.iter().map(|(call, _)| call.id.as_str()).collect::<Vec<_>>().join(", ");
    let (call, request) = match (&response.call_id, open) {
        (Some(id), _) => open.iter().find(|(open, _)| open.id == *id),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
    .ok_or_else(|| {
        if open.is_empty() {
            "no tool waits for an answer".to_owned()
        } else {
            format!("call_id must be one of: {}", ids())
        }
    })?;
    let keys = || request.questions.iter().map(|question| question.key.as_str()).collect::<Vec<_>>().join(", ");
    let question = match (&response.key, request.questions.as_slice()) {
        (Some(key), all) => all.iter().find(|question| question.key == *key),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
    .ok_or_else(|| format!("key must be one of: {}", keys()))?;
    if let Some(digest) = &response.digest
        && *digest != Digest::compute(call.arguments.as_str().as_bytes()).to_string()
    {
        return Err(format!(
            "the arguments of call '{}' have changed since they were shown; review them again",
            call.id
        ));
    }
    let action = response.action(&question.wants)?;
    let content = match (&question.wants, action) {
        (QuestionKind::Form { schema }, AnswerAction::Accept) => {
            let content = response.content.unwrap_or_else(|| Value::Object(Map::new()).into());
            Some(complete_form(schema, &content)?)
        }
        _ => None,
    };
    Ok((call.id.clone(), ToolAnswer { key: question.key.clone(), action, content }))
}

/// Parses text as the answer to a question.
fn parse_text_answer(question: &ToolQuestion, text: &str) -> Result<ToolAnswer, String> {
    let answer = |action, content| Ok(ToolAnswer { key: question.key.clone(), action, content });
    let schema = match &question.wants {
        QuestionKind::Form { schema } => schema,
        QuestionKind::Visit { .. } | QuestionKind::Approval => {
            return match text.to_lowercase().as_str() {
                "yes" | "y" | "ok" | "done" | "allow" | "allow once" | "approve" | "accept" => {
                    answer(AnswerAction::Accept, None)
                }
                "always" | "session" | "allow for session" => answer(AnswerAction::AcceptForSession, None),
                "no" | "n" | "deny" | "decline" | "reject" => answer(AnswerAction::Decline, None),
                _ => Err(format!("answer yes or no: {}", question.message)),
            };
        }
    };
    if let Some(object) = Json::parse(text).ok().filter(Json::is_object) {
        return answer(AnswerAction::Accept, Some(complete_form(schema, &object)?));
    }
    let form: Value = schema.read().unwrap_or_default();
    let all: Vec<(&String, &Value)> = form["properties"].as_object().into_iter().flatten().collect();
    let is_required = |name: &String| form["required"].as_array().into_iter().flatten().any(|it| it == name.as_str());
    let required: Vec<(&String, &Value)> = all.iter().copied().filter(|(name, _)| is_required(name)).collect();
    // Text fills the only field, or the only required one.
    let fields = if all.len() > 1 && required.len() == 1 { required } else { all };
    let [(name, field)] = fields.as_slice() else {
        let names = fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(format!("answer with a JSON object of: {names}"));
    };
    let value = match field["type"].as_str() {
        Some("integer" | "number" | "boolean") => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        Some("array") => Value::Array(text.split(',').map(|item| item.trim().into()).collect()),
        _ => text.into(),
    };
    let content: Json = Value::Object(Map::from_iter([((*name).clone(), value)])).into();
    answer(AnswerAction::Accept, Some(complete_form(schema, &content)?))
}

/// Validates form content and adds defaults. Content is not validated if the schema of the form cannot be used: the tool
/// checks it too.
pub fn complete_form(schema: &Json, content: &Json) -> Result<Json, String> {
    let form: Value = schema.read().unwrap_or_default();
    let mut content: Map<String, Value> = content.read().map_err(|_| "content must be an object".to_owned())?;
    for (name, field) in form["properties"].as_object().into_iter().flatten() {
        if let Some(default) = field.get("default")
            && !content.contains_key(name)
        {
            content.insert(name.clone(), default.clone());
        }
    }
    let content = Value::Object(content);
    if let Ok(form) = SchemaValidator::compile_value(form) {
        form.check(&content)?;
    }
    Ok(content.into())
}
