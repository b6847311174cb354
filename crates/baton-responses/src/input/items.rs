//! Parsing of single input items.

use super::{McpApprovalAnswer, conversation::ConversationBuilder};
use crate::{
    OpenAiError, open_compaction,
    parts::{content_parts, missing_param, required_text, text_of},
};
use baton_types::{Json, Part, PartContent, Role, ToolCall, ToolResult};
use serde_json::{Map, Value, json};

impl ConversationBuilder<'_> {
    pub(super) fn item(&mut self, item: &Value, param: &str) -> Result<(), OpenAiError> {
        let Value::Object(members) = item else {
            return Err(OpenAiError::invalid("invalid_type", param, format!("'{param}' must be an object.")));
        };
        match text_of(members, "type") {
            None | Some("message") => self.message(members, param),
            Some("function_call") => {
                let arguments = text_of(members, "arguments").unwrap_or_default();
                self.call(members, parse_arguments(arguments), param)
            }
            Some("custom_tool_call") => {
                let input = required_text(members, "input", param)?;
                self.call(members, json!({ "input": input }).into(), param)
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                let id = required_text(members, "call_id", param)?;
                let output = members.get("output").ok_or_else(|| missing_param(&format!("{param}.output")))?;
                self.output(id, output, &format!("{param}.output"), &format!("{param}.call_id"))
            }
            Some("mcp_approval_response") => self.approval(members, param),
            Some("mcp_call") => self.own_call(members, param),
            Some("compaction" | "compaction_summary") => {
                let content = required_text(members, "encrypted_content", param)?;
                let messages = open_compaction(content).map_err(|error| {
                    let detail = format!("The compaction cannot be used: {error}. Send the original items.");
                    OpenAiError::invalid("invalid_value", &format!("{param}.encrypted_content"), detail)
                })?;
                self.push_messages(messages);
                Ok(())
            }
            Some("item_reference") => {
                let id = required_text(members, "id", param)?;
                self.push_reference(id, &format!("{param}.id"));
                Ok(())
            }
            // Reasoning is stored with its message, and tools are listed again.
            Some("reasoning" | "mcp_list_tools" | "mcp_approval_request") => Ok(()),
            Some(other) => Err(OpenAiError::invalid(
                "unsupported_item",
                &format!("{param}.type"),
                format!("Items of type '{other}' are not supported; remove it."),
            )),
        }
    }

    fn message(&mut self, members: &Map<String, Value>, param: &str) -> Result<(), OpenAiError> {
        let role = required_text(members, "role", param)?;
        let content = members.get("content").filter(|content| !content.is_null());
        let content_param = format!("{param}.content");
        if role == "tool" {
            let id = text_of(members, "call_id").or_else(|| text_of(members, "tool_call_id"));
            let id = id.ok_or_else(|| missing_param(&format!("{param}.call_id")))?;
            return self.output(id, content.unwrap_or(&Value::Null), &content_param, &format!("{param}.call_id"));
        }
        let parts = match content {
            Some(content) => content_parts(content, &content_param)?,
            None if role == "assistant" => Vec::new(),
            None => return Err(missing_param(&content_param)),
        };
        match role {
            "user" => self.user(parts),
            "assistant" => self.agent(parts),
            "system" | "developer" => self.system(&parts),
            other => {
                let detail = format!("'{other}' is not a valid role; use user, assistant, system or developer.");
                return Err(OpenAiError::invalid("invalid_value", &format!("{param}.role"), detail));
            }
        }
        Ok(())
    }

    fn call(&mut self, members: &Map<String, Value>, arguments: Json, param: &str) -> Result<(), OpenAiError> {
        let id = required_text(members, "call_id", param)?;
        let name = required_text(members, "name", param)?.to_owned();
        self.push_call(ToolCall { id: id.into(), name, arguments });
        Ok(())
    }

    fn output(&mut self, id: &str, output: &Value, content_param: &str, param: &str) -> Result<(), OpenAiError> {
        let Some(name) = self.tool_name(id) else {
            let detail = format!(
                "No call '{id}' is open: send its function_call before it, or previous_response_id of the response that made it."
            );
            return Err(OpenAiError::invalid("tool_call_not_found", param, detail));
        };
        let (output, files) = match output {
            Value::String(text) => (Json::string(text), Vec::new()),
            Value::Array(_) => {
                let (texts, files): (Vec<Part>, Vec<Part>) = content_parts(output, content_param)?
                    .into_iter()
                    .partition(|part| matches!(part.content, PartContent::Text(_)));
                let texts: Vec<String> = texts.into_iter().filter_map(into_text).collect();
                (Json::string(&texts.join("\n")), files)
            }
            other => (other.clone().into(), Vec::new()),
        };
        self.push_result(ToolResult { call: id.into(), name, output, is_error: false }, files);
        Ok(())
    }

    fn approval(&mut self, members: &Map<String, Value>, param: &str) -> Result<(), OpenAiError> {
        let request = required_text(members, "approval_request_id", param)?;
        let Some((task, call)) = McpApprovalAnswer::parse_request_id(request) else {
            let detail =
                format!("'{request}' is not an approval request; use the id of the mcp_approval_request item.");
            return Err(OpenAiError::invalid(
                "approval_request_not_found",
                &format!("{param}.approval_request_id"),
                detail,
            ));
        };
        let Some(approve) = members.get("approve").and_then(Value::as_bool) else {
            let param = format!("{param}.approve");
            return Err(OpenAiError::invalid("invalid_type", &param, format!("'{param}' must be true or false.")));
        };
        let reason = text_of(members, "reason").map(str::to_owned);
        self.push_approval(McpApprovalAnswer { task: task.into(), call: call.to_owned(), approve, reason });
        Ok(())
    }

    /// Adds a call that an agent ran, with its output.
    fn own_call(&mut self, members: &Map<String, Value>, param: &str) -> Result<(), OpenAiError> {
        let (id, name) = (required_text(members, "id", param)?, required_text(members, "name", param)?.to_owned());
        let arguments = parse_arguments(text_of(members, "arguments").unwrap_or_default());
        let error = members.get("error").filter(|error| !error.is_null());
        let output = match (error, text_of(members, "output")) {
            (Some(Value::String(error)), _) => Json::string(error),
            (Some(error), _) => error.clone().into(),
            (None, output) => Json::string(output.unwrap_or_default()),
        };
        let call = ToolCall { id: id.strip_prefix("mcp_").unwrap_or(id).into(), name: name.clone(), arguments };
        let result = ToolResult { call: call.id.clone(), name, output, is_error: error.is_some() };
        self.push_completed_call(call, result);
        Ok(())
    }

    fn user(&mut self, parts: Vec<Part>) {
        let message = self.new_message(Role::User, parts);
        self.push_user_message(message);
    }

    fn agent(&mut self, parts: Vec<Part>) {
        let message = self.new_message(Role::Agent, parts);
        self.push_agent_message(message);
    }

    fn system(&mut self, parts: &[Part]) {
        let texts: Vec<&str> = parts
            .iter()
            .filter_map(|part| match &part.content {
                PartContent::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        self.push_system_text(texts.join("\n"));
    }
}

fn into_text(part: Part) -> Option<String> {
    match part.content {
        PartContent::Text(text) => Some(text),
        _ => None,
    }
}

/// Parses arguments, which are JSON in a string; anything but an object counts as no arguments.
fn parse_arguments(arguments: &str) -> Json {
    Json::parse(arguments).ok().filter(Json::is_object).unwrap_or_else(|| json!({}).into())
}
