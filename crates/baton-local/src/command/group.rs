//! Ending a program together with everything it started.

/// A process group that is killed when this is dropped.
pub(super) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    /// The group that the process with this id leads.
    pub(super) fn led_by(id: Option<u32>) -> Self {
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

    /// Kills whatever is left of the group.
    pub(super) fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader.take() {
            // Fails when nobody is left, which is what is wanted.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
