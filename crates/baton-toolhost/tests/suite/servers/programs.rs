//! Servers that are programs: the test binary itself, started with a variable that selects the behavior.

use super::world::{Agents, SERVER_TEST_NAME, agent, eventually, host, name, program, status, tools};
use baton_ports::ServerState;
use baton_toolhost::{
    CallOptions, ConnectorRegistry, HostSettings, McpServers, ServerError, ServerReply, StdioConnector, TransportKind,
    reap_groups,
};
use baton_types::{McpServer, McpTransport};
use serde_json::{Value, json};
use std::{io::Write as _, sync::Arc, time::Duration};
use tokio::io::AsyncBufReadExt as _;

/// Not a test by itself: with the variable set, the process is a server.
#[test]
fn plays_a_server() {
    if let Ok(kind) = std::env::var("SCRIPTED_SERVER") {
        serve(&kind);
        std::process::exit(0);
    }
}

fn serve(kind: &str) {
    // The test harness leaves its current line unfinished.
    say(std::io::stdout(), "");
    match kind {
        "exits" => {
            say(std::io::stderr(), "the key is missing");
            std::process::exit(3);
        }
        "reaper" => return reap_groups(std::io::stdin().lock()),
        "baton" => return run_baton(),
        "floods" => loop {
            let _ = std::io::stdout().write_all(b"bla bla bla\n");
        },
        "tells" => std::env::vars().for_each(|(name, value)| say(std::io::stderr(), &format!("{name} is {value}"))),
        "chats" => (0..150).for_each(|at| say(std::io::stderr(), &format!("line {at}"))),
        _ => {}
    }
    // A process that does not exit by itself and has to be killed.
    let grandchild = (kind == "family").then(sleeper);
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).unwrap();
        if let Some(result) = reply(kind, &message, grandchild) {
            let mut reply = json!({"jsonrpc": "2.0", "id": message["id"]});
            match result {
                Ok(result) => reply["result"] = result,
                Err(code) => reply["error"] = json!({"code": code, "message": "no"}),
            }
            say(std::io::stdout(), &reply.to_string());
        }
    }
    if kind == "family" {
        loop {
            std::thread::park();
        }
    }
}

fn say(mut to: impl std::io::Write, line: &str) {
    let _ = writeln!(to, "{line}");
}

#[expect(clippy::disallowed_methods, reason = "a grandchild that outlives its parent unless somebody ends it")]
fn sleeper() -> u32 {
    std::process::Command::new("sleep").arg("3600").spawn().unwrap().id()
}

fn reply(kind: &str, message: &Value, grandchild: Option<u32>) -> Option<Result<Value, i64>> {
    Some(match message["method"].as_str()? {
        "server/discover" if kind == "exits-on-discover" => std::process::exit(1),
        "server/discover" => Err(-32601),
        "initialize" => Ok(super::script::initialized()),
        "tools/list" => Ok(json!({"tools": [super::script::tool("t")]})),
        "tools/call" => Ok(super::script::text(&match kind {
            "crashes" => std::process::exit(9),
            "big" => "x".repeat(20 << 20),
            "family" => format!("{} {}", std::process::id(), grandchild?),
            _ => {
                let mut names: Vec<_> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
                names.sort();
                names.push(std::env::current_dir().unwrap().to_string_lossy().into_owned());
                names.join("\n")
            }
        })),
        _ => return None,
    })
}

fn start_programs(servers: Vec<McpServer>) -> (Agents, McpServers) {
    let agents = Agents::with_servers(servers);
    let servers = host(&agents, &[]);
    (agents, servers)
}

async fn call(servers: &McpServers) -> Result<String, ServerError> {
    match servers.call_tool(&name(), "s", "t", CallOptions::default()).await? {
        ServerReply::Done(result) => Ok(result.content[0].as_text().unwrap().text.clone()),
        ServerReply::InputRequired { .. } => panic!("unexpected input request"),
    }
}

