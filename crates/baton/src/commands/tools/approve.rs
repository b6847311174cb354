//! `baton tools approve AGENT TOOL`: what may run from now on, written into the agent's definition.

use super::which::Which;
use crate::{
    connect::failure,
    failure::{Exit, Failure},
    screen::{Screen, one_line},
};
use baton_types::Permission;
use baton_wire::api::{PermissionReply, PermissionState, SetPermission};
use clap::Args;
use serde_json::json;

/// Most characters of a text that somebody else chose.
const SHOWN: usize = 120;

/// What `baton tools approve` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton tools approve helper files__read_file           it runs without asking from now on
  baton tools approve helper files__delete --deny       it is neither offered nor run
  baton tools approve helper 'files__*' --ask           all tools of that server of which nothing
                                                        else is said; its name alone does it too
  baton tools approve helper files --disable            the server is not used at all
  baton tools approve helper files__search --enable     a tool that was switched off is back

The word is written where the tool comes from: into the entry of its server in mcp.json, tspark.json
or agent.yaml, or to the tool in agent.yaml. Comments and everything else in the file stay. It holds
for the next call; a run in progress keeps its agent's own tools as they were.")]
pub(super) struct Options {
    #[command(flatten)]
    which: Which,
    /// The tool, as `baton tools list` names it, or a server: its name, or 'NAME__*'
    tool: String,
    /// Somebody is asked before it runs
    #[arg(long, conflicts_with = "deny")]
    ask: bool,
    /// It never runs, and is not offered
    #[arg(long)]
    deny: bool,
    /// Switch it off; what may run stays as it is
    #[arg(long, conflicts_with = "enable")]
    disable: bool,
    /// Switch it on again; what may run stays as it is
    #[arg(long)]
    enable: bool,
}

impl Options {
    fn word(&self) -> SetPermission {
        let switched = self.disable || self.enable;
        let permission = match (self.ask, self.deny) {
            (true, _) => Some(Permission::Ask),
            (_, true) => Some(Permission::Deny),
            _ => (!switched).then_some(Permission::Allow),
        };
        SetPermission { permission, disabled: switched.then_some(self.disable) }
    }
}

/// Has it written, and says what changed and where.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let session = options.which.session(screen).await?;
    let word = options.word();
    let set = session.client.set_tool_permission(&options.which.agent, &options.tool, &word).await;
    session.close().await;
    let set = set.map_err(failure)?;
    match screen.is_json() {
        true => screen.print(&json!(set).to_string()),
        false => {
            screen.print(&line(&set, word));
            if set.tool.is_none() && word.permission.is_some() {
                screen.say("  this is for its tools of which nothing else is said");
            }
            if let Some(remark) = &set.remark {
                screen.say(&format!("  note: {}", one_line(remark, 2 * SHOWN)));
            }
        }
    }
    Ok(Exit::Ok)
}

fn line(set: &PermissionReply, word: SetPermission) -> String {
    let name = match (&set.tool, &set.server) {
        (Some(tool), _) => tool.clone(),
        (None, Some(server)) => format!("server {server}"),
        (None, None) => String::new(),
    };
    let (name, now, before) = (one_line(&name, SHOWN), told(set.now, word), told(set.before, word));
    match (set.written, now == before) {
        (true, false) => format!("{name}: {now} (before: {before}); written to {}", set.file),
        (true, true) => format!("{name}: {now}, as before; written to {}", set.file),
        (false, _) => format!("{name}: {now} already, says {}", set.file),
    }
}

/// Of what was asked for.
fn told(state: PermissionState, word: SetPermission) -> String {
    let permission = word.permission.map(|_| match state.permission {
        Permission::Allow => "runs without asking",
        Permission::Ask => "asks first",
        Permission::Deny => "denied",
    });
    let switch = word.disabled.map(|_| if state.disabled { "switched off" } else { "switched on" });
    permission.into_iter().chain(switch).collect::<Vec<_>>().join(", ")
}
