//! Pending input requests of one task.

use baton_rules::{ASK_USER_TOOL, CallStage, TaskRecord, in_doubt_request, is_in_doubt};
use baton_types::{
    AgentName, CallId, ContextId, Digest, Json, Message, PartContent, QuestionKind, TaskId, TaskState, Timestamp,
    ToolCall, ToolInputRequest, ToolQuestion,
};
use serde::{Deserialize, de::IgnoredAny};

/// Placeholder for the call id in the address of a question without a call.
const NO_CALL: &str = "-";

/// Maximum questions read from a status message of a remote agent.
const MAX_REMOTE_QUESTIONS: usize = 256;

/// A tool call that waits for input from a person, or a text question of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The local task that made the call.
    pub task: TaskId,
    /// Context of the task.
    pub context: ContextId,
    /// Local agent of the task.
    pub task_agent: AgentName,
    /// The waiting call; none for a text question without a call.
    pub call: Option<CallId>,
    /// The remote task of the call, if a remote agent relayed the question.
    pub remote_task: Option<String>,
    /// Agent that asks.
    pub agent: AgentName,
    /// Tool of the waiting call.
    pub tool: Option<String>,
    /// Arguments of the call.
    pub arguments: Option<Json>,
    /// Digest of the arguments; an answer with a different digest is rejected.
    pub digest: Option<String>,
    /// Questions of the call, never empty; all are answered together.
    pub questions: Vec<ApprovalQuestion>,
    /// Time since which the task waits.
    pub asked_at: Timestamp,
    /// First task of the parent chain; the task itself when it has no parent.
    pub root: TaskId,
    /// Agents that wait for the asking agent, root first.
    pub chain: Vec<AgentName>,
}

/// One question of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalQuestion {
    /// Key of the question within the call.
    pub key: Option<String>,
    /// Question text.
    pub message: String,
    /// Type of the expected answer.
    pub kind: ApprovalKind,
}

/// Type of the answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalKind {
    /// Permission to run the call.
    Approval,
    /// Values that match this JSON Schema.
    Form(Json),
    /// Visit to this URL.
    Visit(String),
    /// Free text.
    Question,
}

/// Reference to an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRef {
    /// The task.
    pub task: TaskId,
    /// The call, or [`Approval::address`].
    pub call: String,
    /// The remote task, if several have a call with that id.
    pub remote_task: Option<String>,
}

impl Approval {
    /// Address of the approval within its task: the call id, followed by `@` and the remote task if there is one.
    pub fn address(&self) -> String {
        address(self.call.as_ref().map(CallId::as_str), self.remote_task.as_deref())
    }

    /// Approximate size in bytes.
    pub(super) fn weight(&self) -> usize {
        let question = |question: &ApprovalQuestion| match &question.kind {
            ApprovalKind::Form(schema) => question.message.len() + schema.as_str().len(),
            _ => question.message.len(),
        };
        self.arguments.as_ref().map_or(0, |arguments| arguments.as_str().len())
            + self.questions.iter().map(question).sum::<usize>()
    }

