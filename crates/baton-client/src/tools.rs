//! Tools of an agent: listing, calls and permissions.

use crate::{Client, ClientError};
use baton_api::{AnswerTool, PermissionReply, SetPermission, ToolList, ToolReply};
use baton_encoding::path_segment;
use baton_types::Json;
use std::time::Duration;

impl Client {
    /// The tools of an agent and the status of its MCP servers; waits up to `wait`, at most 30 s, for servers that are
    /// starting.
    pub async fn tools(&self, agent: &str, wait: Duration) -> Result<ToolList, ClientError> {
        self.document(&format!("/api/v1/agents/{}/tools?wait={}ms", path_segment(agent), wait.as_millis())).await
    }

    /// Calls a tool with an object of arguments, until it ends or needs input.
    pub async fn call_tool(&self, agent: &str, tool: &str, arguments: &Json) -> Result<ToolReply, ClientError> {
        self.post(&path(agent, tool), arguments).await
    }

    /// Continues a call that needs input; with only the answer to `baton/approval` it starts an approved call.
    pub async fn answer_tool(&self, agent: &str, tool: &str, answer: &AnswerTool) -> Result<ToolReply, ClientError> {
        self.post(&format!("{}/answers", path(agent, tool)), answer).await
    }

    /// Writes the permission of a tool, or of a whole server (`files__*`, or the server's name), into the agent's
    /// definition; for administrators.
    pub async fn set_tool_permission(
        &self,
        agent: &str,
        tool: &str,
        permission: &SetPermission,
    ) -> Result<PermissionReply, ClientError> {
        self.put(&format!("{}/permission", path(agent, tool)), permission).await
    }

    /// Writes the permission of an MCP server into the agent's definition; for administrators.
    pub async fn set_server_permission(
        &self,
        agent: &str,
        server: &str,
        permission: &SetPermission,
    ) -> Result<PermissionReply, ClientError> {
        let path = format!("/api/v1/agents/{}/servers/{}/permission", path_segment(agent), path_segment(server));
        self.put(&path, permission).await
    }
}

fn path(agent: &str, tool: &str) -> String {
    format!("/api/v1/agents/{}/tools/{}", path_segment(agent), path_segment(tool))
}
