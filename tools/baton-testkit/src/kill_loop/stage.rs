//! Where the loop plays: a scratch directory with copies of the agents, the data directory and the tools' log.

use crate::ServerOptions;
use anyhow::{Context as _, Result};
use baton_types::Effects;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Hands work over.
pub(super) const BOSS: &str = "boss";
/// Runs tools.
pub(super) const WORKER: &str = "worker";

/// The tools of the worker and what they say about being repeated; `pay` says nothing.
pub(super) fn effects() -> BTreeMap<String, Effects> {
    let all = [("look", Effects::ReadOnly), ("set", Effects::Idempotent), ("pay", Effects::Unknown)];
    all.into_iter().map(|(tool, effects)| (tool.to_owned(), effects)).collect()
}

/// Copies the agents into `directory`, so that what their tools write stays there.
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

/// What the tools of [`set_up`]'s agents append to.
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