    fn from_task(task: &TaskRecord) -> Self {
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

    fn from_call(task: &TaskRecord, call: &ToolCall, request: &ToolInputRequest) -> Self {
        Self {
            call: Some(call.id.clone()),
            tool: Some(call.name.clone()),
            arguments: Some(call.arguments.clone()),
            digest: Some(Digest::compute(call.arguments.as_str().as_bytes()).to_string()),
            questions: request.questions.iter().map(ApprovalQuestion::from_question).collect(),
            ..Self::from_task(task)
        }
    }

    fn with_text_question(task: &TaskRecord, call: Option<&ToolCall>, message: String) -> Self {
        let question = ApprovalQuestion { key: None, message, kind: ApprovalKind::Question };
        Self {
            call: call.map(|call| call.id.clone()),
            tool: call.map(|call| call.name.clone()),
            questions: vec![question],
            ..Self::from_task(task)
        }
    }
}

impl ApprovalQuestion {
    fn from_question(question: &ToolQuestion) -> Self {
        let kind = match &question.wants {
            QuestionKind::Form { schema } => ApprovalKind::Form(schema.clone()),
            QuestionKind::Visit { url } => ApprovalKind::Visit(url.clone()),
            QuestionKind::Approval => ApprovalKind::Approval,
        };
        Self { key: Some(question.key.clone()), message: question.message.clone(), kind }
    }
}

/// Address of a question within its task.
pub(super) fn address(call: Option<&str>, remote_task: Option<&str>) -> String {
    let call = call.unwrap_or(NO_CALL);
    match remote_task {
        Some(task) => format!("{call}@{task}"),
        None => call.to_owned(),
    }
}

/// Whether an address names a text question without a call.
pub(super) fn is_text_address(address: &str) -> bool {
    address == NO_CALL || address.strip_prefix(NO_CALL).is_some_and(|rest| rest.starts_with('@'))
}

/// Pending approvals of the task itself. Those of handoff targets are listed at their own tasks.
pub(super) fn pending_approvals(task: &TaskRecord) -> Vec<Approval> {
    if task.state != TaskState::InputRequired {
        return Vec::new();
    }
    if task.open_calls().next().is_none() {
        return remote_approvals(task);
    }
    let own = task.open_calls().filter_map(|state| match &state.stage {
        CallStage::Asked(request) => Some(Approval::from_call(task, &state.call, request)),
        CallStage::Finished(_) | CallStage::HandedOff(_) => None,
        CallStage::Started if is_in_doubt(task, state) => {
            Some(Approval::from_call(task, &state.call, &in_doubt_request(&state.call)))
        }
        CallStage::Pending | CallStage::Started => (state.call.name == ASK_USER_TOOL)
            .then(|| Approval::with_text_question(task, Some(&state.call), question_text(&state.call))),
    });
    own.collect()
}

/// Question text of an `ask_user` call.
fn question_text(call: &ToolCall) -> String {
    #[derive(Deserialize)]
    struct AskUserQuestion {
        question: Option<String>,
        message: Option<String>,
    }
    let read = call.arguments.read::<AskUserQuestion>().ok();
    read.and_then(|arguments| arguments.question.or(arguments.message)).unwrap_or_else(|| "Please say more.".to_owned())
}

#[derive(Deserialize)]
struct RemoteRequestsPart {
    input_requests: Option<Vec<Json>>,
    tool_calls: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct RemoteInputRequest {
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

/// Approvals requested by a remote agent in its status message; the calls are known only to the remote agent.
fn remote_approvals(task: &TaskRecord) -> Vec<Approval> {
    let Some(message) = &task.status_message else { return Vec::new() };
    let parts: Vec<RemoteRequestsPart> = data(message).filter_map(|data| data.read().ok()).collect();
    let entries = parts.iter().flat_map(|part| part.input_requests.iter().flatten()).take(MAX_REMOTE_QUESTIONS);
    let mut approvals: Vec<Approval> = Vec::new();
    for request in entries.filter_map(|entry| entry.read::<RemoteInputRequest>().ok()) {
        let same = |approval: &&mut Approval| {
            approval.call.is_some() && approval.call == request.call_id && approval.remote_task == request.task_id
        };
        match approvals.iter_mut().find(same) {
            Some(approval) => approval.questions.push(request.question()),
            None => approvals.push(request.into_approval(task)),
        }
    }
    let runs_tools = parts.iter().any(|part| part.tool_calls.is_some());
    if approvals.is_empty() && !runs_tools {
        let text = message.text();
        let text = if text.trim().is_empty() { "Please say more.".to_owned() } else { text };
        approvals.push(Approval::with_text_question(task, None, text));
    }
    approvals
}

impl RemoteInputRequest {
    fn question(&self) -> ApprovalQuestion {
        let kind = match (&self.schema, &self.url, &self.approval) {
            (Some(schema), ..) => ApprovalKind::Form(schema.clone()),
            (None, Some(url), _) => ApprovalKind::Visit(url.clone()),
            (None, None, Some(_)) => ApprovalKind::Approval,
            (None, None, None) => ApprovalKind::Question,
        };
        ApprovalQuestion { key: self.key.clone(), message: self.message.clone().unwrap_or_default(), kind }
    }

    fn into_approval(self, task: &TaskRecord) -> Approval {
        let questions = vec![self.question()];
        let mut approval = Approval { questions, ..Approval::from_task(task) };
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

/// Data parts of a message that are JSON objects.
pub(super) fn data(message: &Message) -> impl Iterator<Item = &Json> {
    message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) if data.is_object() => Some(data),
        _ => None,
    })
}
