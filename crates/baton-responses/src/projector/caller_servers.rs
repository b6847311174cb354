//! Tool lists of the servers supplied by the caller.

use super::ResponseProjector;
use crate::{ListedTool, OutputItem, StreamEvent, StreamEventBody, item_id::item_id};
use baton_types::{CallerServerSpec, ToolSpec};

impl ResponseProjector {
    /// Records the servers whose tools the caller has not seen.
    pub(super) fn record_new_servers(&mut self, servers: &[CallerServerSpec]) {
        let is_new = |server: &&CallerServerSpec| !self.run_options.servers.contains(server);
        self.new_servers = servers.iter().filter(is_new).map(|server| server.label.clone()).collect();
    }

    /// Shows the tools of servers that are new in this turn.
    pub(super) fn list_tools(&mut self, out: &mut Vec<StreamEvent>) {
        for label in std::mem::take(&mut self.new_servers) {
            self.lists += 1;
            let Some(server) = self.run_options.servers.iter().find(|server| server.label == label) else { continue };
            if self.hides_tools || self.autonomous {
                continue;
            }
            let id = item_id("mcpl", &self.task, &format!("{}/{label}", self.lists));
            let list =
                |tools| OutputItem::McpListTools { id: id.clone(), server_label: label.clone(), tools, error: None };
            let (open, complete) = (list(Vec::new()), list(server.tools.iter().map(listed_tool).collect()));
            let output_index = self.add(out, open);
            let progress = || StreamEventBody::Progress { item_id: id.clone(), output_index };
            self.emit(out, "response.mcp_list_tools.in_progress", progress());
            self.emit(out, "response.mcp_list_tools.completed", progress());
            self.close(out, output_index, complete);
        }
    }

    /// Server label and original name of a tool, if it belongs to a server supplied by the caller.
    pub(super) fn caller_server_tool(&self, name: &str) -> Option<(String, String)> {
        let tool =
            self.run_options.find_caller_server_tool(name).filter(|_| !self.run_options.has_caller_tool(name))?;
        tool.mcp_server_and_tool().map(|(server, tool)| (server.to_owned(), tool.to_owned()))
    }
}

fn listed_tool(tool: &ToolSpec) -> ListedTool {
    ListedTool {
        name: tool.mcp_server_and_tool().map_or_else(|| tool.name.clone(), |(_, own)| own.to_owned()),
        description: tool.description.clone(),
        input_schema: tool.parameters.clone(),
        annotations: None,
    }
}
