//! Tool calls: those that the agent runs, and those returned to the client.

use super::ResponseProjector;
use crate::{ItemStatus, McpApprovalAnswer, OutputItem, StreamEvent, StreamEventBody, item_id::item_id};
use baton_types::{CallId, ToolCall, ToolExecution, ToolResult};
use serde::Deserialize;

/// Tools that control the model's own task; their effect is shown, not their call.
const CONTROL_TOOLS: [&str; 3] = ["ask_user", "reject_task", "reply_message"];

/// The tool that publishes an artifact. No other item contains the artifact, so its call is also shown for autonomous
/// agents.
const PUBLISH_TOOL: &str = "emit_artifact";

/// Tools that hand work to another agent; the item is labelled with that agent.
const HANDOFF_TOOLS: [&str; 2] = ["handoff", "call_agent"];

/// One call of the model's last turn.
#[derive(Clone, Debug)]
pub(super) struct ProjectedCall {
    pub(super) call: ToolCall,
    /// Whether it has started.
    pub(super) started: bool,
    /// Whether it required approval.
    pub(super) required_approval: bool,
    /// The caller's server that has the tool, and the original name of the tool.
    caller_server: Option<(String, String)>,
    /// Output index and label of its item.
    item: Option<(usize, String)>,
}

impl ProjectedCall {
    pub(super) fn new(call: &ToolCall, caller_server: Option<(String, String)>) -> Self {
        Self { call: call.clone(), started: false, required_approval: false, caller_server, item: None }
    }

    /// The original name of its tool.
    fn name(&self) -> &str {
        self.caller_server.as_ref().map_or(self.call.name.as_str(), |(_, tool)| tool)
    }

    fn item(&self, task: &str, status: ItemStatus, label: &str, arguments: &str) -> OutputItem {
        let id = &self.call.id;
        OutputItem::McpCall {
            id: item_id("mcp", task, id.as_str()),
            status,
            server_label: self.caller_server.as_ref().map_or(label, |(server, _)| server).to_owned(),
            name: self.name().to_owned(),
            arguments: arguments.to_owned(),
            output: None,
            error: None,
            approval_request_id: self.required_approval.then(|| McpApprovalAnswer::request_id(task, id.as_str())),
        }
    }
}

#[derive(Deserialize)]
struct CustomInput {
    input: String,
}

impl ResponseProjector {
    pub(super) fn start_call(&mut self, out: &mut Vec<StreamEvent>, id: &CallId, server: Option<&str>) {
        let Some(projected) = self.find_call(id) else { return };
        projected.started = true;
        if !HANDOFF_TOOLS.contains(&projected.call.name.as_str()) {
            let label = server.unwrap_or(&self.agent).to_owned();
            self.open_call(out, id, &label);
        }
    }

    pub(super) fn start_handoff(&mut self, out: &mut Vec<StreamEvent>, id: &CallId, agent: &str) {
        self.open_call(out, id, agent);
    }

    pub(super) fn finish_call(&mut self, out: &mut Vec<StreamEvent>, result: &ToolResult) {
        let label = self.agent.clone();
        self.open_call(out, &result.call, &label);
        let Some(at) = self.calls.iter().position(|projected| projected.call.id == result.call) else { return };
        let projected = self.calls.remove(at);
        let Some((output_index, label)) = &projected.item else { return };
        let text = result.output.to_plain_text();
        let (kind, status) = match result.is_error {
            true => ("response.mcp_call.failed", ItemStatus::Failed),
            false => ("response.mcp_call.completed", ItemStatus::Completed),
        };
        let mut item = projected.item(&self.task, status, label, projected.call.arguments.as_str());
        if let OutputItem::McpCall { output, error, .. } = &mut item {
            *(if result.is_error { error } else { output }) = Some(text);
        }
        let body = StreamEventBody::Progress { item_id: item.id().to_owned(), output_index: *output_index };
        self.emit(out, kind, body);
        self.close(out, *output_index, item);
    }

