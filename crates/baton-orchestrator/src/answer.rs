//! What an agent answered, or asks.

use crate::calls::Pending;
use baton_peers::Settled;
use baton_types::{Artifact, Json, Message, Part, PartContent, TaskState, Wanted};
use serde::{Deserialize, Serialize};

/// What came of a request: the answer, the reason why there is none, or questions.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The words: the answer, the question, or the reason.
    pub text: String,
    /// Where the task stands: it ended, or it waits for somebody.
    pub state: TaskState,
    /// The agent's address, as it was asked.
    pub agent: String,
    /// The agent's task; none when it answered without one.
    pub task: Option<String>,
    /// The conversation, to go on with.
    pub context: String,
    /// What somebody has to decide before the task goes on; a question in words only is [`Answer::text`].
    pub questions: Vec<Question>,
    /// What the agent said, whole.
    pub message: Option<Message>,
    /// What it made.
    pub artifacts: Vec<Artifact>,
    pub(crate) pending: Option<Pending>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The task that asks, when it is one further down.
    pub task: Option<String>,
    /// The call that waits; none when the agent itself asks.
    pub call: Option<String>,
    /// Which of its questions.
    pub key: Option<String>,
    /// Whose tool asks.
    pub agent: Option<String>,
    /// Which tool.
    pub tool: Option<String>,
    /// What is asked.
    pub message: String,
    /// What kind of answer is wanted; words, when nothing else is said.
    pub wants: Option<Wanted>,
    /// The arguments of a call that needs leave.
    pub arguments: Option<Json>,
    /// What tells that the arguments are those that were shown.
    pub digest: Option<String>,
}

/// What somebody decided about a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reply {
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

impl Answer {
    pub(crate) fn of(agent: &str, settled: Settled) -> Self {
        let Settled { task, context, outcome } = settled;
        let questions = outcome.message.as_ref().map(questions).unwrap_or_default();
        let said = outcome.message.as_ref().map(Message::text).unwrap_or_default();
        Self {
            text: if said.trim().is_empty() { in_words(&questions) } else { said },
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

    /// Whether the agent did what it was asked.
    pub fn is_completed(&self) -> bool {
        self.state == TaskState::Completed
    }

    /// Whether it is tools that were run here that ask, and not the agent.
    pub fn asks_of_tools(&self) -> bool {
        self.pending.is_some()
    }

    /// Whether somebody has to answer before the task goes on.
    pub fn asks(&self) -> bool {
        self.state.is_interrupted()
    }
}

/// Questions, one a line.
pub(crate) fn in_words(questions: &[Question]) -> String {
    questions.iter().map(|question| question.message.as_str()).collect::<Vec<_>>().join("\n")
}

impl Question {
    /// Yes, this once.
    pub fn allow_once(&self) -> Reply {
        self.reply("accept", None)
    }

    /// Yes, and it need not ask again in this session.
    pub fn allow_session(&self) -> Reply {
        self.reply("accept_for_session", None)
    }

    /// No.
    pub fn deny(&self) -> Reply {
        self.reply("decline", None)
    }

    /// The values that a form wants.
    pub fn fill(&self, values: Json) -> Reply {
        self.reply("accept", Some(values))
    }

    /// The words that are wanted.
    pub fn say(&self, words: &str) -> Reply {
        Reply { action: None, ..self.reply("accept", Some(Json::string(words))) }
    }

    fn reply(&self, action: &'static str, content: Option<Json>) -> Reply {
        Reply {
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
struct RepliesOut {
    input_responses: Vec<Reply>,
}

/// Decisions as a task takes them.
pub(crate) fn replies_part(replies: Vec<Reply>) -> Part {
    Part::data(Json::of(&RepliesOut { input_responses: replies }).unwrap_or_else(|_| Json::string("")))
}

#[derive(Deserialize)]
struct RequestsIn {
    input_requests: Vec<RequestIn>,
}

#[derive(Deserialize)]
struct RequestIn {
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

/// The questions in what an agent says.
fn questions(message: &Message) -> Vec<Question> {
    let parts = message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) if data.is_object() => data.read::<RequestsIn>().ok(),
        _ => None,
    });
    let questions = parts.flat_map(|part| part.input_requests).map(|request| Question {
        task: request.task_id,
        call: request.call_id,
        key: request.key,
        agent: request.agent,
        tool: request.tool,
        message: request.message.unwrap_or_default(),
        wants: match (request.schema, request.url, &request.approval) {
            (Some(schema), ..) => Some(Wanted::Form { schema }),
            (None, Some(url), _) => Some(Wanted::Visit { url }),
            (None, None, Some(_)) => Some(Wanted::Approval),
            (None, None, None) => None,
        },
        arguments: request.approval,
        digest: request.digest,
    });
    questions.collect()
}
