//! The server for agent management: its tools and its errors.

use crate::{
    invoker::{common, principal_with_scopes},
    mcp_client::{Era, connect},
};
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_mcp::{ManagePorts, ManageServer, McpService};
use baton_ports::{AgentRepository, AgentSource, BoxFuture, ProviderProbe};
use baton_types::{AgentResources, Principal};
use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};
use std::{fmt::Write as _, future::ready, sync::Arc};

fn endpoint() -> Arc<McpService<ManageServer>> {
    let storage = Arc::new(MemoryStorage::new());
    let agents = Arc::new(DirectoryAgents::open_with(&[], vec![storage], None));
    let repository: Arc<dyn AgentRepository> = agents.clone();
    let agents: Arc<dyn AgentSource> = agents;
    let ports = ManagePorts { agents, repository, providers: Some(Arc::new(SingleKeyProbe)) };
    Arc::new(ManageServer::endpoint(ports, &common()))
}

/// A provider that accepts one key.
struct SingleKeyProbe;

impl ProviderProbe for SingleKeyProbe {
    fn models<'a>(&'a self, provider: &'a str, kit: &'a AgentResources) -> BoxFuture<'a, Result<Vec<String>, String>> {
        let entry = kit.providers.iter().find(|entry| entry.id == provider);
        let is_right = entry.and_then(|entry| entry.keys.get("api_key")).is_some_and(|key| key == "right");
        Box::pin(ready(if is_right { Ok(vec!["m-1".to_owned()]) } else { Err("the key is wrong".to_owned()) }))
    }
}

/// Tool names, their effect on agents, and arguments; required ones are marked.
#[tokio::test]
async fn tools_cover_agents_and_their_parts() {
    let endpoint = endpoint();
    let mut seen = Vec::new();
    for era in Era::ALL {
        let client = connect(&endpoint, &Principal::local(), era, "").await;
        let mut lines = String::new();
        for tool in client.service.list_all_tools().await.unwrap() {
            let needed = tool.input_schema["required"].as_array().unwrap();
            let mut arguments: Vec<&String> = tool.input_schema["properties"].as_object().unwrap().keys().collect();
            arguments.sort();
            let marked =
                arguments.iter().map(|name| format!("{name}{}", if needed.contains(&json!(name)) { "!" } else { "" }));
            let about = tool.annotations.unwrap();
            let does = match (about.read_only_hint, about.destructive_hint) {
                (Some(true), _) => "looks",
                (_, Some(true)) => "deletes",
                _ => "changes",
            };
            writeln!(lines, "{} {does}: {}", tool.name, marked.collect::<Vec<_>>().join(" ")).unwrap();
        }
        seen.push(lines);
    }
    assert_eq!(seen[0], seen[1], "both eras have the same result");
    insta::assert_snapshot!(seen[0]);
}

/// Validation uses the entry as it would be written, calls the provider only if requested, and changes nothing.
#[tokio::test]
async fn provider_is_validated_without_being_installed() {
    let client = connect(&endpoint(), &Principal::local(), Era::Modern, "").await;
    let call = async |tool: &'static str, arguments: Value| {
        let params = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone());
        client.service.call_tool(params).await.unwrap().structured_content.unwrap()
    };
    call("agent_create", json!({"name": "Bob"})).await;
    let validate = async |config: Value, ask: bool| {
        let wish = json!({"agentTarget": "bob", "providerType": "openai", "config": config, "ask": ask});
        call("agent_validate_provider_config", wish).await
    };
    assert_eq!(validate(json!({"api_key": "right"}), true).await, json!({"isValid": true, "models": ["m-1"]}));
    assert_eq!(validate(json!({"api_key": "wrong"}), false).await, json!({"isValid": true}));
    let wrong = validate(json!({"api_key": "wrong"}), true).await;
    assert_eq!(wrong, json!({"isValid": false, "error": "the key is wrong"}));
    let unfit = validate(json!({"colour": "red"}), true).await;
    assert!(unfit["error"].as_str().unwrap().contains("has no key 'colour'"), "{unfit}");
    let listed = call("agent_list_providers", json!({"agentTarget": "bob"})).await;
    assert_eq!((&listed["installed"], &listed["available"][0]["id"]), (&json!([]), &json!("openai")));
}

#[tokio::test]
async fn errors_state_reason_and_remedy() {
    let endpoint = endpoint();
    let mut seen = String::new();
    let stranger = principal_with_scopes(&["call"]);
    for (principal, tool, arguments) in [
        (&Principal::local(), "agent_create", json!({"name": "Bob"})),
        (&Principal::local(), "agent_create", json!({"name": "Bob"})),
        (&Principal::local(), "agent_create", json!({"title": 7})),
        (&Principal::local(), "agent_get_info", json!({"agentTarget": "rob"})),
        (&Principal::local(), "agent_get_rule", json!({"agentTarget": "bob", "name": "tone"})),
        (&Principal::local(), "agent_add_rule", json!({"agentTarget": "bob", "name": "tone", "priority": 1000})),
        (&Principal::local(), "agent_update_rule", json!({"agentTarget": "bob", "name": "tone", "text": "x"})),
        (&Principal::local(), "agent_update_metadata", json!({"agentTarget": "bob", "metadata": {}})),
        (&Principal::local(), "agent_delete", json!({"agentTarget": "bob"})),
        (
            &Principal::local(),
            "agent_add_mcp_server",
            json!({"agentTarget": "bob", "name": "sh", "config": {"command": "sh"}}),
        ),
        (&stranger, "agent_list", json!({})),
    ] {
        let client = connect(&endpoint, principal, Era::Modern, "").await;
        let params = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone());
        let result = client.service.call_tool(params).await.unwrap();
        let text = &result.content[0].as_text().unwrap().text;
        let said: Value = serde_json::from_str(text).unwrap();
        assert_eq!(result.structured_content.as_ref(), Some(&said));
        assert_eq!(*text, format!("{said:#}"), "it is indented");
        let error = &said["error"];
        let outcome = match result.is_error {
            Some(true) => {
                assert_eq!((&said["success"], &error["tool"]), (&json!(false), &json!(tool)));
                format!("{}: {}", error["code"].as_str().unwrap(), error["message"].as_str().unwrap())
            }
            _ => "ok".to_owned(),
        };
        writeln!(seen, "{tool}: {outcome}\n").unwrap();
    }
    insta::assert_snapshot!(seen);
}
