//! Agents that are created, changed and deleted at run time, over HTTP and with the management tools over MCP.

use crate::{
    mcp_endpoints::{call_mcp, common, ports},
    openapi::check_response,
    world::configured,
    world::{DiscardingWebhooks, ScriptedModel, SequentialIds, TickingClock, WeatherTools, options},
};
use axum::{Router, body::Body};
use baton_engine::{Engine, EngineOptions, Ports};
use baton_http::AccessOptions;
use baton_http_api::DefinitionPorts;
use baton_journal::MemoryJournal;
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_mcp::{ManagePorts, ManageServer, McpPorts};
use baton_ports::{AgentRepository, AgentSource};
use baton_server::app;
use baton_types::Digest;
use http::{Request, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::sync::Arc;
use tower::ServiceExt as _;

/// An app without agents that stores new ones in memory.
fn app_without_agents(access: AccessOptions) -> Router {
    let storage = Arc::new(MemoryStorage::new());
    let agents = Arc::new(DirectoryAgents::open_with(&[], vec![storage], None));
    let repository: Arc<dyn AgentRepository> = agents.clone();
    let agents: Arc<dyn AgentSource> = agents;
    let engine = Engine::new(
        EngineOptions::default(),
        Ports {
            journal: Arc::new(MemoryJournal::default()),
            models: Arc::new(ScriptedModel),
            tools: Arc::new(WeatherTools),
            agents: Arc::clone(&agents),
            peers: Arc::new(baton_engine::NoPeers),
            webhooks: Arc::new(DiscardingWebhooks),
            watch: None,
            clock: Arc::new(TickingClock::default()),
            ids: Arc::new(SequentialIds::default()),
        },
    );
    let managed = ManagePorts { agents: Arc::clone(&agents), repository: Arc::clone(&repository), providers: None };
    let manage = ManageServer::endpoint(managed, &common());
    let mcp = McpPorts { manage: Some(manage), ..ports(&agents, Arc::new(engine.clone())) };
    let definitions = Some(DefinitionPorts { repository });
    app(
        engine,
        configured(options(), |options| {
            options.mcp = Some(mcp);
            options.api.definitions = definitions;
            options.http.access = access;
        }),
    )
}

struct Reply {
    status: u16,
    tag: String,
    body: Value,
}

impl Reply {
    fn code(&self) -> &str {
        self.body["error"]["details"][0]["metadata"]["batonCode"].as_str().unwrap_or_default()
    }
}

/// Sends a request below `/api/v1/agents`.
async fn ask(app: &Router, method: &str, path: &str, tag: Option<&str>, body: Value) -> Reply {
    let mut request = Request::builder()
        .method(method)
        .uri(format!("/api/v1/agents{path}"))
        .header(header::HOST, "localhost")
        .header(header::CONTENT_TYPE, "application/json");
    if let Some(tag) = tag {
        request = request.header(header::IF_MATCH, tag);
    }
    let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
    let response = app.clone().oneshot(request.body(body).unwrap()).await.unwrap();
    let response = check_response(method, &format!("/api/v1/agents{path}"), response).await;
    let tag = response.headers().get(header::ETAG).map(|tag| tag.to_str().unwrap().to_owned()).unwrap_or_default();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    Reply { status, tag, body: serde_json::from_slice(&body).unwrap() }
}

/// Sends a message over A2A; returns the text of the answer.
async fn agent_reply(app: &Router, agent: &str, text: &str) -> Value {
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
    let request = Request::post(format!("/agents/{agent}"))
        .header(header::HOST, "localhost")
        .header(header::CONTENT_TYPE, "application/json");
    let response = app.clone().oneshot(request.body(Body::from(call.to_string())).unwrap()).await.unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let mut reply: Value = serde_json::from_slice(&body).unwrap();
    reply["result"]["task"]["artifacts"][0]["parts"][0]["text"].take()
}

#[tokio::test]
async fn agent_definitions_over_http() {
    let app = app_without_agents(AccessOptions::default());
    let wish = json!({
        "name": "bob", "title": "Bob", "description": "Helps.", "prompt": "Be brief.",
        "rules": [{"name": "tone", "text": "Be kind.", "priority": 10}],
        "servers": {"files": {"url": "https://mcp.example.com/mcp", "headers": {"X-Team": "s3cr3t"}}},
    });
    let made = ask(&app, "POST", "", None, wish.clone()).await;
    assert_eq!((made.status, &made.body["definition"]["location"]["in"]), (201, &json!("memory")), "{}", made.body);
    let taken = ask(&app, "POST", "", None, wish).await;
    assert_eq!((taken.status, taken.code()), (409, "BTN-2031"), "{}", taken.body);

    let shown = ask(&app, "GET", "/bob", None, Value::Null).await;
    assert_eq!((shown.status, &shown.tag), (200, &made.tag));
    assert!(!shown.body.to_string().contains("s3cr3t"), "{}", shown.body);
    let definition = &shown.body["definition"];
    assert_eq!(definition["servers"]["files"]["headers"]["X-Team"], "***");
    assert_eq!((&definition["prompt"], &definition["rules"][0]["name"]), (&json!("Be brief."), &json!("tone")));
    assert_eq!(definition["rules"][0].get("text"), None, "lists have no texts");

    let patch = json!({"title": "Robert", "prompt": "Be long.", "settings": {"max_turns": 3}});
    let patched = ask(&app, "PATCH", "/bob", Some(&shown.tag), patch).await;
    assert_eq!(patched.status, 200, "{}", patched.body);
    assert_eq!(
        (&patched.body["title"], &patched.body["definition"]["settings"]["max_turns"]),
        (&json!("Robert"), &json!(3))
    );
    for (method, path, body) in [
        ("PATCH", "/bob", json!({"title": "Late"})),
        ("PUT", "/bob/rules/late", json!({"text": "Late."})),
        ("DELETE", "/bob/rules/tone", Value::Null),
        ("DELETE", "/bob", Value::Null),
    ] {
        let late = ask(&app, method, path, Some(&shown.tag), body).await;
        assert_eq!((late.status, late.code()), (412, "BTN-2033"), "{method} {path}: {}", late.body);
    }

    let server = json!({"url": "https://mcp.example.com/mcp", "headers": {"X-Team": "***", "X-New": "${env:NEW}"}});
    let export = json!({"description": "Sums up", "prompt": "Sum up {text}",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}});
    for (path, body, member, expect) in [
        ("rules/calm", json!({"text": "Be calm.", "include": "agent"}), "text", json!("Be calm.")),
        ("rules/calm", json!({"description": "When it is loud"}), "text", json!("Be calm.")),
        ("references/sky", json!({"text": "The sky is blue."}), "name", json!("sky")),
        ("servers/files", server, "headers", json!({"X-Team": "***", "X-New": "${env:NEW}"})),
        ("exports/sum", export, "prompt", json!("Sum up {text}")),
        ("providers/openai", json!({"OPENAI_API_KEY": "s3cr3t"}), "OPENAI_API_KEY", json!("***")),
        ("providers/openai", json!({"OPENAI_API_KEY": "***", "rpm": 7}), "rpm", json!(7)),
        ("providers/anthropic", json!({}), "api_key", Value::Null),
    ] {
        let path = format!("/bob/{path}");
        let put = ask(&app, "PUT", &path, None, body).await;
        assert_eq!((put.status, &put.body[member]), (200, &expect), "{path}: {}", put.body);
        let got = ask(&app, "GET", &path, None, Value::Null).await;
        assert_eq!((got.status, &got.body, &got.tag), (200, &put.body, &put.tag), "{path}");
    }
    let rules = ask(&app, "GET", "/bob/rules", None, Value::Null).await.body;
    let names: Vec<&str> =
        rules["items"].as_array().unwrap().iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tone", "calm"]);

    let copied = ask(&app, "POST", "/bob/clone", None, json!({"name": "rob"})).await;
    assert_eq!((copied.status, &copied.body["title"]), (201, &json!("Robert")), "{}", copied.body);
    let listed = ask(&app, "GET", "/bob/providers", None, Value::Null).await.body;
    assert_eq!(listed["providers"], json!({"claude": {}, "openai": {"OPENAI_API_KEY": "***", "rpm": 7}}));
    assert_eq!(listed["available"][0]["keys"][0], json!({"name": "OPENAI_API_KEY", "secret": true}));
    for (provider, entry) in [("nobody", json!({})), ("openai", json!({"colour": "red"})), ("openai", json!([]))] {
        let refused = ask(&app, "PUT", &format!("/bob/providers/{provider}"), None, entry).await;
        assert_eq!(refused.status, 400, "{provider}: {}", refused.body);
    }
    for path in ["rules/tone", "references/sky", "servers/files", "exports/sum", "providers/claude"] {
        let path = format!("/bob/{path}");
        assert_eq!(ask(&app, "DELETE", &path, None, Value::Null).await.status, 200, "{path}");
        let gone = ask(&app, "DELETE", &path, None, Value::Null).await;
        assert_eq!((gone.status, gone.code()), (404, "BTN-2032"), "{path}: {}", gone.body);
    }
    assert_eq!(ask(&app, "GET", "/rob/rules/tone", None, Value::Null).await.status, 200, "the copy has its own");

    assert_eq!(agent_reply(&app, "bob", "Hello").await, "Hello");
    assert_eq!(ask(&app, "DELETE", "/bob", None, Value::Null).await.status, 200);
    assert_eq!(ask(&app, "GET", "/bob", None, Value::Null).await.status, 404);
    assert_eq!(agent_reply(&app, "rob", "Hello").await, "Hello");
}

