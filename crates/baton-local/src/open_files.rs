//! Limit of open files and sockets of this process.

/// Upper bound, above any supported setting; beyond it, programs that close every possible file at startup become slow.
#[cfg(unix)]
const MAX_OPEN_FILES: u64 = 1 << 20;

/// Raises the soft limit as far as permitted, and returns the effective limit; `None` means unlimited or unknown.
pub fn raise_open_files() -> Option<usize> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let before = getrlimit(Resource::Nofile);
        let target = before.maximum.map_or(MAX_OPEN_FILES, |hard| hard.min(MAX_OPEN_FILES));
        if before.current.is_some_and(|soft| soft < target) {
            // If this fails, the lower limit stays in effect and is returned.
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(target), maximum: before.maximum });
        }
        getrlimit(Resource::Nofile).current.map(|soft| usize::try_from(soft).unwrap_or(usize::MAX))
    }
    #[cfg(not(unix))]
    None
}