#[tokio::test]
async fn failed_programs_have_reason_log_and_hint() {
    let mut missing = program("missing", "");
    missing.transport = McpTransport::Stdio {
        command: "no-such-program-anywhere".into(),
        args: Vec::new(),
        env: [].into(),
        env_file: None,
        cwd: None,
        base: "/".into(),
    };
    let mut unset = program("unset", "");
    if let McpTransport::Stdio { env, .. } = &mut unset.transport {
        env.insert("TOKEN".into(), "${BATON_TEST_VARIABLE_THAT_IS_NOT_SET}".into());
    }
    let (_agents, servers) = start_programs(vec![program("exits", "exits"), missing, unset, program("good", "")]);
    let offered = servers.tools(&agent(), Duration::from_secs(60)).await;
    assert_eq!(offered.len(), 1);
    let told: Vec<_> = ["exits", "missing", "unset"]
        .into_iter()
        .map(|name| {
            let status = status(&servers, name);
            let log: Vec<_> = status.log.iter().filter(|line| !line.starts_with("[baton]")).cloned().collect();
            format!("{name}: {}\n  {}\n  {log:?}", status.reason.unwrap(), status.hint.unwrap())
        })
        .collect();
    insta::with_settings!({filters => vec![("(, )?\"the key is missing\"(, \"the key is missing\")*", "$1\"the key is missing\"")]}, {
        insta::assert_snapshot!(told.join("\n"));
    });
}

#[tokio::test]
async fn program_gets_a_minimal_environment_and_its_directory() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("work")).unwrap();
    std::fs::write(directory.path().join(".env"), "FROM_FILE=1\nBOTH=file\n").unwrap();
    let mut server = program("s", "env");
    if let McpTransport::Stdio { env, env_file, cwd, base, .. } = &mut server.transport {
        env.insert("BOTH".into(), "definition".into());
        env.insert("HOME_WAS".into(), "${HOME:-nowhere}".into());
        *env_file = Some(".env".into());
        *cwd = Some("work".into());
        *base = directory.path().to_string_lossy().into_owned();
    }
    let (_agents, servers) = start_programs(vec![server]);
    let told = call(&servers).await.unwrap();
    let lines: Vec<_> = told.lines().collect();
    assert!(lines.contains(&"FROM_FILE=1") && lines.contains(&"BOTH=definition"), "{told}");
    assert!(lines.iter().any(|line| line.starts_with("PATH=")), "{told}");
    assert!(!lines.iter().any(|line| line.starts_with("CARGO")), "{told}");
    assert!(lines.last().unwrap().ends_with("/work"), "{told}");
}

#[tokio::test]
async fn program_secrets_are_hidden_in_results_and_log() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("keys"), "FILE_TOKEN=s3cret-of-file\nTOWN=Springfield\n").unwrap();
    let mut server = program("s", "tells");
    if let McpTransport::Stdio { env, env_file, base, .. } = &mut server.transport {
        env.insert("OWN".into(), "Basic env://OWN_SECRET".into());
        env.insert("API_KEY".into(), "s3cret-literal".into());
        env.insert("SEEN".into(), "as it is".into());
        *env_file = Some("keys".into());
        *base = directory.path().to_string_lossy().into_owned();
    }
    let mut missing = program("missing", "env");
    if let McpTransport::Stdio { env, .. } = &mut missing.transport {
        env.insert("KEY".into(), "env://BATON_TEST_VARIABLE_THAT_IS_NOT_SET".into());
    }
    let agents = Agents::with_variables(vec![server, missing], &[("OWN_SECRET", "s3cret-of-own")]);
    let servers = host(&agents, &[]);
    servers.start_servers(&name());
    let told = call(&servers).await.unwrap();
    let lines: Vec<_> = told.lines().collect();
    for line in ["OWN=Basic [hidden]", "API_KEY=[hidden]", "FILE_TOKEN=[hidden]", "SEEN=as it is", "TOWN=Springfield"] {
        assert!(lines.contains(&line), "{line}: {told}");
    }
    eventually(&servers, |statuses| statuses[1].state == ServerState::Failed).await;
    let (status, missing) = (status(&servers, "s"), status(&servers, "missing"));
    assert!(status.log.contains(&"API_KEY is [hidden]".to_owned()), "{:?}", status.log);
    assert!(!format!("{status:?}{told}").contains("s3cret"), "{status:?}");
    let reason = missing.reason.unwrap();
    assert_eq!(reason, "`env.KEY` uses the variable BATON_TEST_VARIABLE_THAT_IS_NOT_SET, which is not set");
    assert!(missing.hint.unwrap().starts_with("set it where Baton runs or in the .env beside the agent"));
}