#[tokio::test]
async fn invalid_agent_is_rejected_and_not_created() {
    let app = app_without_agents(AccessOptions::default());
    for (wish, status, code) in [
        (json!({}), 400, "BTN-1001"),
        (json!({"name": "Not A Name"}), 400, "BTN-1001"),
        (json!({"name": "bob", "colour": "red"}), 400, "BTN-1001"),
        (json!({"name": "bob", "rules": [{"name": "tone"}]}), 400, "BTN-1001"),
        (json!({"files": {"agent.yaml": "name: bob\nversoin: 1\n"}}), 400, "BTN-2002"),
    ] {
        let refused = ask(&app, "POST", "", None, wish.clone()).await;
        assert_eq!((refused.status, refused.code()), (status, code), "{wish}: {}", refused.body);
    }
    assert_eq!(ask(&app, "GET", "/bob", None, Value::Null).await.status, 404);
}

/// Calls a management tool over MCP.
async fn tool(app: &Router, name: &str, arguments: Value) -> Value {
    let (status, result) =
        call_mcp(app, "/mcp/manage", &[], "tools/call", json!({"name": name, "arguments": arguments})).await;
    assert_eq!(status, 200, "{name}: {result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let said: Value = serde_json::from_str(text).unwrap();
    assert_eq!(said, result["structuredContent"], "{name}");
    assert_eq!(result["isError"] == true, said["success"] == false, "{name}: {said}");
    said
}

/// teamspark.md, checklist 23.
#[tokio::test]
async fn teamspark_23_created_agent_with_rule_reference_and_server_answers() {
    let app = app_without_agents(AccessOptions::default());
    let made = tool(&app, "agent_create", json!({"name": "Bob the Helper", "initialPrompt": "Be brief."})).await;
    let bob = made["agentTarget"].as_str().unwrap().to_owned();
    assert_eq!(bob, "bob-the-helper");
    let about = |more: Value| {
        let mut all = json!({"agentTarget": bob});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let rule = tool(&app, "agent_add_rule", about(json!({"name": "tone", "text": "Be kind."}))).await;
    assert_eq!(rule["rule"]["text"], "Be kind.");
    tool(&app, "agent_add_reference", about(json!({"name": "sky", "text": "The sky is blue.", "include": "always"})))
        .await;
    let config = json!({"url": "https://mcp.example.com", "headers": {"Authorization": "Bearer s3cr3t"}});
    let server = tool(&app, "agent_add_mcp_server", about(json!({"name": "files", "config": config}))).await;
    assert_eq!(server["mcp_server"]["config"]["headers"]["Authorization"], "***");
    let export = json!({"name": "sum", "description": "Sums up", "prompt": "Sum up what was said."});
    tool(&app, "agent_add_exported_tool", about(export)).await;
    tool(&app, "agent_update_settings", about(json!({"settings": {"max_turns": 4}}))).await;
    tool(&app, "agent_update_metadata", about(json!({"metadata": {"description": "Helps."}}))).await;
    tool(&app, "agent_set_system_prompt", about(json!({"prompt": "Be long."}))).await;
    let update = json!({"name": "tone", "description": "How to speak", "digest": rule["digest"]});
    let late = tool(&app, "agent_update_rule", about(update)).await;
    assert!(late["error"]["message"].as_str().unwrap().contains("BTN-2033"), "{late}");

    let info = tool(&app, "agent_get_info", about(json!({}))).await;
    assert!(!info.to_string().contains("s3cr3t"), "{info}");
    let definition = &info["definition"];
    assert_eq!((&info["description"], &definition["prompt"]), (&json!("Helps."), &json!("Be long.")));
    for (what, name) in [("rules", "tone"), ("references", "sky"), ("exports", "sum")] {
        assert_eq!(definition[what][0]["name"], name, "{what}");
    }
    assert_eq!(agent_reply(&app, &bob, "Hello").await, "Hello");

    let copy = json!({"sourceAgent": bob, "targetPath": "rob", "newName": "Rob"});
    assert_eq!(tool(&app, "agent_clone", copy).await["title"], "Rob");
    let unsure = tool(&app, "agent_delete", about(json!({"confirm": false}))).await;
    assert_eq!(unsure["error"]["code"], "VALIDATION_ERROR");
    assert_eq!(tool(&app, "agent_delete", about(json!({"confirm": true}))).await["success"], true);
    let listed = tool(&app, "agent_list", json!({})).await;
    assert_eq!(listed["agents"].as_array().unwrap().len(), 1);
    assert_eq!(listed["agents"][0]["agentTarget"], "rob");
    assert_eq!(agent_reply(&app, "rob", "Hello").await, "Hello");
}

#[tokio::test]
async fn only_the_owner_may_add_servers_that_start_programs() {
    // Without the owner's token, local callers may change agents but not add programs.
    let app = app_without_agents(AccessOptions { owner: Some(Digest::compute(b"owner")), ..AccessOptions::default() });
    tool(&app, "agent_create", json!({"name": "Bob"})).await;
    let program = json!({"agentTarget": "bob", "name": "shell", "config": {"command": "sh"}});
    let refused = tool(&app, "agent_add_mcp_server", program.clone()).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("starts a program"), "{refused}");
    let call = json!({"name": "agent_add_mcp_server", "arguments": program});
    let owner = [("authorization", "Bearer owner")];
    let (_, added) = call_mcp(&app, "/mcp/manage", &owner, "tools/call", call).await;
    assert_eq!(added["isError"].as_bool(), Some(false), "{added}");
}
