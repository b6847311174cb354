//! Agents that a server needs to open.

use super::write_agent;
use baton_server::{
    AgentOptions, AgentRequirement, LostJournal, Persistence, Server, ServerOptions, list_local_agents,
};
use baton_types::ErrorCode;

#[tokio::test]
async fn a_server_without_the_required_agents_creates_nothing() {
    let home = tempfile::tempdir().expect("a directory");
    let (good, empty, broken) = (write_agent(home.path()), home.path().join("empty"), home.path().join("broken"));
    for directory in [&empty, &broken] {
        std::fs::create_dir_all(directory).expect("a directory");
    }
    std::fs::write(broken.join("agent.yaml"), "name: [\n").expect("written");
    let missing = home.path().join("missing");
    let data = home.path().join("data");
    use AgentRequirement::{Optional, Reachable, Required, Unchecked};
    for (requirement, path, expect) in [
        (Required, &good, None),
        (Required, &empty, Some(ErrorCode::AGENT_NOT_FOUND)),
        (Required, &missing, Some(ErrorCode::AGENT_NOT_FOUND)),
        (Required, &broken, Some(ErrorCode::AGENT_INVALID)),
        (Optional, &empty, None),
        (Optional, &broken, Some(ErrorCode::AGENT_INVALID)),
        (Reachable, &empty, Some(ErrorCode::AGENT_NOT_FOUND)),
        (Reachable, &good, None),
        (Unchecked, &broken, None),
        (Unchecked, &empty, None),
    ] {
        let opened = Server::open(ServerOptions {
            persistence: Persistence::Directory(data.clone()),
            lost_journal: LostJournal::Reject,
            agents: AgentOptions { paths: vec![path.clone()], requirement, ..AgentOptions::default() },
            ..ServerOptions::default()
        });
        match opened.await {
            Ok(server) => {
                assert_eq!(None, expect, "{requirement:?} {path:?}");
                server.close().await;
                std::fs::remove_dir_all(&data).expect("removed");
            }
            Err(error) => {
                assert_eq!(Some(error.code()), expect, "{requirement:?} {path:?}: {error}");
                assert!(!data.exists(), "{requirement:?} {path:?} left a directory behind");
            }
        }
    }
    let listed = list_local_agents(&AgentOptions { paths: vec![good, broken], ..AgentOptions::default() });
    let listed = listed.expect("one agent is usable");
    assert_eq!((listed.agents.len(), listed.diagnostics.is_empty()), (1, false));
}
