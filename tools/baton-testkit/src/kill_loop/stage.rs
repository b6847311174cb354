//! Set-up of the loop: a temporary directory with copies of the agents, the data directory and the tool log.

use crate::ServerOptions;
use anyhow::{Context as _, Result};
use baton_types::Effects;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Agent that hands work off.
pub(super) const BOSS: &str = "boss";
/// Agent that runs tools.
pub(super) const WORKER: &str = "worker";

/// Tools of the worker with their declared effects; `pay` declares none.
pub(super) fn effects() -> BTreeMap<String, Effects> {
    let all = [("look", Effects::ReadOnly), ("set", Effects::Idempotent), ("pay", Effects::Unknown)];
    all.into_iter().map(|(tool, effects)| (tool.to_owned(), effects)).collect()
}

/// Copies the agents into `directory`, so that their tools write there.
pub(super) fn set_up(binary: &Path, agents: &Path, directory: &Path) -> Result<ServerOptions> {
    let mut copies = Vec::new();
    for agent in [BOSS, WORKER] {
        let copy = directory.join(agent);
        copy_tree(&agents.join(agent), &copy)?;
        copies.push(copy);
    }
    let mut options = ServerOptions::new(binary, copies, directory);
    options.arguments = ["--push-allow", "127.0.0.1"].map(str::to_owned).into();
    Ok(options)
}

/// Log to which the tools of [`set_up`]'s agents append.
pub(super) fn tool_log(directory: &Path) -> PathBuf {
    directory.join("executions.log")
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let copy = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &copy)?;
        } else {
            fs::copy(entry.path(), &copy).with_context(|| format!("cannot copy to {}", copy.display()))?;
        }
    }
    Ok(())
}
