//! Tool lists of the servers supplied by the caller.

use super::Projector;
use crate::{Body, ListedTool, OutputItem, StreamEvent, item_id::item_id};
use baton_types::{GuestServer, ToolSpec};

impl Projector {
    /// Records the servers whose tools the caller has not seen.
    pub(super) fn meet(&mut self, servers: &[GuestServer]) {
        let is_new = |server: &&GuestServer| !self.wishes.servers.contains(server);
        self.met = servers.iter().filter(is_new).map(|server| server.label.clone()).collect();
    }

    /// Shows the tools of servers that are new in this turn.
    pub(super) fn list_tools(&mut self, out: &mut Vec<StreamEvent>) {
        for label in std::mem::take(&mut self.met) {
            self.lists += 1;
            let Some(server) = self.wishes.servers.iter().find(|server| server.label == label) else { continue };
            if self.hides_tools || self.autonomous {
                continue;
            }
            let id = item_id("mcpl", &self.task, &format!("{}/{label}", self.lists));
            let list =
                |tools| OutputItem::McpListTools { id: id.clone(), server_label: label.clone(), tools, error: None };
            let (open, whole) = (list(Vec::new()), list(server.tools.iter().map(listed).collect()));
            let output_index = self.add(out, open);
            let progress = || Body::Progress { item_id: id.clone(), output_index };
            self.emit(out, "response.mcp_list_tools.in_progress", progress());
            self.emit(out, "response.mcp_list_tools.completed", progress());
            self.close(out, output_index, whole);
        }
    }

    /// Server label and original name of a tool, if it belongs to a server supplied by the caller.
    pub(super) fn at_guest(&self, name: &str) -> Option<(String, String)> {
        let tool = self.wishes.guest_tool(name).filter(|_| !self.wishes.has_tool(name))?;
        tool.at_server().map(|(server, tool)| (server.to_owned(), tool.to_owned()))
    }
}

fn listed(tool: &ToolSpec) -> ListedTool {
    ListedTool {
        name: tool.at_server().map_or_else(|| tool.name.clone(), |(_, own)| own.to_owned()),
        description: tool.description.clone(),
        input_schema: tool.parameters.clone(),
        annotations: None,
    }
}
