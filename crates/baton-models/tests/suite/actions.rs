//! Rule actions.

use crate::calls::{after, check, events, shown, tool, user, with_tools};
use baton_models::Playbook;
use baton_ports::{Model, ModelEvent, OutputFormat};
use baton_types::{Json, Usage};
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn templates_are_expanded() {
    let call = || {
        let round = [
            ("get_weather", r#"{"location":"Oakland","days":[1,2]}"#, r#"{"temp":72,"sky":{"is":"sunny"}}"#),
            ("clock", r#"{"zone":"UTC"}"#, r#""{\"hour\":12}""#),
        ];
        with_tools(after(user("ask bob to sing"), &round), &[tool("clock", "{}"), tool("get_weather", "{}")])
    };
    for (when, template, expect) in [
        (
            "{}",
            "${user} / ${agent} / ${turn} / ${attempt} / ${tools}",
            "ask bob to sing / tester / 2 / 1 / clock, get_weather",
        ),
        ("{ user: 'ask (?P<agent>\\w+) to (?P<task>.+)' }", "${agent}: ${task}", "bob: sing"),
        ("{ user: '(?P<a>x)?ask' }", "[${a}]", "[]"),
        ("{ after_tool: get_weather }", "${args.location} ${args.days} ${args.none}", "Oakland [1,2] null"),
        ("{ after_tool: get_weather }", "${result./temp} ${result./sky/is} ${result./none}", "72 sunny null"),
        ("{ after_tool: clock }", "${result} ${result./hour} ${args.zone}", "{\"hour\":12} 12 UTC"),
        ("{}", "${results}", "{\"temp\":72,\"sky\":{\"is\":\"sunny\"}}\n{\"hour\":12}"),
        ("{ result: 'ho(?P<rest>ur)' }", "${rest}", "ur"),
        ("{}", "costs $5, $${user}, ${ user }", "costs $5, ${user}, ask bob to sing"),
    ] {
        let rules = format!("rules:\n  - when: {when}\n    say: '{template}'\n");
        check(&rules, call(), &format!("say {expect}\ndone")).await;
    }
    check("rules: [{ say: '[${result}]' }]", user("hi"), "say []\ndone").await;
}

#[tokio::test]
async fn lone_variables_keep_their_type() {
    let rules = r#"
rules:
  - when: { after_tool: look, user: "(?P<n>\\d+)" }
    call:
      - { tool: a, args: { all: "${result}", one: "${result./list/0}", text: "n=${result./list/0}", typed: "${n}" } }
      - { tool: b, args: { fixed: [1, true, null, { deep: "${args.x}" }] } }
      - c
"#;
    let call = after(user("take 7"), &[("look", r#"{"x":1.5}"#, r#"{"list":[42]}"#)]);
    let expect = concat!(
        r#"call call-m1-0 a {"all":{"list":[42]},"one":42,"text":"n=42","typed":"7"}"#,
        "\n",
        r#"call call-m1-1 b {"fixed":[1,true,null,{"deep":1.5}]}"#,
        "\ncall call-m1-2 c {}\ndone ToolCalls"
    );
    check(rules, call, expect).await;
}

#[tokio::test]
async fn every_action_has_its_events() {
    let schema = r#"{"type":"object","properties":{"city":{"const":"Oakland"}},"required":["city"]}"#;
    let mut json = user("hi");
    json.format = OutputFormat::JsonSchema(Json::parse(schema).unwrap());
    let tools = with_tools(user("hi"), &[tool("t", schema)]);
    for (rule, call, expect) in [
        (
            "{ think: hm, wait: 1ms, say: well, call: t }",
            user("hi"),
            "think hm\nsay well\ncall call-m1-0 t {}\ndone ToolCalls",
        ),
        ("{ call: { tool: t, args: auto } }", tools, "call call-m1-0 t {\"city\":\"Oakland\"}\ndone ToolCalls"),
        ("{ say_json: auto }", json.clone(), "say {\"city\":\"Oakland\"}\ndone"),
        ("{ say_json: { said: '${user}' } }", json, "say {\"said\":\"hi\"}\ndone"),
        ("{ refuse: 'I will not.' }", user("hi"), "say I will not.\ndone Refusal"),
        (
            "{ fail: { status: 429, message: slow down, retry_after: 2s } }",
            user("hi"),
            "error Refused { status: 429, message: \"slow down\", advice: RetryAdvice { wait: Some(2s), quota_exhausted: false } }",
        ),
        ("{ say: half, fail: gone }", user("hi"), "say half\nerror Interrupted(\"gone\")"),
        ("{ say: 'ha', repeat: 3 }", user("hi"), "say ha\nsay ha\nsay ha\ndone"),
        ("{ long: 2 }", user("hi"), "say This is part 1 of 2. \nsay This is part 2 of 2. \ndone"),
        ("{ say: 'äöüß', chunk: 3 }", user("hi"), "say äöü\nsay ß\ndone"),
        ("{ say: '' }", user("hi"), "done"),
        ("{ say: 7 }", user("hi"), "say 7\ndone"),
    ] {
        check(&format!("rules:\n  - {rule}\n"), call, expect).await;
    }
}

#[tokio::test(start_paused = true)]
async fn waits_and_delays_take_time() {
    let rules = "rules:\n  - { wait: 1s, say: 'abcdef', chunk: 2 }\noptions: { ms_per_chunk: 100 }";
    let begin = Instant::now();
    assert_eq!(shown(&events(rules, user("hi")).await), "say ab\nsay cd\nsay ef\ndone");
    assert_eq!(begin.elapsed(), Duration::from_millis(1200));

    let forever = Playbook::new(Some("rules: [{ think: hm, wait: forever, say: never }]")).unwrap();
    let mut stream = forever.call(user("hi"));
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Reasoning("hm".to_owned()))));
    assert!(tokio::time::timeout(Duration::from_secs(1_000_000), stream.next()).await.is_err());
}

#[tokio::test]
async fn long_answer_yields_and_stops_when_dropped() {
    let playbook = Playbook::new(Some("rules: [{ long: 1000000 }]")).unwrap();
    let stream = playbook.call(user("hi"));
    let mut first = stream.take(1000);
    let mut pieces = 0;
    while let Some(Ok(ModelEvent::Text(_))) = first.next().await {
        pieces += 1;
    }
    assert_eq!(pieces, 1000);
}

#[tokio::test]
async fn unique_values_differ_and_usage_is_as_configured() {
    let usage = |events: Vec<_>| match events.into_iter().next_back() {
        Some(Ok(ModelEvent::Done { usage, .. })) => usage,
        other => panic!("{other:?}"),
    };
    let playbook = Playbook::new(Some("rules: [{ say: '${unique}' }]")).unwrap();
    let mut said = std::collections::BTreeSet::new();
    for _ in 0..100 {
        said.insert(format!("{:?}", playbook.call(user("hi")).next().await));
    }
    assert_eq!(said.len(), 100);

    for (options, expect) in [
        ("{}", Usage::new(6, 3)),
        ("{ usage: estimate }", Usage::new(6, 3)),
        ("{ usage: none }", Usage::default()),
        ("{ usage: { input_tokens: 5 } }", Usage::new(5, 0)),
    ] {
        let rules = format!("rules: [{{ say: 'ten chars!' }}]\noptions: {options}");
        assert_eq!(usage(events(&rules, user("hi there")).await), expect, "{options}");
    }
}