    /// Shows a call that the agent runs, unless it is hidden.
    fn open_call(&mut self, out: &mut Vec<StreamEvent>, id: &CallId, label: &str) {
        let Some(at) = self.calls.iter().position(|projected| projected.call.id == *id) else { return };
        let projected = &self.calls[at];
        if self.hides_tools || (self.autonomous && projected.call.name != PUBLISH_TOOL) {
            return;
        }
        if projected.item.is_some()
            || CONTROL_TOOLS.contains(&projected.call.name.as_str())
            || self.is_client_call(&projected.call)
        {
            return;
        }
        let (name, arguments) = (projected.name().to_owned(), projected.call.arguments.as_str().to_owned());
        let (open, filled) = (
            projected.item(&self.task, ItemStatus::InProgress, label, ""),
            projected.item(&self.task, ItemStatus::InProgress, label, &arguments),
        );
        let item_id = open.id().to_owned();
        let output_index = self.add(out, open);
        self.emit(
            out,
            "response.mcp_call.in_progress",
            StreamEventBody::Progress { item_id: item_id.clone(), output_index },
        );
        let body = StreamEventBody::CallDelta { item_id: item_id.clone(), output_index, delta: arguments.clone() };
        self.emit(out, "response.mcp_call_arguments.delta", body);
        let body = StreamEventBody::ArgumentsDone { item_id, output_index, name, arguments };
        self.emit(out, "response.mcp_call_arguments.done", body);
        self.response.output[output_index] = filled;
        self.calls[at].item = Some((output_index, label.to_owned()));
    }

    /// Closes the items of calls that continue in another turn or not at all.
    pub(super) fn close_open_calls(&mut self, out: &mut Vec<StreamEvent>) {
        for projected in std::mem::take(&mut self.calls) {
            if let Some((output_index, label)) = &projected.item {
                let item = projected.item(&self.task, ItemStatus::Incomplete, label, projected.call.arguments.as_str());
                self.close(out, *output_index, item);
            }
        }
    }

    /// Whether the client runs the call.
    fn is_client_call(&self, call: &ToolCall) -> bool {
        self.execution == ToolExecution::Caller || self.run_options.has_caller_tool(&call.name)
    }

    /// Shows a call for the client to run.
    pub(super) fn emit_client_call(&mut self, out: &mut Vec<StreamEvent>, call: &ToolCall) {
        if self.custom.contains(&call.name) {
            self.emit_custom_client_call(out, call);
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
        let body = StreamEventBody::CallDelta { item_id: item_id.clone(), output_index, delta: arguments.clone() };
        self.emit(out, "response.function_call_arguments.delta", body);
        let body = StreamEventBody::ArgumentsDone {
            item_id,
            output_index,
            name: call.name.clone(),
            arguments: arguments.clone(),
        };
        self.emit(out, "response.function_call_arguments.done", body);
        self.close(out, output_index, item(ItemStatus::Completed, &arguments));
    }

    fn emit_custom_client_call(&mut self, out: &mut Vec<StreamEvent>, call: &ToolCall) {
        let id = item_id("ctc", &self.task, call.id.as_str());
        let item = |status, input: &str| OutputItem::CustomToolCall {
            id: id.clone(),
            status,
            call_id: call.id.to_string(),
            name: call.name.clone(),
            input: input.to_owned(),
        };
        // Models sometimes return the bare text instead of an object with one member.
        let read = call.arguments.read::<CustomInput>().map(|custom| custom.input);
        let input = read.unwrap_or_else(|_| call.arguments.to_plain_text());
        let open = item(ItemStatus::InProgress, "");
        let item_id = open.id().to_owned();
        let output_index = self.add(out, open);
        let body = StreamEventBody::CallDelta { item_id: item_id.clone(), output_index, delta: input.clone() };
        self.emit(out, "response.custom_tool_call_input.delta", body);
        self.emit(
            out,
            "response.custom_tool_call_input.done",
            StreamEventBody::InputDone { item_id, output_index, input: input.clone() },
        );
        self.close(out, output_index, item(ItemStatus::Completed, &input));
    }

    /// Shows an approval request.
    pub(super) fn emit_approval_request(&mut self, out: &mut Vec<StreamEvent>, item: OutputItem) {
        let output_index = self.add(out, item.clone());
        self.close(out, output_index, item);
    }
}
