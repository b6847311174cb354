//! Tools, prompts and resources of an agent's MCP servers are forwarded.

use super::{
    client::{Answers, Notification, object, text},
    raw::RawRequest,
    world::{Plan, World, ann},
};
use crate::mcp_client::Era;
use baton_mcp::McpLimits;
use baton_types::{McpEra, Permission};
use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, GetPromptRequestParams, LoggingLevel, ReadResourceRequestParams, Reference,
    SetLevelRequestParams,
};
use serde_json::json;

async fn for_each_era_pair(mut check: impl AsyncFnMut(&World, Era, McpEra)) {
    for upstream in [McpEra::Modern, McpEra::Legacy] {
        for era in Era::ALL {
            let world = World::new();
            world.source.connect(upstream, Permission::Allow);
            check(&world, era, upstream).await;
        }
    }
}

#[tokio::test]
async fn requests_are_forwarded_to_servers() {
    for_each_era_pair(async |world, era, upstream| {
        let client = world.client(&ann(), era, Answers::Never).await;
        let sum = client.call("up__add", json!({"a": 2, "b": 3})).await;
        assert_eq!(
            (sum.structured_content, sum.is_error),
            (Some(json!({"sum": 5})), Some(false)),
            "{era:?} {upstream:?}"
        );
        let mut greet = GetPromptRequestParams::new("up__greet");
        greet.arguments = Some(object(json!({"name": "Ann"})));
        let greeting = client.service.get_prompt(greet).await.unwrap();
        assert_eq!(greeting.messages[0].content.as_text().unwrap().text, "Hello Ann from greet");
        for uri in ["up://static", "up://items/7", "up://unlisted"] {
            let read = client.service.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
            assert_eq!(serde_json::to_value(&read.contents).unwrap()[0]["text"], format!("at {uri}"));
        }
        let missing = client.service.read_resource(ReadResourceRequestParams::new("up://items/none")).await;
        let code = if era == Era::Modern { "-32602" } else { "-32002" };
        assert!(missing.unwrap_err().to_string().contains(code), "{era:?}");
        for reference in [Reference::for_prompt("up__greet"), Reference::for_resource("up://items/{id}")] {
            let argument: ArgumentInfo = serde_json::from_value(json!({"name": "name", "value": "An"})).unwrap();
            let completed = client.service.complete(CompleteRequestParams::new(reference, argument)).await.unwrap();
            assert_eq!(completed.completion.values, ["An!"]);
        }
    })
    .await;
}

#[tokio::test]
async fn denied_tools_are_neither_listed_nor_called() {
    let world = World::new();
    world.source.connect(McpEra::Auto, Permission::Ask);
    let client = world.client(&ann(), Era::Modern, Answers::Yes(json!({"allow": true}))).await;
    let tools = client.service.list_all_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "up__add"));
    assert!(!tools.iter().any(|tool| tool.name.contains("secret") || tool.name == "denied"));
    let refused = client.service.call_tool(super::client::params("up__secret_tool", json!({}))).await.unwrap_err();
    assert!(refused.to_string().contains("Unknown tool: up__secret_tool"));
    let asked = client.call("up__add", json!({"a": 1, "b": 1})).await;
    assert_eq!(asked.structured_content, Some(json!({"sum": 2})));
    assert_eq!(client.questions(), ["May the tool 'up__add' of the agent 'weather' run with {\"a\":1,\"b\":1}?"]);
}

#[tokio::test]
async fn progress_and_logs_of_servers_reach_the_caller() {
    for_each_era_pair(async |world, era, upstream| {
        let mut client = world.client(&ann(), era, Answers::Never).await;
        if era == Era::Legacy {
            client.service.set_level(SetLevelRequestParams::new(LoggingLevel::Warning)).await.unwrap();
        }
        let handle = client.begin("up__chatter", json!({})).await;
        handle.await_response().await.unwrap();
        let mut heard = vec![client.next_notification().await, client.next_notification().await];
        let mut expect =
            vec![Notification::Progress(1.0, Some(2.0), None), Notification::Progress(2.0, Some(2.0), None)];
        // A client of the newest protocol that names no log level receives no logs.
        if era == Era::Legacy {
            heard.push(client.next_notification().await);
            expect.push(Notification::Log("careful".to_owned()));
            // Logs may arrive on another stream.
            heard.sort_by_key(|told| matches!(told, Notification::Log(_)));
        }
        assert_eq!(heard, expect, "{era:?} {upstream:?}");
    })
    .await;
}

#[tokio::test]
async fn cancelling_reaches_the_server() {
    for_each_era_pair(async |world, era, _| {
        let client = world.client(&ann(), era, Answers::Never).await;
        let handle = client.begin("up__wait", json!({})).await;
        world.upstream.begun.notified().await;
        handle.cancel(None).await.unwrap();
        world.upstream.cancelled.notified().await;
    })
    .await;
}

#[tokio::test]
async fn oversized_result_becomes_an_error_text() {
    let limits = McpLimits { max_result: 1 << 20, ..Plan::default().limits };
    let world = World::with_plan(Plan { limits, ..Plan::default() });
    world.source.connect(McpEra::Modern, Permission::Allow);
    let client = world.client(&ann(), Era::Modern, Answers::Never).await;
    let result = client.call("up__huge", json!({})).await;
    let words = "The result has about 2097152 bytes; the limit is 1048576. Request less data.";
    assert_eq!((result.is_error, text(&result)), (Some(true), words));
}

#[tokio::test]
async fn legacy_results_are_marked_complete_and_private() {
    for upstream in [McpEra::Modern, McpEra::Legacy] {
        let world = World::new();
        world.source.connect(upstream, Permission::Allow);
        let complete = json!({
            "ref": {"type": "ref/prompt", "name": "up__greet"}, "argument": {"name": "name", "value": "An"},
        });
        for (method, params) in [
            ("tools/call", json!({"name": "up__add", "arguments": {"a": 2, "b": 3}})),
            ("prompts/get", json!({"name": "up__greet", "arguments": {"name": "Ann"}})),
            ("resources/read", json!({"uri": "up://static"})),
            ("completion/complete", complete),
        ] {
            let message = world.ask(RawRequest::modern(method, params)).await.message();
            assert_eq!(message["result"]["resultType"], "complete", "{upstream:?} {message}");
            if method == "resources/read" {
                assert_eq!(message["result"]["cacheScope"], "private", "{message}");
            }
        }
    }
}
