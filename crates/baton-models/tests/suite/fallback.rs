//! Behavior without a matching rule.

use crate::calls::{after, check, events, shown, tool, user, with_tools};
use baton_ports::{OutputFormat, ToolChoice};
use baton_types::{Json, ToolRunner, ToolSpec};

const PLACE: &str = r#"{"properties":{"place":{"enum":["Oakland"]}},"required":["place"]}"#;

fn handoff() -> ToolSpec {
    ToolSpec { runner: ToolRunner::BuiltIn, ..tool("handoff", "{}") }
}

#[tokio::test]
async fn default_text_explains_the_playbook() {
    insta::assert_snapshot!(shown(&events("", user("Tell me a story.")).await));
    let tools = [tool("get_weather", PLACE), handoff()];
    insta::assert_snapshot!(shown(&events("rules: []", with_tools(user("Tell me a story."), &tools)).await));
}

#[tokio::test]
async fn only_matching_tool_is_called_once() {
    let tools = [tool("get_weather", PLACE), tool("sendMail", "{}"), handoff()];
    let call = "call call-m1-0 get_weather {\"place\":\"Oakland\"}\ndone ToolCalls";
    check("", with_tools(user("How is the weather?"), &tools), call).await;
    check("", with_tools(user("Send mails"), &tools), "call call-m1-0 sendMail {}\ndone ToolCalls").await;
    let done = after(with_tools(user("weather"), &tools), &[("get_weather", "{}", r#""72°F""#)]);
    check("", done, "say get_weather answered: 72°F\ndone").await;
    for words in ["Mail me the weather", "get it", "handoff this"] {
        let answer = shown(&events("", with_tools(user(words), &tools)).await);
        assert!(answer.starts_with("say I am Baton's built-in playbook"), "{words}: {answer}");
    }
    let mut never = with_tools(user("weather"), &tools);
    never.tool_choice = ToolChoice::None;
    assert!(shown(&events("", never).await).starts_with("say I am"));
}

#[tokio::test]
async fn required_tool_is_called_and_json_is_generated() {
    let tools = [handoff(), tool("get_weather", PLACE), tool("other", "{}")];
    let mut call = with_tools(user("hi"), &tools);
    call.tool_choice = ToolChoice::Required;
    check("", call.clone(), "call call-m1-0 get_weather {\"place\":\"Oakland\"}\ndone ToolCalls").await;
    call.tool_choice = ToolChoice::Named("other".to_owned());
    check("", call.clone(), "call call-m1-0 other {}\ndone ToolCalls").await;
    check("", after(call, &[("other", "{}", "1")]), "say other answered: 1\ndone").await;

    let mut json = with_tools(user("weather"), &tools);
    json.format = OutputFormat::JsonSchema(Json::parse(PLACE).unwrap());
    check("", json.clone(), "say {\"place\":\"Oakland\"}\ndone").await;
    json.format = OutputFormat::JsonObject;
    check("", json, "say {\"user\":\"weather\"}\ndone").await;
}
