//! Calls of tools: those that the agent runs itself, and those that go back to the caller.

use super::Projector;
use crate::{Approval, Body, ItemStatus, OutputItem, StreamEvent, item_id::item_id};
use baton_types::{CallId, ToolCall, ToolExecution, ToolResult};
use serde::Deserialize;

/// Tools through which a model acts on its own task; what they bring about is shown, and not that they were called.
const CONTROL: [&str; 3] = ["ask_user", "reject_task", "reply_message"];

/// The tool that publishes an output. No other item has what was published, so its call is also shown of those who work
/// alone.
const PUBLISHES: &str = "emit_artifact";

/// Tools whose calls become work of another agent, which is then named beside them.
const HANDING_OVER: [&str; 2] = ["handoff", "call_agent"];

/// One call of the model's last turn.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) call: ToolCall,
    /// Whether it has begun to run.
    pub(super) started: bool,
    /// Whether somebody was asked whether it may.
    pub(super) was_asked: bool,
    /// The server of the caller's that has its tool, and the tool's own name there.
    guest: Option<(String, String)>,
    /// Where its item is.
    item: Option<(usize, String)>,
}

impl Call {
    pub(super) fn new(call: &ToolCall, guest: Option<(String, String)>) -> Self {
        Self { call: call.clone(), started: false, was_asked: false, guest, item: None }
    }

    /// What its tool is called where it is.
    fn name(&self) -> &str {
        self.guest.as_ref().map_or(self.call.name.as_str(), |(_, tool)| tool)
    }

    fn item(&self, task: &str, status: ItemStatus, label: &str, arguments: &str) -> OutputItem {
        let id = &self.call.id;
        OutputItem::McpCall {
            id: item_id("mcp", task, id.as_str()),
            status,
            server_label: self.guest.as_ref().map_or(label, |(server, _)| server).to_owned(),
            name: self.name().to_owned(),
            arguments: arguments.to_owned(),
            output: None,
            error: None,
            approval_request_id: self.was_asked.then(|| Approval::request_id(task, id.as_str())),
        }
    }
}

#[derive(Deserialize)]
struct CustomInput {
    input: String,
}

impl Projector {
    pub(super) fn start_call(&mut self, out: &mut Vec<StreamEvent>, id: &CallId, server: Option<&str>) {
        let Some(known) = self.known(id) else { return };
        known.started = true;
        if !HANDING_OVER.contains(&known.call.name.as_str()) {
            let label = server.unwrap_or(&self.agent).to_owned();
            self.open_call(out, id, &label);
        }
    }

    pub(super) fn hand_over(&mut self, out: &mut Vec<StreamEvent>, id: &CallId, agent: &str) {
        self.open_call(out, id, agent);
    }

    pub(super) fn finish_call(&mut self, out: &mut Vec<StreamEvent>, result: &ToolResult) {
        let label = self.agent.clone();
        self.open_call(out, &result.call, &label);
        let Some(at) = self.calls.iter().position(|known| known.call.id == result.call) else { return };
        let known = self.calls.remove(at);
        let Some((output_index, label)) = &known.item else { return };
        let text = result.output.to_plain_text();
        let (kind, status) = match result.is_error {
            true => ("response.mcp_call.failed", ItemStatus::Failed),
            false => ("response.mcp_call.completed", ItemStatus::Completed),
        };
        let mut item = known.item(&self.task, status, label, known.call.arguments.as_str());
        if let OutputItem::McpCall { output, error, .. } = &mut item {
            *(if result.is_error { error } else { output }) = Some(text);
        }
        let body = Body::Progress { item_id: item.id().to_owned(), output_index: *output_index };
        self.emit(out, kind, body);
        self.close(out, *output_index, item);
    }

