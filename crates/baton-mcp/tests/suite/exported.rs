//! Exported tools: lists and calls.

use crate::{
    invoker::{EditableAgentSource, ScriptedInvoker, common, export, principal_with_scopes},
    mcp_client::{Client, Era, Notification, connect},
};
use baton_mcp::{ExportedEndpoints, exported::prompt};
use baton_types::{ExportedTool, Principal};
use proptest::prelude::*;
use rmcp::{
    model::{CallToolRequestParams, CallToolResult, ErrorCode, JsonObject, SubscriptionFilter},
    service::ServiceError,
};
use serde_json::{Value, json};
use std::{fmt::Write as _, sync::Arc, time::Duration};

struct World {
    source: Arc<EditableAgentSource>,
    invoker: Arc<ScriptedInvoker>,
    endpoints: ExportedEndpoints,
}

fn world() -> World {
    let (source, invoker) = (EditableAgentSource::with_agents(&["weather"]), Arc::new(ScriptedInvoker::default()));
    source.export(vec![
        export("brief", "Write about {topic} for {days} days in {places}. {{Keep}} {this} by {name}."),
        export("do", "{topic}"),
    ]);
    let endpoints = ExportedEndpoints::new(
        Arc::<EditableAgentSource>::clone(&source),
        Arc::<ScriptedInvoker>::clone(&invoker),
        common(),
    );
    World { source, invoker, endpoints }
}

impl World {
    async fn client(&self, principal: &Principal, era: Era) -> Client {
        connect(&self.endpoints.endpoint(&"weather".into()).unwrap(), principal, era, "").await
    }
}

async fn call(client: &Client, tool: &'static str, arguments: &Value) -> Result<CallToolResult, ServiceError> {
    let params = CallToolRequestParams::new(tool);
    let params = match arguments {
        Value::Object(arguments) => params.with_arguments(arguments.clone()),
        _ => params,
    };
    client.service.call_tool(params).await
}

#[tokio::test]
async fn exported_tools_are_listed() {
    let world = world();
    let mut seen = Vec::new();
    for era in Era::ALL {
        let client = world.client(&Principal::local(), era).await;
        let about = client.service.peer_info().unwrap();
        let tools = client.service.list_all_tools().await.unwrap();
        seen.push(json!({"server": about.server_info, "instructions": about.instructions, "tools": tools}));
    }
    assert_eq!(seen[0], seen[1], "both eras have the same result");
    insta::assert_snapshot!(format!("{:#}", seen[0]));
}

/// The prompt that the agent receives, and the result that the caller receives.
#[tokio::test]
async fn exported_call_prompts_and_results() {
    let world = world();
    let mut seen = Vec::new();
    for era in Era::ALL {
        let client = world.client(&Principal::local(), era).await;
        let mut of_era = String::new();
        for (tool, arguments) in [
            ("brief", json!({"topic": "{days}", "days": 3, "places": ["Oakland", "Rome"]})),
            ("brief", json!({"topic": "rain", "days": null})),
            ("do", json!({"topic": "ask"})),
            ("do", json!({"topic": "fail"})),
            ("do", json!({"topic": "reject"})),
            ("do", json!({"topic": "silent"})),
            ("do", json!({"topic": "busy"})),
            ("do", json!({"topic": 7, "days": 9})),
            ("do", json!({"topic": null})),
            ("do", Value::Null),
        ] {
            let before = world.invoker.asked.lock().unwrap().len();
            let result = call(&client, tool, &arguments).await.unwrap();
            let asked = world.invoker.asked.lock().unwrap().len() > before;
            let prompt = if asked { world.invoker.last().text } else { "nobody was asked".to_owned() };
            let failed = if result.is_error == Some(true) { "isError " } else { "" };
            let said = &result.content[0].as_text().unwrap().text;
            let meta = result.meta.map(|meta| format!("\n{}", Value::Object(meta.0))).unwrap_or_default();
            writeln!(of_era, "{tool} {arguments}\n> {prompt}\n{failed}{said}{meta}\n").unwrap();
        }
        seen.push(of_era);
    }
    assert_eq!(seen[0], seen[1], "both eras have the same result");
    insta::assert_snapshot!(seen[0]);
    let asked = world.invoker.asked.lock().unwrap();
    assert!(asked.iter().all(|(_, ask)| ask.context.is_none() && ask.task.is_none()), "each call is a new task");
}

