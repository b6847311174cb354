//! Ending a program together with everything it started.

use super::reaper::Reaper;
use std::sync::Arc;

/// A process group that is killed when this is dropped.
pub(super) struct Group {
    leader: Option<u32>,
    reaper: Option<Arc<Reaper>>,
}

impl Group {
    /// The group that the process with this id leads.
    pub(super) fn led_by(id: Option<u32>, reaper: Option<Arc<Reaper>>) -> Self {
        if let (Some(id), Some(reaper)) = (id, &reaper) {
            reaper.watch(id);
        }
        Self { leader: id, reaper }
    }

    /// Kills whatever is left of the group.
    pub(super) fn kill(&mut self) {
        let Some(leader) = self.leader.take() else { return };
        kill_group(leader);
        if let Some(reaper) = &self.reaper {
            reaper.forget(leader);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills all processes of a group.
pub(super) fn kill_group(leader: u32) {
    #[cfg(unix)]
    if let Some(leader) = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw) {
        // Fails when nobody is left, which is what is wanted.
        let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}
