//! What a task waits for from a person.

use baton_rules::{ASK_USER_TOOL, CallStage, Task, doubt_ask, is_in_doubt};
use baton_types::{
    AgentName, CallId, ContextId, Digest, Json, Message, PartContent, TaskId, TaskState, Timestamp, ToolAsk, ToolCall,
    ToolQuestion, Wanted,
};
use serde::{Deserialize, de::IgnoredAny};

/// Stands for the call in the address of a question that belongs to none.
const NO_CALL: &str = "-";

/// Most questions that are read from what an agent elsewhere says.
const MOST: usize = 256;

/// One call that waits for a person, or an agent that asks in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The task whose call it is, here.
    pub task: TaskId,
    /// Its conversation.
    pub context: ContextId,
    /// Who works on that task, here.
    pub task_agent: AgentName,
    /// The call that waits; none when the agent just asks.
    pub call: Option<CallId>,
    /// The task elsewhere that the call belongs to, when an agent elsewhere passed the question on.
    pub remote_task: Option<String>,
    /// Who asks.
    pub agent: AgentName,
    /// Which tool waits.
    pub tool: Option<String>,
    /// What it is called with.
    pub arguments: Option<Json>,
    /// Of the arguments; an answer that carries another one is refused.
    pub digest: Option<String>,
    /// What is asked, never empty; all of it is answered together.
    pub questions: Vec<ApprovalQuestion>,
    /// Since when the task waits.
    pub asked_at: Timestamp,
    /// The first task of the chain that waits for this one; the task itself when nobody does.
    pub root: TaskId,
    /// The agents that wait for the one that asks, from the first of the chain.
    pub chain: Vec<AgentName>,
}

/// One question of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalQuestion {
    /// Names it within the call.
    pub key: Option<String>,
    /// What is asked, for people.
    pub message: String,
    /// What kind of answer is wanted.
    pub kind: ApprovalKind,
}

/// What kind of answer a question wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalKind {
    /// Leave to run the call.
    Approval,
    /// Values that fit this JSON Schema.
    Form(Json),
    /// That somebody visits this address.
    Visit(String),
    /// Words.
    Question,
}

/// Which one is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRef {
    /// The task.
    pub task: TaskId,
    /// The call, or [`Approval::address`].
    pub call: String,
    /// The task elsewhere, when several there have a call of that id.
    pub remote_task: Option<String>,
}

impl Approval {
    /// Names it within its task: the call's id, with the task elsewhere behind an `@` when it belongs to one.
    pub fn address(&self) -> String {
        address(self.call.as_ref().map(CallId::as_str), self.remote_task.as_deref())
    }

    /// About how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        let question = |question: &ApprovalQuestion| match &question.kind {
            ApprovalKind::Form(schema) => question.message.len() + schema.as_str().len(),
            _ => question.message.len(),
        };
        self.arguments.as_ref().map_or(0, |arguments| arguments.as_str().len())
            + self.questions.iter().map(question).sum::<usize>()
    }

    fn of(task: &Task) -> Self {
        let chain = task.parent.as_ref().map(|parent| parent.chain.clone()).unwrap_or_default();
        Self {
            task: task.id.clone(),
            context: task.context.clone(),
            task_agent: task.agent.clone(),
            call: None,
            remote_task: None,
            agent: task.agent.clone(),
            tool: None,
            arguments: None,
            digest: None,
            questions: Vec::new(),
            asked_at: task.status_at,
            root: task.id.clone(),
            chain,
        }
    }

    fn of_call(task: &Task, call: &ToolCall, ask: &ToolAsk) -> Self {
        Self {
            call: Some(call.id.clone()),
            tool: Some(call.name.clone()),
            arguments: Some(call.arguments.clone()),
            digest: Some(Digest::of(call.arguments.as_str().as_bytes()).to_string()),
            questions: ask.questions.iter().map(ApprovalQuestion::of).collect(),
            ..Self::of(task)
        }
    }

    fn in_words(task: &Task, call: Option<&ToolCall>, message: String) -> Self {
        let question = ApprovalQuestion { key: None, message, kind: ApprovalKind::Question };
        Self {
            call: call.map(|call| call.id.clone()),
            tool: call.map(|call| call.name.clone()),
            questions: vec![question],
            ..Self::of(task)
        }
    }
}

impl ApprovalQuestion {
    fn of(question: &ToolQuestion) -> Self {
        let kind = match &question.wants {
            Wanted::Form { schema } => ApprovalKind::Form(schema.clone()),
            Wanted::Visit { url } => ApprovalKind::Visit(url.clone()),
            Wanted::Approval => ApprovalKind::Approval,
        };
        Self { key: Some(question.key.clone()), message: question.message.clone(), kind }
    }
}