#[tokio::test]
async fn call_requires_the_call_scope() {
    let world = world();
    for (scopes, runs) in [(&["call:weather"][..], true), (&["read:weather", "call:clock"], false)] {
        let client = world.client(&principal_with_scopes(scopes), Era::Modern).await;
        let result = call(&client, "do", &json!({"topic": "rain"})).await.unwrap();
        assert_eq!(result.is_error, Some(!runs), "{scopes:?}");
    }
    assert_eq!(world.invoker.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn agent_without_exports_says_so() {
    let world = world();
    world.source.export(Vec::new());
    for era in Era::ALL {
        let client = world.client(&Principal::local(), era).await;
        assert!(client.service.list_all_tools().await.unwrap().is_empty());
        let instructions = client.service.peer_info().unwrap().instructions.clone().unwrap();
        assert!(instructions.contains("exports no tools"), "{instructions}");
        let error = call(&client, "do", &json!({"topic": "rain"})).await.unwrap_err();
        let ServiceError::McpError(error) = error else { panic!("{error:?}") };
        assert_eq!((error.code, &*error.message), (ErrorCode::INVALID_PARAMS, "Unknown tool: do; known: none"));
    }
    assert!(world.endpoints.endpoint(&"nobody".into()).is_none());
}

/// Subscribers are notified when the list changed, and only then.
#[tokio::test(start_paused = true)]
async fn list_changes_are_notified() {
    for era in Era::ALL {
        let world = world();
        let mut client = world.client(&Principal::local(), era).await;
        let mut filter = SubscriptionFilter::default();
        filter.tools_list_changed = Some(true);
        let mut subscription = match era {
            Era::Modern => Some(client.service.peer().listen(filter).await.unwrap()),
            Era::Legacy => None,
        };
        // Notifications of a session start with its first reply.
        client.service.list_all_tools().await.unwrap();
        let mut told = 0;
        for (exports, expect) in [
            (vec![export("brief", "Other words"), export("do", "{topic}")], 0),
            (vec![export("do", "{topic}")], 1),
            (vec![export("do", "Words that nobody sees")], 1),
        ] {
            let count = exports.len();
            world.source.export(exports);
            // Paused time advances only when all tasks are idle.
            let heard = async {
                match &mut subscription {
                    Some(subscription) => drop(subscription.next().await.unwrap()),
                    None => assert_eq!(client.notifications.recv().await, Some(Notification::ToolsChanged)),
                }
            };
            told += u32::from(tokio::time::timeout(Duration::from_secs(1), heard).await.is_ok());
            assert_eq!(told, expect, "{era:?}");
            assert_eq!(client.service.list_all_tools().await.unwrap().len(), count, "{era:?}");
        }
    }
}

/// A template part, its expected expansion and its argument.
fn part() -> impl Strategy<Value = (String, String, Option<(String, Value)>)> {
    let literal = "[^{}]{0,8}".prop_map(|text| (text.clone(), text, None));
    let brace = prop_oneof![Just("{"), Just("}")].prop_map(|brace| (brace.repeat(2), brace.to_owned(), None));
    let value = prop_oneof![
        ".{0,12}".prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        proptest::collection::vec("[a-z{}]{0,4}", 0..3).prop_map(Value::from),
    ];
    let argument = ("[a-z_]{1,6}", value).prop_map(|(name, value)| {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (format!("{{{name}}}"), shown, Some((name, value)))
    });
    prop_oneof![literal, brace, argument]
}

proptest! {
    /// Argument values, braces included, are inserted unchanged, and nothing else changes.
    #[test]
    fn templates_are_filled(parts in proptest::collection::vec(part(), 0..12)) {
        let (mut template, mut expect, mut arguments) = (String::new(), String::new(), JsonObject::new());
        for (written, shown, argument) in parts {
            if let Some((name, value)) = argument {
                if arguments.contains_key(&name) {
                    continue;
                }
                arguments.insert(name, value);
            }
            template.push_str(&written);
            expect.push_str(&shown);
        }
        prop_assert_eq!(prompt(&export("tool", &template), &arguments), expect);
    }

    /// Any text is a valid template.
    #[test]
    fn any_template_is_accepted(template in "[{}a-z é]{0,40}", topic in ".{0,8}") {
        let arguments = json!({"topic": topic}).as_object().unwrap().clone();
        prompt(&export("tool", &template), &arguments);
    }
}

#[test]
fn braces_are_expanded_or_kept() {
    let named = ExportedTool {
        parameters: json!({"properties": {"name": {"type": "string"}, "two words": {}}}).into(),
        ..export("brief", "")
    };
    for (template, arguments, expect) in [
        ("{topic}", json!({"topic": "rain"}), "rain"),
        ("{topic}", json!({"topic": {"a": [1, "x"]}}), r#"{"a":[1,"x"]}"#),
        ("[{topic}]", json!({}), "[{topic}]"),
        ("[{name}]", json!({}), "[]"),
        ("{name}", json!({"name": "Ann"}), "Ann"),
        ("{two words}!", json!({"two words": true}), "true!"),
        (r#"{"a": 1}"#, json!({}), r#"{"a": 1}"#),
        ("{{name}}", json!({"name": "Ann"}), "{name}"),
        ("{{{name}}}", json!({"name": "Ann"}), "{Ann}"),
        ("{ {name}", json!({"name": "Ann"}), "{ Ann"),
        ("{name", json!({"name": "Ann"}), "{name"),
        ("}{", json!({}), "}{"),
        ("{}", json!({}), "{}"),
    ] {
        let tool = ExportedTool { prompt: template.to_owned(), ..named.clone() };
        assert_eq!(prompt(&tool, arguments.as_object().unwrap()), expect, "{template}");
    }
    assert_eq!(
        prompt(&export("brief", "by {name}"), &JsonObject::new()),
        "by brief",
        "the tool name is the default of `name`, as in TeamSpark"
    );
}
