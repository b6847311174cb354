//! Answers and questions of an agent.

use crate::calls::PendingCalls;
use baton_peers::SettledTask;
use baton_types::{Artifact, Json, Message, Part, PartContent, QuestionKind, TaskState};
use serde::{Deserialize, Serialize};

/// Outcome of a request: the answer, the reason of a failure, or questions.
#[derive(Clone, Debug)]
pub struct AgentAnswer {
    /// Text of the answer, the question, or the reason.
    pub text: String,
    /// State of the task: ended, or waiting for input.
    pub state: TaskState,
    /// Address of the agent, as requested.
    pub agent: String,
    /// The agent's task; `None` if it answered without one.
    pub task: Option<String>,
    /// Conversation id, for follow-up messages.
    pub context: String,
    /// Questions to answer before the task continues; a plain text question is only in [`AgentAnswer::text`].
    pub questions: Vec<AgentQuestion>,
    /// The agent's whole message.
    pub message: Option<Message>,
    /// Artifacts of the task.
    pub artifacts: Vec<Artifact>,
    pub(crate) pending: Option<PendingCalls>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentQuestion {
    /// The task that asks, if it is a subtask.
    pub task: Option<String>,
    /// The waiting call; `None` if the agent itself asks.
    pub call: Option<String>,
    /// Key of the question within the call.
    pub key: Option<String>,
    /// Agent whose tool asks.
    pub agent: Option<String>,
    /// Name of the tool.
    pub tool: Option<String>,
    /// Text of the question.
    pub message: String,
    /// Expected kind of answer; `None` means text.
    pub wants: Option<QuestionKind>,
    /// Arguments of a call that needs approval.
    pub arguments: Option<Json>,
    /// Digest that ties an approval to the arguments shown.
    pub digest: Option<String>,
}

/// Answer to a [`AgentQuestion`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QuestionReply {
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

impl AgentAnswer {
    pub(crate) fn from_settled(agent: &str, settled: SettledTask) -> Self {
        let SettledTask { task, context, outcome } = settled;
        let questions = outcome.message.as_ref().map(questions).unwrap_or_default();
        let message_text = outcome.message.as_ref().map(Message::text).unwrap_or_default();
        Self {
            text: if message_text.trim().is_empty() { question_text(&questions) } else { message_text },
            state: outcome.state,
            agent: agent.to_owned(),
            task,
            context,
            questions,
            message: outcome.message,
            artifacts: outcome.artifacts,
            pending: None,
        }
    }

    /// Whether the task completed.
    pub fn is_completed(&self) -> bool {
        self.state == TaskState::Completed
    }

    /// Whether tools run here ask, and not the agent.
    pub fn has_tool_questions(&self) -> bool {
        self.pending.is_some()
    }

    /// Whether the task waits for an answer.
    pub fn needs_input(&self) -> bool {
        self.state.is_interrupted()
    }
}

/// The question texts, one per line.
pub(crate) fn question_text(questions: &[AgentQuestion]) -> String {
    questions.iter().map(|question| question.message.as_str()).collect::<Vec<_>>().join("\n")
}

impl AgentQuestion {
    /// Approves this call.
    pub fn allow_once(&self) -> QuestionReply {
        self.reply("accept", None)
    }

    /// Approves this tool for the rest of the session.
    pub fn allow_session(&self) -> QuestionReply {
        self.reply("accept_for_session", None)
    }

    /// Declines.
    pub fn deny(&self) -> QuestionReply {
        self.reply("decline", None)
    }

    /// Fills in a form.
    pub fn fill(&self, values: Json) -> QuestionReply {
        self.reply("accept", Some(values))
    }

    /// Answers with text.
    pub fn answer_text(&self, text: &str) -> QuestionReply {
        QuestionReply { action: None, ..self.reply("accept", Some(Json::string(text))) }
    }

    fn reply(&self, action: &'static str, content: Option<Json>) -> QuestionReply {
        QuestionReply {
            task_id: self.task.clone(),
            call_id: self.call.clone(),
            key: self.key.clone(),
            action: Some(action),
            content,
            digest: self.digest.clone(),
        }
    }
}

#[derive(Serialize)]
struct QuestionRepliesPayload {
    input_responses: Vec<QuestionReply>,
}

/// Answers as a message part.
pub(crate) fn replies_part(replies: Vec<QuestionReply>) -> Part {
    Part::data(
        Json::from_serializable(&QuestionRepliesPayload { input_responses: replies })
            .unwrap_or_else(|_| Json::string("")),
    )
}

#[derive(Deserialize)]
struct InputQuestionsPart {
    input_requests: Vec<InputQuestionEntry>,
}

#[derive(Deserialize)]
struct InputQuestionEntry {
    task_id: Option<String>,
    call_id: Option<String>,
    key: Option<String>,
    agent: Option<String>,
    tool: Option<String>,
    message: Option<String>,
    schema: Option<Json>,
    url: Option<String>,
    approval: Option<Json>,
    digest: Option<String>,
}

/// Questions in a message of an agent.
fn questions(message: &Message) -> Vec<AgentQuestion> {
    let parts = message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) if data.is_object() => data.read::<InputQuestionsPart>().ok(),
        _ => None,
    });
    let questions = parts.flat_map(|part| part.input_requests).map(|request| AgentQuestion {
        task: request.task_id,
        call: request.call_id,
        key: request.key,
        agent: request.agent,
        tool: request.tool,
        message: request.message.unwrap_or_default(),
        wants: match (request.schema, request.url, &request.approval) {
            (Some(schema), ..) => Some(QuestionKind::Form { schema }),
            (None, Some(url), _) => Some(QuestionKind::Visit { url }),
            (None, None, Some(_)) => Some(QuestionKind::Approval),
            (None, None, None) => None,
        },
        arguments: request.approval,
        digest: request.digest,
    });
    questions.collect()
}
