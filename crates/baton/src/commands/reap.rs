//! The program beside Baton that ends MCP servers when Baton was killed. Baton starts it itself.

use crate::failure::Exit;
use std::io;

/// Its name on the command line.
const NAME: &str = "end-orphans";

/// How this program is started for it.
pub(crate) fn command() -> Option<Vec<String>> {
    let program = std::env::current_exe().ok()?.to_str()?.to_owned();
    Some(vec![program, NAME.to_owned()])
}

/// Waits for the end of stdin, and ends what is left.
pub(crate) fn run() -> Exit {
    crate::wiring::reap_groups(io::stdin().lock());
    Exit::Ok
}
