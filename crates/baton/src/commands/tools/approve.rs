//! `baton tools approve`: sets a permission in the agent's definition.

use super::agent_selector::AgentSelector;
use crate::{
    connect::client_failure,
    failure::{CliError, Exit},
    screen::{Screen, one_line},
};
use baton_api::{PermissionReply, PermissionState, SetPermission};
use baton_types::Permission;
use clap::Args;
use serde_json::json;

/// Maximum characters of a text from a third party.
const MAX_TEXT_CHARS: usize = 120;

/// Options of `baton tools approve`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton tools approve helper files__read_file           allow a tool without asking
  baton tools approve helper files__delete --deny       deny a tool
  baton tools approve helper 'files__*' --ask           ask for all tools of a server that have no
                                                        permission of their own; same as 'files'
  baton tools approve helper files --disable            disable a server
  baton tools approve helper files__search --enable     enable a tool again

The permission is written to the definition of the tool: the entry of its server in mcp.json,
tspark.json or agent.yaml, or the tool in agent.yaml. Comments and the rest of the file are kept. It
applies from the next call on; a run in progress keeps the tools that its agent defines itself.")]
pub(super) struct ToolApproveOptions {
    #[command(flatten)]
    selector: AgentSelector,
    /// Tool name from `baton tools list`, or a server as NAME or 'NAME__*'
    tool: String,
    /// Require approval before each call
    #[arg(long, conflicts_with = "deny")]
    ask: bool,
    /// Deny all calls; the tool is not offered to the model
    #[arg(long)]
    deny: bool,
    /// Disable the tool or server; its permission stays unchanged
    #[arg(long, conflicts_with = "enable")]
    disable: bool,
    /// Enable the tool or server; its permission stays unchanged
    #[arg(long)]
    enable: bool,
}

impl ToolApproveOptions {
    fn change(&self) -> SetPermission {
        let switched = self.disable || self.enable;
        let permission = match (self.ask, self.deny) {
            (true, _) => Some(Permission::Ask),
            (_, true) => Some(Permission::Deny),
            _ => (!switched).then_some(Permission::Allow),
        };
        SetPermission { permission, disabled: switched.then_some(self.disable) }
    }
}

/// Writes the permission and prints the change and the file.
pub(super) async fn run(options: ToolApproveOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.selector.session(screen).await?;
    let change = options.change();
    let set = session.client.set_tool_permission(&options.selector.agent, &options.tool, &change).await;
    session.close().await;
    let set = set.map_err(client_failure)?;
    match screen.is_json() {
        true => screen.print(&json!(set).to_string()),
        false => {
            screen.print(&format_change(&set, change));
            if set.tool.is_none() && change.permission.is_some() {
                screen.print_stderr("  this applies to its tools without a permission of their own");
            }
            if let Some(remark) = &set.note {
                screen.print_stderr(&format!("  note: {}", one_line(remark, 2 * MAX_TEXT_CHARS)));
            }
        }
    }
    Ok(Exit::Ok)
}

fn format_change(set: &PermissionReply, change: SetPermission) -> String {
    let name = match (&set.tool, &set.server) {
        (Some(tool), _) => tool.clone(),
        (None, Some(server)) => format!("server {server}"),
        (None, None) => String::new(),
    };
    let (name, now, before) =
        (one_line(&name, MAX_TEXT_CHARS), format_state(set.permission, change), format_state(set.previous, change));
    match (set.changed, now == before) {
        (true, false) => format!("{name}: {now} (before: {before}); written to {}", set.file),
        (true, true) => format!("{name}: {now}, as before; written to {}", set.file),
        (false, _) => format!("{name}: {now}, as already set in {}", set.file),
    }
}

/// The properties of `state` that `change` sets.
fn format_state(state: PermissionState, change: SetPermission) -> String {
    let permission = change.permission.map(|_| match state.permission {
        Permission::Allow => "runs without asking",
        Permission::Ask => "asks first",
        Permission::Deny => "denied",
    });
    let switch = change.disabled.map(|_| if state.disabled { "disabled" } else { "enabled" });
    permission.into_iter().chain(switch).collect::<Vec<_>>().join(", ")
}
