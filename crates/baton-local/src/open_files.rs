//! How many files and sockets this process may have open.

/// More than any setting asks for; programs that close every possible file at their start take long beyond it.
#[cfg(unix)]
const ENOUGH: u64 = 1 << 20;

/// Raises the limit as far as the system lets this process, and returns what holds; nothing means that there is none.
pub fn raise_open_files() -> Option<usize> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let before = getrlimit(Resource::Nofile);
        let wanted = before.maximum.map_or(ENOUGH, |hard| hard.min(ENOUGH));
        if before.current.is_some_and(|soft| soft < wanted) {
            // Where the system refuses, the lower limit goes on to hold and is what is returned.
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: before.maximum });
        }
        getrlimit(Resource::Nofile).current.map(|soft| usize::try_from(soft).unwrap_or(usize::MAX))
    }
    #[cfg(not(unix))]
    None
}