#[tokio::test]
async fn program_that_exits_on_the_probe_works() {
    let (_agents, servers) = start_programs(vec![program("s", "exits-on-discover")]);
    assert_eq!(tools(&servers).await, ["s__t"]);
    assert_eq!(status(&servers, "s").reason, None);
}

#[tokio::test]
async fn crashed_program_is_restarted() {
    let (_agents, servers) = start_programs(vec![program("s", "crashes")]);
    let error = call(&servers).await.unwrap_err();
    assert!(error.to_string().ends_with("broke: the program ended with exit code 9"), "{error}");
    eventually(&servers, |statuses| statuses[0].state == ServerState::Ready).await;
}

#[tokio::test]
async fn flooding_program_is_killed_and_long_line_is_dropped() {
    let (_agents, servers) = start_programs(vec![program("s", "big"), program("floods", "floods")]);
    servers.start_servers(&name());
    let error = call(&servers).await.unwrap_err();
    assert!(error.to_string().contains("longer than 16 MiB and was dropped"), "{error}");
    assert_eq!(status(&servers, "s").state, ServerState::Ready);
    eventually(&servers, |statuses| {
        statuses[1].reason.as_deref().is_some_and(|reason| reason.contains("floods its output"))
    })
    .await;
}

#[tokio::test]
async fn last_hundred_log_lines_are_kept() {
    let (_agents, servers) = start_programs(vec![program("s", "chats")]);
    assert_eq!(tools(&servers).await, ["s__t"]);
    let mut log = status(&servers, "s").log;
    // The first line of the test harness on standard output is logged, too.
    while log.iter().all(|line| line != "line 149") {
        tokio::task::yield_now().await;
        log = status(&servers, "s").log;
    }
    assert_eq!(log.len(), 100);
    assert!(!log.contains(&"line 0".to_owned()));
}

fn is_alive(id: &str) -> bool {
    // A zombie is dead and only waits to be reaped.
    std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z"))
}

async fn wait_until_gone(ids: &str) {
    for id in ids.split(' ') {
        while is_alive(id) {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn program_group_is_killed_on_close_drop_and_removal() {
    let (_agents, servers) = start_programs(vec![program("s", "family")]);
    let ids = call(&servers).await.unwrap();
    assert!(ids.split(' ').all(is_alive), "{ids}");
    servers.close().await;
    // A signal is delivered immediately, but takes effect a moment later.
    wait_until_gone(&ids).await;

    let (agents, servers) = start_programs(vec![program("s", "family")]);
    let ids = call(&servers).await.unwrap();
    drop(servers);
    wait_until_gone(&ids).await;

    let servers = host(&agents, &[]);
    let ids = call(&servers).await.unwrap();
    agents.change(Vec::new());
    wait_until_gone(&ids).await;
}

/// A separate Baton process with one server that prints the process ids and then idles.
#[tokio::main(flavor = "current_thread")]
async fn run_baton() {
    let exe = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let reaper =
        ["env", "SCRIPTED_SERVER=reaper", &exe, SERVER_TEST_NAME, "--exact", "--nocapture", "--test-threads=1"];
    let stdio = StdioConnector::with_reaper(reaper.map(str::to_owned).to_vec());
    let connectors = ConnectorRegistry::new().with(TransportKind::Stdio, Arc::new(stdio));
    let agents = Agents::with_servers(vec![program("s", "family")]);
    let servers = McpServers::new(Arc::new(agents), connectors, HostSettings::default());
    say(std::io::stdout(), &format!("started {}", call(&servers).await.unwrap()));
    std::future::pending::<()>().await;
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a Baton that is killed has to be a process of its own")]
async fn program_groups_are_killed_when_baton_is_killed() {
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args([SERVER_TEST_NAME, "--exact", "--nocapture", "--test-threads=1"])
        .env("SCRIPTED_SERVER", "baton")
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = tokio::io::BufReader::new(child.stdout.take().unwrap()).lines();
    let ids = loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if let Some(ids) = line.strip_prefix("started ") {
            break ids.to_owned();
        }
    };
    assert!(ids.split(' ').all(is_alive), "{ids}");
    child.kill().await.unwrap();
    wait_until_gone(&ids).await;
}

#[test]
fn exited_groups_are_not_killed() {
    // Nothing is left to kill; if the group of this test were killed, the next line would not run.
    let own = std::process::id();
    reap_groups(format!("+{own}\n+1\nnonsense\n-{own}\n").as_bytes());
}
