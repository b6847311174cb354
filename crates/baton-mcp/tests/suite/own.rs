//! Baton's own server: listing and calling agents.

use crate::{
    invoker::{EditableAgentSource, ScriptedInvoker, common, principal_with_scopes},
    mcp_client::{Client, Era, Notification, connect},
};
use baton_mcp::{McpService, OwnServer, OwnServerOptions};
use baton_types::Principal;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, CustomRequest, ErrorCode, GetPromptRequest,
    GetPromptRequestParams, JsonObject,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::{Value, json};
use std::{fmt::Write as _, sync::Arc};

struct World {
    source: Arc<EditableAgentSource>,
    invoker: Arc<ScriptedInvoker>,
    endpoint: Arc<McpService<OwnServer>>,
}

fn world(agents: &[&str]) -> World {
    let (source, invoker) = (EditableAgentSource::with_agents(agents), Arc::new(ScriptedInvoker::default()));
    let endpoint = OwnServer::endpoint(
        Arc::<EditableAgentSource>::clone(&source),
        Arc::<ScriptedInvoker>::clone(&invoker),
        OwnServerOptions::default(),
        &common(),
    );
    World { source, invoker, endpoint: Arc::new(endpoint) }
}

impl World {
    async fn client(&self, era: Era) -> Client {
        connect(&self.endpoint, &Principal::local(), era, "").await
    }
}

fn object(value: &Value) -> JsonObject {
    value.as_object().unwrap().clone()
}

impl Client {
    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let params = CallToolRequestParams::new(tool);
        let params = if arguments.is_null() { params } else { params.with_arguments(object(&arguments)) };
        self.service.call_tool(params).await.unwrap()
    }
}

fn text(result: &CallToolResult) -> &str {
    assert_eq!(result.content.len(), 1);
    &result.content[0].as_text().unwrap().text
}

/// The structured result, which the text must equal.
fn structured_result(result: &CallToolResult) -> Value {
    let structured = result.structured_content.clone().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text(result)).unwrap(), structured);
    structured
}

#[tokio::test]
async fn tools_are_listed_under_one_name() {
    let world = world(&["weather"]);
    let mut seen = Vec::new();
    for era in Era::ALL {
        let mut of_era = String::new();
        for query in ["", "?names=a2a"] {
            let client = connect(&world.endpoint, &Principal::local(), era, query).await;
            let about = client.service.peer_info().unwrap();
            let tools = client.service.list_all_tools().await.unwrap();
            let about = json!({"server": about.server_info, "instructions": about.instructions, "tools": tools});
            writeln!(of_era, "{query}\n{about:#}\n").unwrap();
        }
        seen.push(of_era);
    }
    assert_eq!(seen[0], seen[1], "both eras have the same result");
    insta::with_settings!({filters => vec![(env!("CARGO_PKG_VERSION"), "VERSION")]}, {
        insta::assert_snapshot!(seen[0]);
    });
}

#[tokio::test]
async fn list_is_refreshed_on_every_call() {
    let world = world(&["weather"]);
    let mut seen = Vec::new();
    for era in Era::ALL {
        let client = world.client(era).await;
        seen.push(structured_result(&client.call("list_agents", Value::Null).await));
        assert_eq!(structured_result(&client.call("a2a_list_agents", json!({})).await), seen[0]);
    }
    assert_eq!(seen[0], seen[1]);
    insta::assert_snapshot!(format!("{:#}", seen[0]));

    let client = world.client(Era::Modern).await;
    world.source.add("clock");
    world.source.skip("file:///agents/broken", "agent.yaml:3: there is no model 'x'");
    let listed = structured_result(&client.call("list_agents", json!({})).await);
    let ids: Vec<&Value> = listed["agents"].as_array().unwrap().iter().map(|agent| &agent["agentId"]).collect();
    assert_eq!(ids, ["weather", "clock"]);
    let skipped = json!([{"entry": "file:///agents/broken", "reason": "agent.yaml:3: there is no model 'x'"}]);
    assert_eq!(listed["skipped"], skipped);
    assert_eq!(*world.source.refreshed.lock().unwrap(), 5, "every list refreshes the source");
}

