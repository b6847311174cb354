//! Kills a program together with its child processes.

/// A process group that is killed on drop.
pub(super) struct CommandProcessGroup {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl CommandProcessGroup {
    /// The group with this process as leader.
    pub(super) fn from_leader(id: Option<u32>) -> Self {
        #[cfg(unix)]
        {
            let leader = id.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
            Self { leader }
        }
        #[cfg(not(unix))]
        {
            let _ = id;
            Self {}
        }
    }

    /// Kills the remaining processes of the group.
    pub(super) fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader.take() {
            // Fails if no process is left, which is the intended state.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for CommandProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}
