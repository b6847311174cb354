//! Tool permissions over HTTP: required scopes, targets and errors.

use super::server::{TestServer, bearer, token};
use crate::bindings::{headers, raw};
use baton_http_api::{PermissionPorts, ToolPorts};
use baton_ports::{
    BoxFuture, PermissionEditError, PermissionEditor, PermissionUpdate, ServerState, ServerStatus, ToolHost,
    ToolInvocation, ToolOutcome, ToolOutput,
};
use baton_types::{
    AgentName, AgentSpec, Effects, ErrorCode, Json, McpTool, Permission, PermissionChange, PermissionTarget,
    ToolAccess, ToolRunner, ToolSpec,
};
use http_body_util::BodyExt as _;
use serde_json::json;
use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
    time::Duration,
};

/// Two servers, one with a tool prefix that differs from its name, and a denied tool.
struct StaticToolHost;

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

/// Records changes and rejects the permission `deny`.
#[derive(Default)]
struct RecordingPermissionEditor(Mutex<Vec<PermissionChange>>);

impl PermissionEditor for RecordingPermissionEditor {
    fn change<'a>(
        &'a self,
        _: &'a AgentName,
        change: PermissionChange,
    ) -> BoxFuture<'a, Result<PermissionUpdate, PermissionEditError>> {
        let before = ToolAccess { permission: Permission::Ask, disabled: false };
        let after = ToolAccess {
            permission: change.permission.unwrap_or(Permission::Ask),
            disabled: change.disabled.unwrap_or(false),
        };
        let told = match change.permission {
            Some(Permission::Deny) => Err(PermissionEditError {
                code: ErrorCode::AGENT_NOT_CHANGED,
                detail: "tspark.json has no word for that".to_owned(),
            }),
            _ => Ok(PermissionUpdate { file: "weather/mcp.json".to_owned(), is_written: true, before, after }),
        };
        self.0.lock().unwrap().push(change);
        Box::pin(std::future::ready(told))
    }
}

fn server() -> (TestServer, Arc<RecordingPermissionEditor>) {
    let editor = Arc::new(RecordingPermissionEditor::default());
    let repository: Arc<dyn PermissionEditor> = editor.clone();
    let server = TestServer::with_options(
        |_| {},
        |options| {
            options.api.tools = Some(ToolPorts { host: Arc::new(StaticToolHost) });
            options.api.permissions = Some(PermissionPorts { repository });
        },
    );
    (server, editor)
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
    let (server, editor) = server();
    let mut told = String::new();
    for (what, body) in [
        ("tools/fs__read", r#"{"permission": "allow"}"#),
        ("tools/fs__wipe", r#"{"permission": "ask", "disabled": false}"#),
        ("tools/get_weather", r#"{"permission": "ask"}"#),
        ("tools/fs__*", r#"{"permission": "allow"}"#),
        ("tools/shop", r#"{"disabled": true}"#),
        ("servers/shop", r#"{"disabled": true}"#),
        ("tools/fs__read", r#"{"permission": "deny"}"#),
        ("tools/fs__reed", r#"{"permission": "allow"}"#),
        ("servers/fs", r#"{"permission": "allow"}"#),
        ("tools/fs__read", "{}"),
        ("tools/fs__read", r#"{"permission": "maybe"}"#),
        ("tools/fs__read", r#"{"permission": "allow", "for": "ever"}"#),
    ] {
        let path = format!("/api/v1/agents/weather/{what}/permission");
        let (status, reply) = put(&server, "admin", &path, body).await;
        let _ = writeln!(told, "PUT {what} {body}\n{status} {reply}");
        for change in editor.0.lock().unwrap().drain(..) {
            let _ = writeln!(told, "-> {} {:?} {:?}", change.target, change.permission, change.disabled);
        }
    }
    insta::assert_snapshot!(told);
}

#[tokio::test]
async fn only_admins_change_tool_permissions() {
    let (server, editor) = server();
    for scopes in ["", "read", "read call", "call:weather"] {
        for what in ["tools/fs__read", "servers/files"] {
            let path = format!("/api/v1/agents/weather/{what}/permission");
            let (status, reply) = put(&server, scopes, &path, r#"{"permission": "allow"}"#).await;
            assert_eq!(status, 403, "{scopes} {reply}");
            assert!(reply.contains("BTN-1011"), "{reply}");
        }
    }
    assert_eq!(*editor.0.lock().unwrap(), []);
    let path = "/api/v1/agents/weather/servers/files/permission";
    assert_eq!(put(&server, "admin", path, r#"{"permission": "allow"}"#).await.0, 200);
    let target = PermissionTarget::Server("files".to_owned());
    let wanted = PermissionChange { target, permission: Some(Permission::Allow), disabled: None };
    assert_eq!(*editor.0.lock().unwrap(), [wanted]);
}