/// The complete result of every kind of call, as the caller's model reads it.
#[tokio::test]
async fn call_results() {
    let world = world(&["weather", "clock"]);
    let mut seen = Vec::new();
    for era in Era::ALL {
        let client = world.client(era).await;
        let mut of_era = String::new();
        for (tool, arguments) in [
            ("call_agent", json!({"agentId": "weather", "message": "Hello"})),
            ("a2a_send_message", json!({"agentId": "agent_002", "message": "Hello", "contextId": "c-7"})),
            ("call_agent", json!({"agent_id": " weather ", "message": "Hi", "context_id": null, "taskId": ""})),
            ("call_agent", json!({"agentId": "weather", "message": "please ask"})),
            ("call_agent", json!({"agentId": "weather", "message": "Oakland", "taskId": "task-9", "contextId": "c-9"})),
            ("call_agent", json!({"agentId": "weather", "message": "please login"})),
            ("call_agent", json!({"agentId": "weather", "message": "please fail"})),
            ("call_agent", json!({"agentId": "weather", "message": "please reject"})),
            ("call_agent", json!({"agentId": "weather", "message": "be busy"})),
            ("call_agent", json!({"agentId": "wether", "message": "Hello"})),
            ("call_agent", json!({"agentId": "agent_003", "message": "Hello"})),
            ("call_agent", json!({"agentId": "weather", "message": "  "})),
            ("call_agent", json!({"agentId": "weather"})),
            ("call_agent", json!({"agentId": 7, "message": "Hello"})),
            ("call_agent", Value::Null),
        ] {
            let result = client.call(tool, arguments.clone()).await;
            if result.structured_content.is_some() {
                structured_result(&result);
            }
            let failed = if result.is_error == Some(true) { "isError " } else { "" };
            writeln!(of_era, "{tool} {arguments}\n{failed}{}\n", text(&result)).unwrap();
        }
        seen.push(of_era);
    }
    assert_eq!(seen[0], seen[1], "both eras have the same result");
    insta::assert_snapshot!(seen[0]);
}

#[tokio::test]
async fn agents_are_called_on_behalf_of_the_caller() {
    let world = world(&["weather"]);
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for era in Era::ALL {
        let client = connect(&world.endpoint, &principal_with_scopes(&["call"]), era, "").await;
        let arguments = json!({"agentId": "weather", "message": "Oakland", "contextId": "c", "taskId": "t"});
        let params = CallToolRequestParams::new("call_agent").with_arguments(object(&arguments));
        let mut options = PeerRequestOptions::no_options();
        let mut meta = rmcp::model::RequestMetaObject::new();
        meta.insert("traceparent".to_owned(), trace.into());
        meta.insert("dev.baton/depth".to_owned(), 3.into());
        options.meta = Some(meta);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let handle = client.service.peer().send_cancellable_request(request, options).await.unwrap();
        handle.await_response().await.unwrap();
        let (principal, ask) = world.invoker.asked.lock().unwrap().pop().unwrap();
        assert_eq!(&*principal.subject, "ann");
        assert_eq!((ask.agent.as_str(), ask.text.as_str()), ("weather", "Oakland"));
        assert_eq!((ask.context, ask.task), (Some("c".into()), Some("t".into())));
        assert_eq!((ask.trace.as_deref(), ask.depth), (Some(trace), 3), "{era:?}");
    }
}

