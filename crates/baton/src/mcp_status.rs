//! Messages about the MCP servers of agents while they start.

use crate::screen::{Screen, one_line};
use baton_ports::{ServerState, ServerStatus};
use baton_types::AgentName;
use serde_json::json;

/// Maximum characters shown of untrusted text.
const MAX_TEXT_CHARS: usize = 200;

/// Prints the status of a server.
pub(crate) fn print_status(agent: &AgentName, status: &ServerStatus, screen: Screen) {
    let ServerStatus { name, state, tools, reason, hint, .. } = status;
    if screen.is_json() {
        let server = json!({
            "agent": agent, "name": name, "state": state.as_str(), "tools": tools, "reason": reason, "hint": hint,
        });
        screen.print(&json!({"mcp_server": server}).to_string());
        return;
    }
    let paint = screen.stderr_paint();
    let subject = format!("{}: MCP server {}", paint.name(agent.as_str()), one_line(name, MAX_TEXT_CHARS));
    let reason = one_line(reason.as_deref().unwrap_or("unknown reason"), MAX_TEXT_CHARS);
    match state {
        ServerState::Ready => {
            let count = format!("{tools} tool{}", if *tools == 1 { "" } else { "s" });
            screen.print_stderr(&format!("{subject} {} ({count})", paint.good("is ready")));
        }
        ServerState::Starting | ServerState::Idle => {
            screen.print_stderr(&format!("{subject} {} it has not answered yet", paint.warn("is still starting:")));
        }
        ServerState::NeedsLogin => screen.print_stderr(&format!("{subject} {} {reason}", paint.warn("needs a login:"))),
        _ => screen.print_stderr(&format!("{subject} {} {reason}", paint.bad("failed:"))),
    }
    if let Some(hint) = hint.as_ref().filter(|_| *state != ServerState::Ready) {
        screen.print_stderr(&format!("  hint: {}", one_line(hint, 2 * MAX_TEXT_CHARS)));
    }
}
