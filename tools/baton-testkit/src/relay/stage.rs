//! Set-up of the two Batons.

use crate::ServerOptions;
use anyhow::{Context as _, Result};
use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
};

/// Agent that hands work off.
pub(super) const BOSS: &str = "boss";
/// Name of the far Baton's agent at the near one.
pub(super) const FAR: &str = "far";
/// Name of that agent at the far Baton.
pub(super) const WORKER: &str = "worker";

const BOSS_AGENT: &str = "name: boss\ntitle: Boss\ndescription: Hands everything over.\n\
    handoffs: [{ agent: far, description: Does the work. }]\n";
const BOSS_RULES: &str = "rules:\n\
    \x20 - when: { after_tool: handoff }\n    say: \"The answer is: ${results}\"\n\
    \x20 - when: { user: \"^(?P<work>.+)$\", turn: first }\n\
    \x20   call: [{ tool: handoff, args: { agent_uri: far, message: \"${work}\" } }]\n\
    options: { chunk: 16, ms_per_chunk: 4 }\n";
const WORKER_AGENT: &str = "name: worker\ntitle: Worker\ndescription: Does the work.\n\
    tools:\n\
    \x20 - { name: work, description: Works., command: [\"sleep\", \"0.04\"], effects: idempotent }\n\
    \x20 - name: pay\n    description: Pays, once for each job.\n\
    \x20   command: [\"sh\", \"-c\", 'echo \"$1 $BATON_CALL_ID $PPID\" >> ../effects.log; sleep 0.06', pay, \"${job}\"]\n\
    \x20   parameters: { type: object, properties: { job: { type: string } }, required: [job] }\n";
const WORKER_RULES: &str = "rules:\n\
    \x20 - when: { after_tool: pay }\n    say: \"done with ${user}, piece by piece, as far away as it is\"\n\
    \x20 - when: { after_tool: work }\n    call: [{ tool: pay, args: { job: \"${user}\" } }]\n\
    \x20 - when: { user: \".\", turn: first }\n    call: work\n\
    options: { chunk: 8, ms_per_chunk: 4 }\n";

/// Options of the near and the far Baton; the far one keeps its address across restarts.
pub(super) fn set_up(binary: &Path, directory: &Path) -> Result<(ServerOptions, ServerOptions)> {
    let mut far = baton(binary, directory, "far", WORKER, WORKER_AGENT, WORKER_RULES)?;
    far.port = free_port(directory.as_os_str().len())?;
    let mut near = baton(binary, directory, "near", BOSS, BOSS_AGENT, BOSS_RULES)?;
    let config = directory.join("near").join("peers.yaml");
    let url = format!("http://127.0.0.1:{}/agents/{WORKER}", far.port);
    write(&config, &format!("peers:\n  - {{ name: {FAR}, url: \"{url}\", allow: [\"127.0.0.1\"] }}\n"))?;
    near.arguments = vec!["--config".to_owned(), config.display().to_string()];
    Ok((near, far))
}

/// Log of the tool with unknown effects: a line of `JOB CALL PARENT` for each execution.
pub(super) fn effects_log(directory: &Path) -> PathBuf {
    directory.join("far").join("effects.log")
}

fn baton(binary: &Path, directory: &Path, side: &str, name: &str, agent: &str, rules: &str) -> Result<ServerOptions> {
    let home = directory.join(side);
    let folder = home.join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    write(&folder.join("agent.yaml"), agent)?;
    write(&folder.join("playbook.yaml"), rules)?;
    write(&folder.join("prompt.md"), "You are for testing.\n")?;
    Ok(ServerOptions::new(binary, vec![folder], &home))
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// A port that is free and outside the ephemeral range, so that it is still free at the next start.
fn free_port(salt: usize) -> Result<u16> {
    const FIRST: usize = 20_000;
    const COUNT: usize = 10_000;
    let start = std::process::id() as usize * 31 + salt;
    let ports = (0..COUNT).map(|offset| FIRST + (start + offset) % COUNT).filter_map(|port| u16::try_from(port).ok());
    let mut free = ports.filter(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok());
    free.next().context("no port is free")
}