/// Names a question within its task.
pub(super) fn address(call: Option<&str>, remote_task: Option<&str>) -> String {
    let call = call.unwrap_or(NO_CALL);
    match remote_task {
        Some(task) => format!("{call}@{task}"),
        None => call.to_owned(),
    }
}

/// Whether an address names words that belong to no call.
pub(super) fn is_wordy(address: &str) -> bool {
    address == NO_CALL || address.strip_prefix(NO_CALL).is_some_and(|rest| rest.starts_with('@'))
}

/// What the task itself waits for; what agents that it handed work to wait for is listed at their tasks.
pub(super) fn open_in(task: &Task) -> Vec<Approval> {
    if task.state != TaskState::InputRequired {
        return Vec::new();
    }
    if task.open_calls().next().is_none() {
        return said(task);
    }
    let own = task.open_calls().filter_map(|state| match &state.stage {
        CallStage::Asked(ask) => Some(Approval::of_call(task, &state.call, ask)),
        CallStage::Finished(_) | CallStage::HandedOff(_) => None,
        CallStage::Started if is_in_doubt(task, state) => {
            Some(Approval::of_call(task, &state.call, &doubt_ask(&state.call)))
        }
        CallStage::Pending | CallStage::Started => (state.call.name == ASK_USER_TOOL)
            .then(|| Approval::in_words(task, Some(&state.call), words_of(&state.call))),
    });
    own.collect()
}

/// The question of `ask_user`.
fn words_of(call: &ToolCall) -> String {
    #[derive(Deserialize)]
    struct Arguments {
        question: Option<String>,
        message: Option<String>,
    }
    let read = call.arguments.read::<Arguments>().ok();
    read.and_then(|arguments| arguments.question.or(arguments.message)).unwrap_or_else(|| "Please say more.".to_owned())
}

#[derive(Deserialize)]
struct PartIn {
    input_requests: Option<Vec<Json>>,
    tool_calls: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct RequestIn {
    task_id: Option<String>,
    call_id: Option<CallId>,
    key: Option<String>,
    agent: Option<AgentName>,
    tool: Option<String>,
    message: Option<String>,
    schema: Option<Json>,
    url: Option<String>,
    approval: Option<Json>,
    digest: Option<String>,
}

/// What an agent elsewhere asks: it knows the calls, here are only its words.
fn said(task: &Task) -> Vec<Approval> {
    let Some(message) = &task.status_message else { return Vec::new() };
    let parts: Vec<PartIn> = data(message).filter_map(|data| data.read().ok()).collect();
    let entries = parts.iter().flat_map(|part| part.input_requests.iter().flatten()).take(MOST);
    let mut asked: Vec<Approval> = Vec::new();
    for request in entries.filter_map(|entry| entry.read::<RequestIn>().ok()) {
        let same = |known: &&mut Approval| {
            known.call.is_some() && known.call == request.call_id && known.remote_task == request.task_id
        };
        match asked.iter_mut().find(same) {
            Some(known) => known.questions.push(request.question()),
            None => asked.push(request.approval_of(task)),
        }
    }
    let runs_tools = parts.iter().any(|part| part.tool_calls.is_some());
    if asked.is_empty() && !runs_tools {
        let words = message.text();
        let words = if words.trim().is_empty() { "Please say more.".to_owned() } else { words };
        asked.push(Approval::in_words(task, None, words));
    }
    asked
}

impl RequestIn {
    fn question(&self) -> ApprovalQuestion {
        let kind = match (&self.schema, &self.url, &self.approval) {
            (Some(schema), ..) => ApprovalKind::Form(schema.clone()),
            (None, Some(url), _) => ApprovalKind::Visit(url.clone()),
            (None, None, Some(_)) => ApprovalKind::Approval,
            (None, None, None) => ApprovalKind::Question,
        };
        ApprovalQuestion { key: self.key.clone(), message: self.message.clone().unwrap_or_default(), kind }
    }

    fn approval_of(self, task: &Task) -> Approval {
        let questions = vec![self.question()];
        let mut approval = Approval { questions, ..Approval::of(task) };
        if let Some(agent) = self.agent.filter(|agent| *agent != task.agent) {
            approval.chain.push(task.agent.clone());
            approval.agent = agent;
        }
        Approval {
            call: self.call_id,
            remote_task: self.task_id,
            tool: self.tool,
            arguments: self.approval,
            digest: self.digest,
            ..approval
        }
    }
}

/// The data parts of a message that are objects.
pub(super) fn data(message: &Message) -> impl Iterator<Item = &Json> {
    message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) if data.is_object() => Some(data),
        _ => None,
    })
}