    /// Shows that the agent runs a call, unless that is not to be seen.
    fn open_call(&mut self, out: &mut Vec<StreamEvent>, id: &CallId, label: &str) {
        let Some(at) = self.calls.iter().position(|known| known.call.id == *id) else { return };
        let known = &self.calls[at];
        if self.hides_tools || (self.autonomous && known.call.name != PUBLISHES) {
            return;
        }
        if known.item.is_some() || CONTROL.contains(&known.call.name.as_str()) || self.is_callers(&known.call) {
            return;
        }
        let (name, arguments) = (known.name().to_owned(), known.call.arguments.as_str().to_owned());
        let (open, filled) = (
            known.item(&self.task, ItemStatus::InProgress, label, ""),
            known.item(&self.task, ItemStatus::InProgress, label, &arguments),
        );
        let item_id = open.id().to_owned();
        let output_index = self.add(out, open);
        self.emit(out, "response.mcp_call.in_progress", Body::Progress { item_id: item_id.clone(), output_index });
        let body = Body::CallDelta { item_id: item_id.clone(), output_index, delta: arguments.clone() };
        self.emit(out, "response.mcp_call_arguments.delta", body);
        let body = Body::ArgumentsDone { item_id, output_index, name, arguments };
        self.emit(out, "response.mcp_call_arguments.done", body);
        self.response.output[output_index] = filled;
        self.calls[at].item = Some((output_index, label.to_owned()));
    }

    /// Closes the items of calls that go on in another turn, or not at all.
    pub(super) fn break_off_calls(&mut self, out: &mut Vec<StreamEvent>) {
        for known in std::mem::take(&mut self.calls) {
            if let Some((output_index, label)) = &known.item {
                let item = known.item(&self.task, ItemStatus::Incomplete, label, known.call.arguments.as_str());
                self.close(out, *output_index, item);
            }
        }
    }

    /// Whether a call is for the caller to run.
    fn is_callers(&self, call: &ToolCall) -> bool {
        self.execution == ToolExecution::Caller || self.wishes.has_tool(&call.name)
    }

    /// Shows a call that the caller is to run.
    pub(super) fn pass_back(&mut self, out: &mut Vec<StreamEvent>, call: &ToolCall) {
        if self.custom.contains(&call.name) {
            self.pass_back_custom(out, call);
            return;
        }
        let id = item_id("fc", &self.task, call.id.as_str());
        let item = |status, arguments: &str| OutputItem::FunctionCall {
            id: id.clone(),
            status,
            call_id: call.id.to_string(),
            name: call.name.clone(),
            arguments: arguments.to_owned(),
        };
        let open = item(ItemStatus::InProgress, "");
        let item_id = open.id().to_owned();
        let output_index = self.add(out, open);
        let arguments = call.arguments.as_str().to_owned();
        let body = Body::CallDelta { item_id: item_id.clone(), output_index, delta: arguments.clone() };
        self.emit(out, "response.function_call_arguments.delta", body);
        let body = Body::ArgumentsDone { item_id, output_index, name: call.name.clone(), arguments: arguments.clone() };
        self.emit(out, "response.function_call_arguments.done", body);
        self.close(out, output_index, item(ItemStatus::Completed, &arguments));
    }

    fn pass_back_custom(&mut self, out: &mut Vec<StreamEvent>, call: &ToolCall) {
        let id = item_id("ctc", &self.task, call.id.as_str());
        let item = |status, input: &str| OutputItem::CustomToolCall {
            id: id.clone(),
            status,
            call_id: call.id.to_string(),
            name: call.name.clone(),
            input: input.to_owned(),
        };
        // Models that were told to give text under one name now and then give it bare.
        let read = call.arguments.read::<CustomInput>().map(|given| given.input);
        let input = read.unwrap_or_else(|_| call.arguments.to_plain_text());
        let open = item(ItemStatus::InProgress, "");
        let item_id = open.id().to_owned();
        let output_index = self.add(out, open);
        let body = Body::CallDelta { item_id: item_id.clone(), output_index, delta: input.clone() };
        self.emit(out, "response.custom_tool_call_input.delta", body);
        self.emit(
            out,
            "response.custom_tool_call_input.done",
            Body::InputDone { item_id, output_index, input: input.clone() },
        );
        self.close(out, output_index, item(ItemStatus::Completed, &input));
    }

    /// Shows the question whether a call may run.
    pub(super) fn ask_leave(&mut self, out: &mut Vec<StreamEvent>, item: OutputItem) {
        let output_index = self.add(out, item.clone());
        self.close(out, output_index, item);
    }
}