/// Agents that a caller may not read are hidden, and those that it may only read cannot be called.
#[tokio::test]
async fn scopes_limit_visible_and_callable_agents() {
    let world = world(&["weather", "clock"]);
    world.source.skip("file:///agents/broken", "it is broken");
    for (scopes, listed, weather) in [
        (&["admin"][..], "weather clock skipped", "completed"),
        (&["call"], "weather clock", "completed"),
        (&["read"], "weather clock", "this needs the scope call:weather"),
        (&["call:weather"], "weather", "completed"),
        (&["read:weather", "call:clock"], "weather clock", "this needs the scope call:weather"),
        (&["call:clock"], "clock", "there is no agent 'weather'; known: clock"),
        (&[], "", "there is no agent 'weather'; known: none"),
    ] {
        let client = connect(&world.endpoint, &principal_with_scopes(scopes), Era::Modern, "").await;
        let list = structured_result(&client.call("list_agents", json!({})).await);
        let agents = list["agents"].as_array().unwrap();
        let mut names: Vec<&str> = agents.iter().map(|agent| agent["agentId"].as_str().unwrap()).collect();
        names.extend(list.get("skipped").map(|_| "skipped"));
        assert_eq!(names.join(" "), listed, "{scopes:?}");
        let called = client.call("call_agent", json!({"agentId": "weather", "message": "Hello"})).await;
        let said = match &called.structured_content {
            Some(called) => called["status"].as_str().unwrap().to_owned(),
            None => text(&called).lines().next().unwrap().to_owned(),
        };
        assert_eq!(said, weather, "{scopes:?}");
    }
    let asked = world.invoker.asked.lock().unwrap().len();
    assert_eq!(asked, 3, "no other call reached an agent");
}

#[tokio::test]
async fn unknown_tool_is_an_invalid_params_error() {
    let world = world(&["weather"]);
    for era in Era::ALL {
        let client = world.client(era).await;
        let error = client.service.call_tool(CallToolRequestParams::new("launch")).await.unwrap_err();
        let ServiceError::McpError(error) = error else { panic!("{error:?}") };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert_eq!(error.message, "Unknown tool: launch; known: list_agents, call_agent");
    }
}

/// A long call sends progress, so that clients do not time out.
#[tokio::test(start_paused = true)]
async fn long_call_sends_progress() {
    let world = world(&["weather"]);
    for era in Era::ALL {
        let mut client = world.client(era).await;
        let called = client.call("call_agent", json!({"agentId": "weather", "message": "be slow"})).await;
        assert_eq!(structured_result(&called)["response"], "at last");
        for beat in 1..=3 {
            let told = client.notifications.recv().await.unwrap();
            assert_eq!(told, Notification::Progress(f64::from(beat), Some("weather is working".to_owned())), "{era:?}");
        }
        assert!(client.notifications.try_recv().is_err());
    }
}

#[tokio::test]
async fn cancelled_call_cancels_the_run() {
    let world = world(&["weather"]);
    for era in Era::ALL {
        let client = world.client(era).await;
        let arguments = object(&json!({"agentId": "weather", "message": "please hang"}));
        let params = CallToolRequestParams::new("call_agent").with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::no_options();
        let handle = client.service.peer().send_cancellable_request(request, options).await.unwrap();
        world.invoker.begun.notified().await;
        handle.cancel(Some("never mind".to_owned())).await.unwrap();
        world.invoker.dropped.notified().await;
    }
}

#[tokio::test]
async fn unsupported_method_error_lists_supported_methods() {
    let world = world(&["weather"]);
    for (era, opening) in [(Era::Modern, "server/discover"), (Era::Legacy, "initialize, ping")] {
        let client = world.client(era).await;
        let custom = ClientRequest::CustomRequest(CustomRequest::new("agents/fly", None));
        let prompt = ClientRequest::GetPromptRequest(GetPromptRequest::new(GetPromptRequestParams::new("any")));
        for (method, request) in [("agents/fly", custom), ("prompts/get", prompt)] {
            let refused = client.service.send_request(request).await.unwrap_err();
            let ServiceError::McpError(refused) = refused else { panic!("{era:?} {method}: {refused}") };
            let place = if era == Era::Modern { "the protocol 2026-07-28" } else { "a session" };
            let sentence = format!(
                "the method '{method}' is not supported in {place}; supported: {opening}, tools/call, tools/list"
            );
            assert_eq!((refused.code, &*refused.message), (ErrorCode::METHOD_NOT_FOUND, &*sentence), "{era:?}");
        }
    }
}
