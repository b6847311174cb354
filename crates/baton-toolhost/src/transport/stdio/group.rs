//! Kills a program with all its descendants.

use super::reaper::Reaper;
use std::sync::Arc;

/// A process group, killed on drop.
pub(super) struct ProcessGroup {
    leader: Option<u32>,
    reaper: Option<Arc<Reaper>>,
}

impl ProcessGroup {
    /// The group led by the process with this id.
    pub(super) fn from_leader(id: Option<u32>, reaper: Option<Arc<Reaper>>) -> Self {
        if let (Some(id), Some(reaper)) = (id, &reaper) {
            reaper.watch(id);
        }
        Self { leader: id, reaper }
    }

    /// Kills the remaining processes of the group.
    pub(super) fn kill(&mut self) {
        let Some(leader) = self.leader.take() else { return };
        kill_group(leader);
        if let Some(reaper) = &self.reaper {
            reaper.unwatch(leader);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills all processes of a group.
pub(super) fn kill_group(leader: u32) {
    #[cfg(unix)]
    if let Some(leader) = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw) {
        // Fails when no process is left, which is fine.
        let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}
