//! Lists: contents, order and pages.

use super::{
    client::{Answers, text},
    world::{Plan, World, ann, operator, tool},
};
use crate::mcp_client::Era;
use baton_mcp::McpLimits;
use baton_types::{Effects, McpEra, Permission, Principal};
use rmcp::model::{GetPromptRequestParams, PaginatedRequestParams, ReadResourceRequestParams};
use serde_json::json;

#[tokio::test]
async fn lists_contain_everything_of_the_agent() {
    let mut eras = Vec::new();
    for era in Era::ALL {
        let world = World::new();
        world.source.connect(McpEra::Auto, Permission::Allow);
        let client = world.client(&operator(), era, Answers::Never).await;
        eras.push(json!({
            "server": client.service.peer_info().map(|info| json!([info.server_info, info.capabilities])),
            "tools": client.service.list_all_tools().await.unwrap(),
            "prompts": client.service.list_all_prompts().await.unwrap(),
            "resources": client.service.list_all_resources().await.unwrap(),
            "templates": client.service.list_all_resource_templates().await.unwrap(),
        }));
    }
    assert_eq!(eras[0], eras[1]);
    insta::assert_json_snapshot!(eras[0]);
}

#[tokio::test]
async fn pages_skip_no_entry_when_the_list_changes() {
    let world =
        World::with_plan(Plan { limits: McpLimits { page_size: 4, ..Plan::default().limits }, ..Plan::default() });
    let client = world.client(&ann(), Era::Modern, Answers::Never).await;
    let first = client.service.list_tools(None).await.unwrap();
    let names = |tools: &[rmcp::model::Tool]| tools.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&first.tools), ["ask", "echo", "fail", "guarded"]);
    // One entry is added before the page and one of the page is removed: the next page starts after the last entry
    // seen.
    world.source.edit(|spec| {
        spec.tools.retain(|tool| tool.name != "guarded");
        spec.tools.push(tool("before", Effects::Unknown));
    });
    let cursor = PaginatedRequestParams::default().with_cursor(first.next_cursor);
    let second = client.service.list_tools(Some(cursor)).await.unwrap();
    assert_eq!(names(&second.tools), ["hang", "progress", "say", "sleep"]);
    assert_eq!(second.next_cursor, None);
}

#[tokio::test]
async fn prompts_and_references_are_returned() {
    for era in Era::ALL {
        let world = World::new();
        let client = world.client(&operator(), era, Answers::Never).await;
        let prompt = |arguments: Option<serde_json::Value>| {
            let mut params = GetPromptRequestParams::new("system_prompt");
            params.arguments = arguments.map(super::client::object);
            client.service.get_prompt(params)
        };
        let said = |result: rmcp::model::GetPromptResult| result.messages[0].content.as_text().unwrap().text.clone();
        assert_eq!(said(prompt(None).await.unwrap()), "You forecast.");
        world.source.edit(|spec| spec.prompt = " ".to_owned());
        assert_eq!(said(prompt(None).await.unwrap()), "You are Weather.");
        assert_eq!(said(prompt(Some(json!({"agent_name": "Sunny"}))).await.unwrap()), "You are Sunny.");
        let uri = "baton://agents/weather/references/style%20guide";
        let read = client.service.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
        assert_eq!(
            serde_json::to_value(&read.contents).unwrap(),
            json!([{"uri": uri, "mimeType": "text/markdown", "text": "Be brief."}])
        );
    }
}

#[tokio::test]
async fn system_prompt_requires_the_admin_scope() {
    for era in Era::ALL {
        let world = World::new();
        for (scope, is_shown) in [("read", false), ("call", false), ("call:weather", false), ("admin", true)] {
            let caller = Principal { scopes: vec![scope.into()], ..ann() };
            let client = world.client(&caller, era, Answers::Never).await;
            let listed = client.service.list_all_prompts().await.unwrap();
            assert_eq!(listed.iter().any(|prompt| prompt.name == "system_prompt"), is_shown, "{scope}");
            let given = client.service.get_prompt(GetPromptRequestParams::new("system_prompt")).await;
            let refusal = given.err().map(|error| error.to_string());
            let is_named = |words: &String| words.contains("BTN-1011") && words.contains("the scope admin");
            assert!(refusal.as_ref().map(is_named) == (!is_shown).then_some(true), "{scope} {refusal:?}");
        }
    }
}

#[tokio::test]
async fn changed_definition_takes_effect_immediately() {
    let world = World::new();
    let client = world.client(&ann(), Era::Modern, Answers::Never).await;
    assert_eq!(text(&client.call("say", json!({"city": "Oslo"})).await), "Sunny in Oslo");
    world.source.edit(|spec| spec.tools.retain(|tool| tool.name != "say"));
    let gone = client.service.call_tool(super::client::params("say", json!({"city": "Oslo"}))).await;
    assert!(gone.unwrap_err().to_string().contains("Unknown tool: say"));
}
