//! Helper process that terminates MCP servers after Baton was killed. Baton starts it.

use crate::failure::Exit;
use std::io;

/// Name of the hidden subcommand.
const NAME: &str = "end-orphans";

/// Command line that starts the helper process.
pub(crate) fn command() -> Option<Vec<String>> {
    let program = std::env::current_exe().ok()?.to_str()?.to_owned();
    Some(vec![program, NAME.to_owned()])
}

/// Waits until stdin closes, then terminates the remaining process groups.
pub(crate) fn run() -> Exit {
    baton_server::reap_groups(io::stdin().lock());
    Exit::Ok
}
