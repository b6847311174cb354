//! Rule matching.

use crate::calls::{after, answered, check, tool, user, with_tools};
use baton_ports::{ChatFile, ChatFileContent, ChatMessage, OutputFormat, ToolChoice};
use baton_types::Json;

const ELSE: &str = "  - say: no\n";

fn rule(when: &str) -> String {
    format!("rules:\n  - when: {when}\n    say: yes\n{ELSE}")
}

#[tokio::test]
async fn each_matcher_selects_its_rule() {
    let weather = || with_tools(user("Weather in Oakland?"), &[tool("get_weather", "{}")]);
    let mut rich = weather();
    rich.metadata = Some(Json::parse(r#"{"tier":"gold","n":7}"#).unwrap());
    rich.format = OutputFormat::JsonObject;
    rich.attempt = 2;
    let done = || after(weather(), &[("get_weather", r#"{"location":"Oakland"}"#, r#""72°F""#)]);
    let failed = || after(weather(), &[("get_weather", "{}", r#""failed""#), ("clock", "{}", "12")]);
    let mut seen = user("What is it?");
    if let Some(ChatMessage::User { files, .. }) = seen.messages.first_mut() {
        let content = ChatFileContent::Url("https://files.example/x".to_owned());
        let (name, media_type) = (Some("dot.png".to_owned()), "image/png; q=1".to_owned());
        files.push(ChatFile { name, media_type, content });
    }
    let mut long = weather();
    let said = ChatMessage::Assistant { text: "Hello Alice.".to_owned(), calls: Vec::new(), reasoning: None };
    long.messages.insert(0, said);
    let told = answered(seen.clone(), "user-2", "a dot");
    for (when, call, yes) in [
        ("{}", weather(), true),
        ("{ file: 'image/*' }", seen.clone(), true),
        ("{ file: ['*/*', image/PNG] }", seen.clone(), true),
        ("{ file: [image/png, application/pdf] }", seen.clone(), false),
        ("{ file: '*/*' }", weather(), false),
        ("{ file: '*/*' }", told, false),
        ("{ user: '(?i)weather' }", weather(), true),
        ("{ user: weather }", weather(), false),
        ("{ earlier: Alice }", long.clone(), true),
        ("{ earlier: Weather }", long.clone(), false),
        ("{ system: 'a test' }", weather(), true),
        ("{ system: 'an exam' }", weather(), false),
        ("{ tool: get_weather }", weather(), true),
        ("{ tool: [get_weather, other] }", weather(), false),
        ("{ message_id: '^user-' }", weather(), true),
        ("{ message_id: '^tck-' }", weather(), false),
        ("{ metadata: { tier: gold, n: '^7$' } }", rich.clone(), true),
        ("{ metadata: { tier: silver } }", rich.clone(), false),
        ("{ metadata: { tier: gold } }", weather(), false),
        ("{ format: json_object }", rich.clone(), true),
        ("{ format: json_schema }", rich.clone(), false),
        ("{ format: text }", weather(), true),
        ("{ attempt: 2 }", rich.clone(), true),
        ("{ attempt: 1 }", rich.clone(), false),
        ("{ agent: tester, model: playbook }", weather(), true),
        ("{ agent: other }", weather(), false),
        ("{ model: gpt }", weather(), false),
        ("{ turn: first }", weather(), true),
        ("{ turn: first }", done(), false),
        ("{ turn: 2 }", done(), true),
        ("{ after_tool: get_weather }", done(), true),
        ("{ after_tool: get_weather }", weather(), false),
        ("{ after_tool: clock }", done(), false),
        ("{ after_tool: '*' }", done(), true),
        ("{ result: '°F$' }", done(), true),
        ("{ result: '°C$' }", done(), false),
        ("{ result: '' }", weather(), false),
        ("{ after_tool: get_weather, failed: true }", failed(), true),
        ("{ after_tool: clock, failed: true }", failed(), false),
        ("{ failed: false }", failed(), true),
    ] {
        check(&rule(when), call, if yes { "say yes\ndone" } else { "say no\ndone" }).await;
    }
    check("rules: [{ say: 'I see ${files}' }]", seen, "say I see dot.png (image/png; q=1)\ndone").await;
}

#[tokio::test]
async fn new_user_message_is_a_new_first_turn() {
    let mut call = after(user("one"), &[("clock", "{}", "12")]);
    call.messages.push(ChatMessage::User { id: "user-2".into(), text: "two".to_owned(), files: Vec::new() });
    check(&rule("{ turn: first, user: two, message_id: user-2 }"), call.clone(), "say yes\ndone").await;
    check(&rule("{ after_tool: clock }"), call, "say no\ndone").await;
}

#[tokio::test]
async fn context_precedes_the_question_and_is_not_matched() {
    let mut call = after(user("one"), &[("clock", "{}", "12")]);
    for (id, text) in [("reference:map", "Reference: north is up"), ("rule:tone", "Rule: be brief"), ("user-2", "two")]
    {
        call.messages.push(ChatMessage::User { id: id.into(), text: text.to_owned(), files: Vec::new() });
    }
    check(&rule("{ turn: first, user: '^two$', message_id: '^user-2$' }"), call.clone(), "say yes\ndone").await;
    check(&rule("{ user: brief }"), call, "say no\ndone").await;
}

#[tokio::test]
async fn answer_to_a_question_is_a_user_message_and_a_result() {
    let call = answered(user("one"), "user-2", "two");
    for (when, yes) in [
        ("{ turn: first, user: two, message_id: user-2, after_tool: ask_user, result: two }", true),
        ("{ user: one }", false),
        ("{ message_id: user-1 }", false),
        ("{ turn: 2 }", false),
    ] {
        check(&rule(when), call.clone(), if yes { "say yes\ndone" } else { "say no\ndone" }).await;
    }
    let later = after(call, &[("clock", "{}", "12")]);
    check(&rule("{ turn: 2, user: two, message_id: user-2, after_tool: clock }"), later, "say yes\ndone").await;
}

#[tokio::test]
async fn tool_choice_decides_between_rules() {
    let rules = "rules:\n  - { say: words }\n  - { call: a }\n  - { call: b }\n";
    for (choice, expect) in [
        (ToolChoice::Auto, "say words\ndone"),
        (ToolChoice::None, "say words\ndone"),
        (ToolChoice::Required, "call call-m1-0 a {}\ndone ToolCalls"),
        (ToolChoice::Named("b".to_owned()), "call call-m1-0 b {}\ndone ToolCalls"),
    ] {
        let mut call = with_tools(user("hi"), &[tool("a", "{}"), tool("b", "{}")]);
        call.tool_choice = choice.clone();
        check(rules, call.clone(), expect).await;
        if choice != ToolChoice::None {
            check(rules, after(call, &[("b", "{}", "1")]), "say words\ndone").await;
        }
    }
    let mut call = with_tools(user("hi"), &[tool("a", "{}")]);
    call.tool_choice = ToolChoice::None;
    check("rules:\n  - { call: a, when: { turn: first } }\n  - { say: words }", call, "say words\ndone").await;
}
