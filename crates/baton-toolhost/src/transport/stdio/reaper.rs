//! Helper process that kills the programs when Baton itself is killed.
//!
//! It reads the process groups to watch from its standard input, which closes when Baton exits for any reason.

use super::group::kill_group;
use parking_lot::Mutex;
use std::{
    collections::BTreeSet,
    io::{BufRead, Write as _},
    process::{Child, ChildStdin, Stdio},
};

/// Reads `+ID` and `-ID` lines and kills the remaining groups at the end of input. Entry point of the command given to
/// [`super::StdioConnector::with_reaper`].
pub fn reap_groups(input: impl BufRead) {
    let mut groups = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        match line.split_at_checked(1) {
            Some(("+", id)) => groups.extend(id.parse::<u32>().ok()),
            Some(("-", id)) => groups.retain(|group| id.parse() != Ok(*group)),
            _ => {}
        }
    }
    groups.into_iter().filter(|id| *id > 1).for_each(kill_group);
}

/// Client of the helper process, which is started before the first program.
#[derive(Debug)]
pub(super) struct Reaper {
    command: Vec<String>,
    running: Mutex<Option<(Child, ChildStdin)>>,
}

impl Reaper {
    pub(super) fn new(command: Vec<String>) -> Self {
        Self { command, running: Mutex::new(None) }
    }

    /// Must be called before a program is started, so that it is never unwatched.
    pub(super) fn ensure_started(&self) {
        self.send_line("");
    }

    pub(super) fn watch(&self, leader: u32) {
        self.send_line(&format!("+{leader}\n"));
    }

    pub(super) fn unwatch(&self, leader: u32) {
        self.send_line(&format!("-{leader}\n"));
    }

    /// Ignores failures: the reaper only matters when Baton is killed.
    fn send_line(&self, line: &str) {
        let mut running = self.running.lock();
        if running.is_none() {
            *running = self.start();
        }
        if let Some((_, input)) = running.as_mut() {
            let _ = input.write_all(line.as_bytes());
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a part of Baton itself, which has to outlive it")]
    fn start(&self) -> Option<(Child, ChildStdin)> {
        let (program, arguments) = self.command.split_first()?;
        let mut command = std::process::Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A signal to Baton's process group must not kill the reaper as well.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().ok()?;
        let input = child.stdin.take()?;
        Some((child, input))
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        if let Some((mut child, input)) = self.running.get_mut().take() {
            drop(input);
            // The process exits at the end of its input.
            let _ = child.wait();
        }
    }
}
