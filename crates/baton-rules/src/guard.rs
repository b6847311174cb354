//! Guardrail requests, verdicts, and their effect on a task.

use crate::{CallStage, TaskRecord, parse_tool_results};
use baton_types::{
    AgentName, CallId, CommandTool, ContextId, Effects, GuardRunner, GuardStage, Guardrail, HttpBody, HttpTool, Json,
    Message, MessageId, Part, PartContent, Permission, Role, TaskId, ToolCall, ToolRunner, ToolSpec,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum bytes of a guardrail's response, and therefore of rewritten content.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// Content checked by a guardrail.
#[derive(Clone, Copy, Debug)]
pub enum GuardSubject<'a> {
    /// Input of the caller.
    Input(&'a str),
    /// Answer of the agent.
    Output(&'a str),
    /// Tool call.
    Call(&'a ToolCall),
    /// Result of a call, and whether it is an error.
    Result(&'a ToolCall, &'a Json, bool),
}

impl GuardSubject<'_> {
    /// Stage of the content.
    pub fn stage(&self) -> GuardStage {
        match self {
            Self::Input(_) => GuardStage::Input,
            Self::Output(_) => GuardStage::Output,
            Self::Call(_) => GuardStage::ToolCall,
            Self::Result(..) => GuardStage::ToolResult,
        }
    }
}

/// Request payload for a guardrail.
pub fn guard_request(
    guardrail: &Guardrail,
    (agent, task, context): (&AgentName, &TaskId, &ContextId),
    subject: GuardSubject<'_>,
) -> Json {
    let mut request = json!({
        "stage": subject.stage().as_str(),
        "guardrail": guardrail.name,
        "agent": agent.as_str(),
        "task": task.as_str(),
        "context": context.as_str(),
    });
    let called = |call: &ToolCall| json!({"id": call.id.as_str(), "name": call.name, "arguments": call.arguments});
    match subject {
        GuardSubject::Input(text) | GuardSubject::Output(text) => request["text"] = text.into(),
        GuardSubject::Call(call) => request["call"] = called(call),
        GuardSubject::Result(call, output, is_error) => {
            request["call"] = called(call);
            request["result"] = json!({"output": output, "is_error": is_error});
        }
    }
    request.into()
}

/// Response of a guardrail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardDecision {
    /// The content passes.
    Allow,
    /// The content is blocked, with a reason.
    Block(String),
    /// The content is replaced, with a reason.
    Modify(Json, String),
}

#[derive(Deserialize)]
struct GuardResponse {
    action: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    content: Option<Json>,
}

impl GuardDecision {
    /// Parses the response; the error describes the problem.
    pub fn parse(stage: GuardStage, output: &Json) -> Result<Self, String> {
        // A program writes JSON as text.
        let text = output.to_plain_text();
        let answer: GuardResponse = serde_json::from_str(text.trim())
            .map_err(|_| "its answer is not a JSON object with `action`".to_owned())?;
        let reason = answer.reason.unwrap_or_default();
        let content = answer.content.filter(|content| content.as_str() != "null");
        match (answer.action.as_str(), content) {
            ("allow", _) => Ok(Self::Allow),
            ("block", _) => Ok(Self::Block(reason)),
            ("modify", Some(content)) if is_valid_content(stage, &content) => Ok(Self::Modify(content, reason)),
            ("modify", Some(_)) => Err(match stage {
                GuardStage::ToolCall => "the `content` of its answer is not an object of arguments".to_owned(),
                _ => "the `content` of its answer is not text".to_owned(),
            }),
            ("modify", None) => Err("it answered `modify` without `content`".to_owned()),
            (action, _) => Err(format!("it answered `{}`, which is not allow, block or modify", truncate(action, 40))),
        }
    }
}

fn is_valid_content(stage: GuardStage, content: &Json) -> bool {
    match stage {
        GuardStage::Input | GuardStage::Output => content.as_str().starts_with('"'),
        GuardStage::ToolCall => content.is_object(),
        GuardStage::ToolResult => true,
    }
}

/// Tool that runs the guardrail.
pub fn guard_tool(guardrail: &Guardrail) -> ToolSpec {
    let (timeout, max_output) = (guardrail.timeout, MAX_RESPONSE_BYTES);
    let runner = match &guardrail.runner {
        GuardRunner::Command { argv, directory } => {
            let (argv, directory) = (argv.clone(), directory.clone());
            ToolRunner::Command(CommandTool { argv, directory, timeout, max_output })
        }
        GuardRunner::Http { url, headers } => ToolRunner::Http(HttpTool {
            method: "POST".to_owned(),
            url: url.clone(),
            headers: headers.clone(),
            body: HttpBody::Json,
            timeout,
            max_output,
        }),
    };
    ToolSpec {
        name: guardrail.name.clone(),
        description: String::new(),
        parameters: Value::Null.into(),
        effects: Effects::ReadOnly,
        runner,
        output: None,
        permission: Permission::Allow,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}

/// Messages of the caller that no guardrail has checked yet, oldest first; messages with tool results are skipped.
pub fn unchecked_messages(task: &TaskRecord) -> Vec<&Message> {
    let checked = task.checked.as_ref().and_then(|id| task.history.iter().rposition(|message| message.id == *id));
    let since = checked.map_or(0, |at| at + 1);
    let is_caller_text = |message: &&Message| {
        message.role == Role::User && parse_tool_results(message).is_ok_and(|results| results.is_empty())
    };
    task.history.iter().skip(since).filter(is_caller_text).collect()
}

impl TaskRecord {
    pub(crate) fn apply_verdict(
        &mut self,
        stage: GuardStage,
        call: Option<&CallId>,
        message: Option<&MessageId>,
        content: Option<&Json>,
    ) {
        match (stage, call, message) {
            (GuardStage::Input, _, Some(id)) => {
                self.checked = Some(id.clone());
                let target = self.history.iter_mut().rev().find(|message| message.id == *id);
                if let (Some(message), Some(content)) = (target, content) {
                    replace_text(message, content);
                }
            }
            (GuardStage::ToolCall, Some(id), _) => {
                let state = self.calls.iter_mut().find(|state| state.call.id == *id);
                let Some(state) = state.filter(|state| state.stage == CallStage::Pending) else { return };
                state.guarded = true;
                if let Some(arguments) = content {
                    state.call.arguments = arguments.clone();
                }
            }
            _ => {}
        }
    }
}

/// Replaces the text and data of a message; files are kept.
fn replace_text(message: &mut Message, content: &Json) {
    let is_text = |part: &Part| matches!(part.content, PartContent::Text(_) | PartContent::Data(_));
    message.parts.retain(|part| !is_text(part));
    message.parts.insert(0, Part::text(content.to_plain_text()));
}

fn truncate(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
