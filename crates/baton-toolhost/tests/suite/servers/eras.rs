//! Detection of a server's protocol era, whatever its reply to the probe.

use super::{
    script::{Script, discovered, initialized, tool},
    world::{Agents, host, server, single_server, status, tools},
};
use baton_ports::ServerState;
use baton_types::{McpEra, McpTransport};
use serde_json::json;
use std::time::Duration;

/// Lists the tool and checks the negotiated protocol and the number of connections.
async fn check(script: Script, protocol: &str, opened: usize) {
    let (_agents, servers) = single_server(&script);
    assert_eq!(tools(&servers).await, ["s__t"]);
    assert_eq!(status(&servers, "s").protocol.as_deref(), Some(protocol));
    assert_eq!(script.opened(), opened);
}

#[tokio::test(start_paused = true)]
async fn a_modern_server() {
    let script = Script::new(|mut wire| async move {
        wire.modern(json!([tool("t")])).await;
        wire.wait().await;
    });
    check(script, "2026-07-28", 1).await;
}

#[tokio::test(start_paused = true)]
async fn probe_error_leads_to_initialize_on_the_same_connection() {
    for code in [-32601, -32602, -32600, -32000, 7] {
        let script = Script::new(move |mut wire| async move {
            let discover = wire.until("server/discover").await;
            wire.refuse(&discover, code).await;
            let initialize = wire.until("initialize").await;
            assert_eq!(initialize["params"]["protocolVersion"], "2025-11-25");
            wire.answer(&initialize, initialized()).await;
            wire.list(json!([tool("t")])).await;
            wire.wait().await;
        });
        check(script, "2025-11-25", 1).await;
    }
}

#[tokio::test(start_paused = true)]
async fn unanswered_probe_leads_to_initialize() {
    let script = Script::new(|mut wire| async move {
        let discover = wire.until("server/discover").await;
        let initialize = wire.until("initialize").await;
        wire.refuse(&discover, -32601).await;
        wire.answer(&initialize, initialized()).await;
        wire.list(json!([tool("t")])).await;
        wire.wait().await;
    });
    check(script, "2025-11-25", 1).await;
}

#[tokio::test(start_paused = true)]
async fn slow_modern_server_is_detected() {
    let script = Script::new(|mut wire| async move {
        let discover = wire.until("server/discover").await;
        let initialize = wire.until("initialize").await;
        wire.answer(&discover, discovered(&["2026-07-28"])).await;
        wire.refuse(&initialize, -32601).await;
        wire.list(json!([tool("t")])).await;
        wire.wait().await;
    });
    check(script, "2026-07-28", 1).await;
}

#[tokio::test(start_paused = true)]
async fn server_that_exits_on_the_probe_is_restarted() {
    let script = Script::new(|mut wire| async move {
        let first = wire.next().await.unwrap();
        if first["method"] == "server/discover" {
            return;
        }
        wire.answer(&first, initialized()).await;
        wire.list(json!([tool("t")])).await;
        wire.wait().await;
    });
    check(script, "2025-11-25", 2).await;
}

#[tokio::test(start_paused = true)]
async fn server_that_exits_late_on_the_probe_is_restarted() {
    let script = Script::new(|mut wire| async move {
        let first = wire.next().await.unwrap();
        if first["method"] == "server/discover" {
            wire.until("initialize").await;
            return;
        }
        wire.answer(&first, initialized()).await;
        wire.list(json!([tool("t")])).await;
        wire.wait().await;
    });
    check(script, "2025-11-25", 2).await;
}

#[tokio::test(start_paused = true)]
async fn server_with_older_versions_only_is_initialized() {
    let script = Script::new(|mut wire| async move {
        let discover = wire.until("server/discover").await;
        wire.answer(&discover, discovered(&["2025-06-18"])).await;
        let initialize = wire.until("initialize").await;
        wire.answer(&initialize, initialized()).await;
        wire.list(json!([tool("t")])).await;
        wire.wait().await;
    });
    check(script, "2025-11-25", 1).await;
}

#[tokio::test(start_paused = true)]
async fn detected_era_is_kept_until_it_fails() {
    // The first connection is legacy; the second starts with `initialize` and breaks; the third is probed again.
    let script = Script::new(|mut wire| async move {
        match wire.nth {
            0 => {
                wire.legacy(json!([tool("t")])).await;
            }
            1 => {
                assert_eq!(wire.next().await.unwrap()["method"], "initialize");
            }
            _ => {
                wire.modern(json!([tool("t")])).await;
                wire.wait().await;
            }
        }
    });
    let (_agents, servers) = single_server(&script);
    super::world::eventually(&servers, |statuses| {
        servers.start_servers(&super::world::name());
        statuses[0].protocol.as_deref() == Some("2026-07-28")
    })
    .await;
    assert_eq!(script.opened(), 3);
}

#[tokio::test(start_paused = true)]
async fn configured_era_is_enforced() {
    let legacy = Script::new(|mut wire| async move {
        assert_eq!(wire.next().await.unwrap()["method"], "initialize");
    });
    let modern = Script::new(|mut wire| async move {
        let discover = wire.until("server/discover").await;
        wire.refuse(&discover, -32601).await;
        assert!(wire.next().await.is_none());
    });
    let mut servers = [server("legacy"), server("modern"), server("none")];
    servers[0].era = McpEra::Legacy;
    servers[1].era = McpEra::Modern;
    servers[2].transport = McpTransport::Http { url: "http://x".into(), headers: [].into() };
    let agents = Agents::with_servers(servers.to_vec());
    let host = host(&agents, &[("legacy", &legacy), ("modern", &modern)]);
    assert!(host.tools(&super::world::agent(), Duration::from_secs(1)).await.is_empty());
    let told = ["legacy", "modern", "none"].map(|name| {
        let status = status(&host, name);
        assert_eq!(status.state, ServerState::Failed);
        format!("{}: {} ({})", name, status.reason.unwrap(), status.hint.unwrap())
    });
    insta::assert_snapshot!(told.join("\n"));
}
