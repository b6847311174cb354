//! Tool permissions over HTTP: required scopes, targets and errors.

use super::server::{TestServer, bearer, token};
use crate::{
    bindings::{headers, raw},
    world::definitions,
};
use baton_http_api::{DefinitionPorts, ToolPorts};
use baton_local::DirectoryAgents;
use baton_ports::{
    AgentRepository as _, BoxFuture, ServerState, ServerStatus, ToolHost, ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_types::{AgentName, AgentSpec, Effects, Json, McpTool, Permission, ToolRunner, ToolSpec};
use http_body_util::BodyExt as _;
use serde_json::json;
use std::{fmt::Write as _, sync::Arc, time::Duration};

pub(super) const AGENT: &str = "name: weather
tools:
  - name: get_weather
    description: Tells the weather.
    http: { url: \"https://weather.example.com/\" }
";
/// The pattern of the second server takes precedence over permissions of its single tools.
pub(super) const SERVERS: &str = r#"{"mcpServers": {
  "files": {"url": "https://files.example.com/", "prefix": "fs"},
  "shop": {"url": "https://shop.example.com/", "permissions": {"tools": {"b*": "deny"}}}
}}
"#;

/// Two servers, one with a tool prefix that differs from its name, and a denied tool.
pub(super) struct StaticToolHost;

impl ToolHost for StaticToolHost {
    fn call<'a>(&'a self, _: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async { ToolOutcome::Done(ToolOutput { output: Json::string(""), is_error: false }) })
    }

    fn available_tools<'a>(&'a self, _: &'a AgentSpec, _: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        let tool = |name: &str, server: &str, tool: &str| ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({"type": "object"}).into(),
            effects: Effects::Unknown,
            runner: ToolRunner::Mcp(McpTool { server: server.to_owned(), tool: tool.to_owned() }),
            output: None,
            permission: Permission::Ask,
            rules: Vec::new(),
            include: Default::default(),
            sequential: false,
        };
        let offered = vec![tool("fs__read", "files", "read"), tool("shop__buy", "shop", "buy")];
        Box::pin(std::future::ready(offered))
    }

    fn denied_tools<'a>(&'a self, _: &'a AgentSpec, _: Duration) -> BoxFuture<'a, Vec<(String, McpTool)>> {
        let wipe = McpTool { server: "files".to_owned(), tool: "wipe".to_owned() };
        Box::pin(std::future::ready(vec![("fs__wipe".to_owned(), wipe)]))
    }

    fn servers(&self, _: &AgentName) -> Vec<ServerStatus> {
        let status = |name: &str, state| ServerStatus {
            name: name.to_owned(),
            transport: "stdio".to_owned(),
            state,
            protocol: None,
            tools: 1,
            reason: None,
            hint: None,
            log: Vec::new(),
        };
        vec![status("files", ServerState::Ready), status("shop", ServerState::Failed)]
    }
}

async fn server() -> (TestServer, Arc<DirectoryAgents>) {
    let agents = definitions(&[("agent.yaml", AGENT), ("mcp.json", SERVERS)]).await;
    let definitions = DefinitionPorts { repository: agents.clone() };
    let server = TestServer::with_options(
        |_| {},
        |options| {
            options.api.tools = Some(ToolPorts { host: Arc::new(StaticToolHost) });
            options.api.definitions = Some(definitions);
        },
    );
    (server, agents)
}

/// The files of the agent that permissions are written to.
async fn stored_files(agents: &DirectoryAgents) -> Vec<String> {
    let stored = agents.stored_agent(&"weather".into()).await.unwrap();
    ["agent.yaml", "mcp.json"].map(|file| String::from_utf8(stored.files[file].clone()).unwrap()).to_vec()
}

async fn put(server: &TestServer, scopes: &str, path: &str, body: &str) -> (u16, String) {
    let given = bearer(&token("acme", "ann", scopes));
    let given = [("authorization", given.as_str()), ("content-type", "application/json")];
    let response = raw(&server.app, "PUT", path, headers(&given), body.to_owned()).await;
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test(start_paused = true)]
async fn permission_changes_resolve_targets_and_report_results() {
    let (server, agents) = server().await;
    let mut files = stored_files(&agents).await;
    let mut told = String::new();
    for (what, body) in [
        ("tools/fs__read", r#"{"permission": "allow"}"#),
        ("tools/fs__wipe", r#"{"permission": "ask", "disabled": false}"#),
        ("tools/get_weather", r#"{"permission": "ask"}"#),
        ("tools/fs__*", r#"{"permission": "allow"}"#),
        ("tools/shop", r#"{"disabled": true}"#),
        ("servers/shop", r#"{"disabled": true}"#),
        ("tools/shop__buy", r#"{"permission": "allow"}"#),
        ("tools/fs__reed", r#"{"permission": "allow"}"#),
        ("servers/fs", r#"{"permission": "allow"}"#),
        ("tools/fs__read", "{}"),
        ("tools/fs__read", r#"{"permission": "maybe"}"#),
        ("tools/fs__read", r#"{"permission": "allow", "for": "ever"}"#),
    ] {
        let path = format!("/api/v1/agents/weather/{what}/permission");
        let (status, reply) = put(&server, "admin", &path, body).await;
        let _ = writeln!(told, "PUT {what} {body}\n{status} {reply}");
        let after = stored_files(&agents).await;
        for (_, after) in files.iter().zip(&after).filter(|(before, after)| before != after) {
            let _ = writeln!(told, "-> {}", after.trim_end());
        }
        files = after;
    }
    insta::assert_snapshot!(told);
}

#[tokio::test]
async fn only_admins_change_tool_permissions() {
    let (server, agents) = server().await;
    for scopes in ["", "read", "read call", "call:weather"] {
        for what in ["tools/fs__read", "servers/files"] {
            let path = format!("/api/v1/agents/weather/{what}/permission");
            let (status, reply) = put(&server, scopes, &path, r#"{"permission": "allow"}"#).await;
            assert_eq!(status, 403, "{scopes} {reply}");
            assert!(reply.contains("BTN-1011"), "{reply}");
        }
    }
    assert_eq!(stored_files(&agents).await, [AGENT, SERVERS]);
    let path = "/api/v1/agents/weather/servers/files/permission";
    assert_eq!(put(&server, "admin", path, r#"{"permission": "allow"}"#).await.0, 200);
    let servers = &stored_files(&agents).await[1];
    assert!(servers.contains(r#""default": "allow""#), "{servers}");
}
