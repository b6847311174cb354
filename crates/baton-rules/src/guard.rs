//! What a guardrail is asked, what its answer means, and what that changes in a task.

use crate::{CallStage, Task, results_in};
use baton_types::{
    AgentName, CallId, CommandTool, ContextId, Effects, GuardRunner, GuardStage, Guardrail, HttpBody, HttpTool, Json,
    Message, MessageId, Part, PartContent, Permission, Role, TaskId, ToolCall, ToolRunner, ToolSpec,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// Bytes of a guardrail's answer; what it may rewrite is no longer.
const MAX_ANSWER: usize = 1024 * 1024;

/// What a guardrail looks at.
#[derive(Clone, Copy, Debug)]
pub enum GuardSubject<'a> {
    /// What the caller says.
    Input(&'a str),
    /// What the agent answers.
    Output(&'a str),
    /// A call.
    Call(&'a ToolCall),
    /// What a call gave, and whether that is an error.
    Result(&'a ToolCall, &'a Json, bool),
}

impl GuardSubject<'_> {
    /// The word for what it is.
    pub fn stage(&self) -> GuardStage {
        match self {
            Self::Input(_) => GuardStage::Input,
            Self::Output(_) => GuardStage::Output,
            Self::Call(_) => GuardStage::ToolCall,
            Self::Result(..) => GuardStage::ToolResult,
        }
    }
}

/// What a guardrail is sent.
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

/// What a guardrail said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardAnswer {
    /// It may go on.
    Allow,
    /// It stops here, because of this.
    Block(String),
    /// It goes on with this content, because of that.
    Modify(Json, String),
}

#[derive(Deserialize)]
struct Answer {
    action: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    content: Option<Json>,
}

impl GuardAnswer {
    /// Reads what it gave; the error says what is wrong with it.
    pub fn read(stage: GuardStage, output: &Json) -> Result<Self, String> {
        // A program writes text, and the text is JSON.
        let text = output.to_plain_text();
        let answer: Answer = serde_json::from_str(text.trim())
            .map_err(|_| "it did not answer with a JSON object that has `action`".to_owned())?;
        let reason = answer.reason.unwrap_or_default();
        let content = answer.content.filter(|content| content.as_str() != "null");
        match (answer.action.as_str(), content) {
            ("allow", _) => Ok(Self::Allow),
            ("block", _) => Ok(Self::Block(reason)),
            ("modify", Some(content)) if fits(stage, &content) => Ok(Self::Modify(content, reason)),
            ("modify", Some(_)) => Err(match stage {
                GuardStage::ToolCall => "the `content` that it answered is no object of arguments".to_owned(),
                _ => "the `content` that it answered is no text".to_owned(),
            }),
            ("modify", None) => Err("it answered `modify` without `content`".to_owned()),
            (other, _) => Err(format!("it answered `{}`, which is none of allow, block and modify", brief(other, 40))),
        }
    }
}

fn fits(stage: GuardStage, content: &Json) -> bool {
    match stage {
        GuardStage::Input | GuardStage::Output => content.as_str().starts_with('"'),
        GuardStage::ToolCall => content.is_object(),
        GuardStage::ToolResult => true,
    }
}

/// A guardrail as a tool that is run for every look.
pub fn guard_tool(guardrail: &Guardrail) -> ToolSpec {
    let (timeout, max_output) = (guardrail.timeout, MAX_ANSWER);
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

/// What the caller said that no guardrail has looked at yet, oldest first; results of tools are no words of the caller's.
pub fn unguarded(task: &Task) -> Vec<&Message> {
    let checked = task.checked.as_ref().and_then(|id| task.history.iter().rposition(|message| message.id == *id));
    let since = checked.map_or(0, |at| at + 1);
    let is_said =
        |message: &&Message| message.role == Role::User && results_in(message).is_ok_and(|results| results.is_empty());
    task.history.iter().skip(since).filter(is_said).collect()
}

impl Task {
    pub(crate) fn guarded(
        &mut self,
        stage: GuardStage,
        call: Option<&CallId>,
        message: Option<&MessageId>,
        content: Option<&Json>,
    ) {
        match (stage, call, message) {
            (GuardStage::Input, _, Some(id)) => {
                self.checked = Some(id.clone());
                let said = self.history.iter_mut().rev().find(|message| message.id == *id);
                if let (Some(message), Some(content)) = (said, content) {
                    reword(message, content);
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

/// Other words in place of those that were said; files stay.
fn reword(message: &mut Message, content: &Json) {
    let is_words = |part: &Part| matches!(part.content, PartContent::Text(_) | PartContent::Data(_));
    message.parts.retain(|part| !is_words(part));
    message.parts.insert(0, Part::text(content.to_plain_text()));
}

fn brief(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
