//! Questions to the client during a request, in the form of its protocol era.
//!
//! A client of protocol 2026-07-28 or later gets them as a result and repeats the request with the answers; an older
//! one gets requests while its own is open. The tools do not depend on the era.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientCapabilities, ElicitResult, InputRequest, InputRequests, InputRequiredResult, InputResponses,
        ProtocolVersion, ServerRequest,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Outcome of asking the client.
pub(crate) enum InputOutcome {
    /// Every question has an answer of the right kind.
    Answered(Answers),
    /// The client has to repeat the request with answers.
    InputRequired(InputRequiredResult),
}

/// Answers by the keys of their questions.
pub(crate) struct Answers(BTreeMap<String, Value>);

impl Answers {
    /// One member of an answer, as text.
    pub(crate) fn part(&self, key: &str, pointer: &str) -> String {
        match self.0.get(key).and_then(|answer| answer.pointer(pointer)) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        }
    }

    /// Text of a sampling answer.
    pub(crate) fn sampled_text(&self, key: &str) -> String {
        let one = self.part(key, "/content/text");
        if one.is_empty() { self.part(key, "/content/0/text") } else { one }
    }

    /// Action and content of an elicitation answer.
    pub(crate) fn elicitation_text(&self, key: &str) -> String {
        format!("action={}, content={}", self.part(key, "/action"), self.part(key, "/content"))
    }

    /// Number of roots of the client.
    pub(crate) fn roots(&self, key: &str) -> usize {
        self.0.get(key).and_then(|answer| answer["roots"].as_array()).map_or(0, Vec::len)
    }
}

/// An elicitation question: a form with this JSON Schema.
pub(crate) fn form(message: &str, schema: &Value) -> Value {
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } })
}

/// A form of one required text field.
pub(crate) fn text_form(message: &str, field: &str) -> Value {
    form(message, &json!({ "type": "object", "properties": { field: { "type": "string" } }, "required": [field] }))
}

/// A sampling question for the client's model.
pub(crate) fn sample(prompt: &str, max_tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": max_tokens } })
}

/// A question for the client's roots.
pub(crate) fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// Whether the request uses the protocol without sessions.
pub(crate) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Asks the client, unless the request already has the answers.
pub(crate) async fn ask<const COUNT: usize>(
    context: &RequestContext<RoleServer>,
    brought: Option<&InputResponses>,
    questions: [(&str, Value); COUNT],
    state: Option<String>,
) -> Result<InputOutcome, ErrorData> {
    let questions = requests(questions)?;
    let missing = missing_capabilities(context, &questions);
    if missing != ClientCapabilities::default() {
        return Err(ErrorData::missing_required_client_capability(missing));
    }
    if !is_modern(context) {
        return ask_inline(context, questions).await.map(InputOutcome::Answered);
    }
    let answers: BTreeMap<String, Value> = questions
        .iter()
        .filter_map(|(key, question)| Some((key, question, brought?.get(key)?)))
        .filter(|(_, question, answer)| matches_kind(question, answer))
        .map(|(key, _, answer)| (key.clone(), answer.clone()))
        .collect();
    if answers.len() == questions.len() {
        return Ok(InputOutcome::Answered(Answers(answers)));
    }
    Ok(InputOutcome::InputRequired(InputRequiredResult::new(Some(questions), state)))
}

fn requests<const COUNT: usize>(questions: [(&str, Value); COUNT]) -> Result<InputRequests, ErrorData> {
    let request = |(key, question): (&str, Value)| Ok((key.to_owned(), serde_json::from_value(question)?));
    let requests: Result<InputRequests, serde_json::Error> = questions.into_iter().map(request).collect();
    requests.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Capabilities that the questions need and the client did not declare.
fn missing_capabilities(context: &RequestContext<RoleServer>, questions: &InputRequests) -> ClientCapabilities {
    let declared = context.client_capabilities().unwrap_or_default();
    let mut missing = ClientCapabilities::default();
    for question in questions.values() {
        match question {
            InputRequest::CreateMessage(_) if declared.sampling.is_none() => {
                missing.sampling = Some(Default::default());
            }
            InputRequest::Elicitation(_) if declared.elicitation.is_none() => {
                missing.elicitation = Some(Default::default());
            }
            InputRequest::ListRoots(_) if declared.roots.is_none() => missing.roots = Some(Default::default()),
            _ => {}
        }
    }
    missing
}

/// Whether an answer is of the kind of its question.
fn matches_kind(question: &InputRequest, answer: &Value) -> bool {
    match question {
        InputRequest::CreateMessage(_) => answer.get("content").is_some(),
        InputRequest::Elicitation(_) => serde_json::from_value::<ElicitResult>(answer.clone()).is_ok(),
        InputRequest::ListRoots(_) => answer["roots"].is_array(),
        _ => false,
    }
}

/// Sends the questions one by one while the client's request is open.
async fn ask_inline(context: &RequestContext<RoleServer>, questions: InputRequests) -> Result<Answers, ErrorData> {
    let mut answers = BTreeMap::new();
    for (key, question) in questions {
        let request = match question {
            InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
            InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
            InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
            _ => return Err(ErrorData::internal_error("a question of an unknown kind", None)),
        };
        let answer = context.peer.send_request(request).await;
        let answer = answer.map_err(|error| ErrorData::internal_error(format!("{key}: {error}"), None))?;
        let answer = serde_json::to_value(answer);
        answers.insert(key, answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?);
    }
    Ok(Answers(answers))
}
