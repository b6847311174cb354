//! Questions of a server during a call: some are answered by the host, the others by people.

use crate::servers::{TASK_META, clean};
use baton_ports::{SamplingRequest, SamplingResult, ToolHelper};
use baton_types::{AnswerAction, Json, QuestionKind, Role, ToolAnswers, ToolQuestion};
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, InputRequest, InputRequests, InputResponses,
    ListRootsResult, SamplingMessage, SamplingMessageContentBlock,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// State to resume a call; handed out as the opaque state of its questions.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct QuestionState {
    /// Request state of the server.
    pub(super) state: Option<String>,
    /// Answers of the host, as JSON text by key.
    answered: Vec<(String, String)>,
    /// Completed rounds.
    pub(super) rounds: u32,
}

/// Maximum questions in one round.
const MAX_QUESTIONS: usize = 16;
/// Maximum size of a form, in bytes of JSON.
const MAX_FORM: usize = 64 << 10;
/// Maximum length of a page address and of a question key.
const MAX_ADDRESS: usize = 4 << 10;
const MAX_KEY: usize = 256;
/// Member of `_meta` with the conversation of the agent that answered; the task is in [`TASK_META`].
const CONTEXT_META: &str = "dev.baton/contextId";

/// Outcome of a round of questions.
pub(super) enum QuestionRound {
    /// The host answered all questions.
    Answered(InputResponses),
    /// Some questions need people.
    InputRequired(Vec<ToolQuestion>, QuestionState),
    /// The round exceeds the limits.
    LimitExceeded,
}

/// Answers the questions for the host and collects those for people.
pub(super) async fn run_round(
    requests: InputRequests,
    state: Option<String>,
    rounds: u32,
    helper: &dyn ToolHelper,
) -> QuestionRound {
    if requests.len() > MAX_QUESTIONS || requests.keys().any(|key| key.len() > MAX_KEY) {
        return QuestionRound::LimitExceeded;
    }
    let (mut responses, mut questions) = (InputResponses::new(), Vec::new());
    for (key, request) in requests {
        match request {
            InputRequest::CreateMessage(request) => {
                responses.insert(key, sample(request.params, helper).await);
            }
            InputRequest::Elicitation(request) => match question(key.clone(), request.params) {
                Some(question) => questions.push(question),
                None => {
                    responses.insert(key, json!({"action": "decline"}));
                }
            },
            _ => {
                responses.insert(key, serde_json::to_value(ListRootsResult::default()).unwrap_or_default());
            }
        }
    }
    if questions.is_empty() {
        return QuestionRound::Answered(responses);
    }
    let answered = responses.into_iter().map(|(key, value)| (key, value.to_string())).collect();
    QuestionRound::InputRequired(questions, QuestionState { state, answered, rounds })
}

/// `None` for a question that must not be shown.
fn question(key: String, params: ElicitRequestParams) -> Option<ToolQuestion> {
    match params {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema =
                Json::from_serializable(&requested_schema).ok().filter(|schema| schema.as_str().len() <= MAX_FORM)?;
            Some(ToolQuestion { key, message: clean(&message), wants: QuestionKind::Form { schema } })
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            let is_plain = url.len() <= MAX_ADDRESS && url.bytes().all(|byte| byte.is_ascii_graphic());
            let is_web = is_plain && (url.starts_with("https://") || url.starts_with("http://"));
            is_web.then(|| ToolQuestion { key, message: clean(&message), wants: QuestionKind::Visit { url } })
        }
        _ => None,
    }
}

/// A failure is returned as an answer, so that the call can end with an explanation.
async fn sample(params: CreateMessageRequestParams, helper: &dyn ToolHelper) -> Value {
    let named = |name: &str| params.metadata.as_ref().and_then(|metadata| metadata.get(name));
    let text_of = |name: &str| named(name).and_then(Value::as_str).map(str::to_owned);
    let agent_uri = text_of("agent_uri");
    let failed_by = if agent_uri.is_some() { "a2a-agent" } else { "none" };
    let ask = SamplingRequest {
        system: params.system_prompt,
        messages: params.messages.iter().map(message_text).collect(),
        max_tokens: Some(params.max_tokens),
        agent_uri,
        context: text_of("context_id"),
        // A tool may report a greater depth than the known one, never a smaller one.
        depth: named("depth").and_then(Value::as_u64).map_or(0, bounded).max(helper.depth()),
        handoff: text_of("handoff_id"),
    };
    let (sampled, stop) = match helper.sample(ask).await {
        Ok(sampled) => (sampled, CreateMessageResult::STOP_REASON_END_TURN),
        Err(text) => (SamplingResult { text, model: failed_by.to_owned(), ..SamplingResult::default() }, "error"),
    };
    let SamplingResult { text, model, task, context } = sampled;
    let result = CreateMessageResult::new(SamplingMessage::assistant_text(text), model).with_stop_reason(stop);
    let mut result = serde_json::to_value(result).unwrap_or_default();
    for (name, id) in [(TASK_META, task), (CONTEXT_META, context)] {
        if let Some(id) = id {
            result["_meta"][name] = id.into();
        }
    }
    result
}

fn bounded(depth: u64) -> u32 {
    u32::try_from(depth).unwrap_or(u32::MAX)
}

fn message_text(message: &SamplingMessage) -> (Role, String) {
    let role = match message.role {
        rmcp::model::Role::Assistant => Role::Agent,
        _ => Role::User,
    };
    let blocks = message.content.iter().map(|block| match block {
        SamplingMessageContentBlock::Text(text) => text.text.clone(),
        SamplingMessageContentBlock::Image(image) => format!("[{} left out]", image.mime_type),
        SamplingMessageContentBlock::Audio(audio) => format!("[{} left out]", audio.mime_type),
        _ => "[content left out]".to_owned(),
    });
    (role, blocks.collect::<Vec<_>>().join("\n"))
}

impl QuestionState {
    /// Serializes to the opaque state of the questions.
    pub(super) fn serialize_state(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// Parses the state that came with the answers.
    pub(super) fn parse_state(answers: &ToolAnswers) -> Option<Self> {
        serde_json::from_str(answers.state.as_deref()?).ok()
    }

    /// All answers of the round, by the host and by people.
    pub(super) fn responses(&self, answers: &ToolAnswers) -> InputResponses {
        let from_host =
            self.answered.iter().map(|(key, text)| (key.clone(), serde_json::from_str(text).unwrap_or_default()));
        let from_people = answers.answers.iter().map(|answer| {
            let action = match answer.action {
                AnswerAction::Accept | AnswerAction::AcceptForSession => "accept",
                AnswerAction::Decline => "decline",
                AnswerAction::Cancel => "cancel",
            };
            let mut response = json!({"action": action});
            if let Some(content) = answer.content.as_ref().filter(|_| answer.action.is_accepted()) {
                response["content"] = content.to_value();
            }
            (answer.key.clone(), response)
        });
        from_host.chain(from_people).collect()
    }
}
