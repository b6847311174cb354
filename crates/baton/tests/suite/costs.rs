//! `baton costs`: spans of model calls become tokens, money and shares of budgets.

use crate::binary::{Home, examples, filtered, request};
use serde_json::{Value, json};

/// Everything stays, so that a moment of the past means the same whenever the test runs.
const KEPT: &str = "telemetry: { retention: { age: 36500d } }\n";
const MONEY: &str = "prices:\n  sonnet: { input: 3.0, output: 15.0, cached: 0.3 }\n  \
    mini: { input: 0.1, output: 0.2 }\n\
    budgets: { day: 5.0, month: 20.0, agents: { planner: 9.0, idle: 1.0 }, projects: { shop: 100.0, till: 0.5 } }\n";
/// Noon of the last day that the spans know.
const UNTIL: &str = "2026-11-05T12:00:00Z";

/// A model call: on this day of November at eight, by whom, of which model, and tokens read, from a cache, written and
/// thought.
struct Call(u64, &'static str, &'static str, [u64; 4]);

const CALLS: &[(&str, &[Call])] = &[
    // The project stands on the resource.
    (
        "shop",
        &[
            Call(3, "planner", "sonnet", [1_000_000, 400_000, 100_000, 60_000]),
            Call(4, "planner", "sonnet", [1_000_001, 0, 1, 0]),
            Call(5, "planner", "sonnet", [400_000, 0, 300_000, 0]),
            Call(5, "clerk", "mini", [30_000, 0, 3_000, 0]),
        ],
    ),
    (
        "",
        &[
            Call(4, "clerk", "mini", [3, 0, 1, 0]),
            Call(5, "clerk", "mystery", [1_000, 0, 10, 0]),
            Call(5, "weather", "playbook", [426, 0, 88, 0]),
        ],
    ),
];

/// What was spent in October counts for no budget of November.
const OCTOBER: u64 = 1_792_454_400;

fn call(number: usize, second: u64, Call(_, agent, model, tokens): &Call) -> Value {
    let mut attributes = vec![
        json!({ "key": "gen_ai.operation.name", "value": { "stringValue": "chat" } }),
        json!({ "key": "gen_ai.agent.name", "value": { "stringValue": agent } }),
        json!({ "key": "gen_ai.request.model", "value": { "stringValue": model } }),
    ];
    let keys = ["input_tokens", "cache_read.input_tokens", "output_tokens", "reasoning.output_tokens"];
    for (key, tokens) in keys.iter().zip(tokens).filter(|(_, tokens)| **tokens > 0) {
        attributes.push(json!({ "key": format!("gen_ai.usage.{key}"), "value": { "intValue": tokens.to_string() } }));
    }
    json!({
        "traceId": format!("{:032x}", number + 1), "spanId": format!("{:016x}", number + 1), "kind": 3,
        "name": format!("chat {model}"), "attributes": attributes,
        "startTimeUnixNano": format!("{second}000000000"), "endTimeUnixNano": format!("{second}500000000"),
    })
}

/// A Baton that knows these calls, stopped again: the command opens what it left behind.
fn spent(home: &Home) {
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (server, url) = home.up(&["helper", "--port", "0"]);
    let mut number = 0;
    let mut next = || {
        number += 1;
        number
    };
    let mut sent: Vec<Value> = Vec::new();
    for (project, calls) in CALLS {
        let at = |day: u64| 1_793_491_200 + (day - 1) * 86_400 + 8 * 3_600;
        let spans: Vec<Value> = calls.iter().map(|one| call(next(), at(one.0), one)).collect();
        let mut attributes = vec![json!({ "key": "service.name", "value": { "stringValue": "team" } })];
        if !project.is_empty() {
            attributes.push(json!({ "key": "project.id", "value": { "stringValue": project } }));
        }
        sent.push(json!({ "resource": { "attributes": attributes }, "scopeSpans": [{ "spans": spans }] }));
    }
    // The project stands on the span.
    let mut october = call(next(), OCTOBER, &Call(0, "planner", "sonnet", [9_000_000, 0, 0, 0]));
    let attributes = october["attributes"].as_array_mut().expect("a list");
    attributes.push(json!({ "key": "project.id", "value": { "stringValue": "till" } }));
    sent.push(json!({ "scopeSpans": [{ "spans": [october] }] }));
    let body = json!({ "resourceSpans": sent }).to_string();
    let reply = request(&url, "POST", "/v1/traces", &[("Content-Type", "application/json")], &body);
    assert_eq!(reply.status, 200, "{reply:?}");
    let asked = home.run(&["costs", "--until", UNTIL, "--json"]);
    assert_eq!(
        (asked.code, json_of(&asked.stdout)["total"]["calls"].as_u64()),
        (Some(0), Some(7)),
        "{}",
        asked.shown()
    );
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn tokens_become_money_and_shares_of_budgets() {
    let home = Home::new();
    home.write("baton.yaml", &format!("{KEPT}{MONEY}"));
    home.write("unpriced.yaml", &format!("{KEPT}data: .baton\n"));
    spent(&home);
    let all: Vec<String> = [
        &["--by", "agent", "--until", UNTIL][..],
        &["--by", "model", "--until", UNTIL],
        &["--by", "project", "--until", UNTIL],
        &["--by", "day", "--until", UNTIL],
        &["--by", "day", "--since", "2026-10-01", "--until", "2026-11-01"],
        &["--by", "model", "--until", UNTIL, "--config", "unpriced.yaml"],
        &["--since", "2026-11-06", "--until", "2026-11-07", "--config", "unpriced.yaml"],
        &["--since", "2026-11-06", "--until", UNTIL],
        &["--by", "colour"],
    ]
    .iter()
    .map(|options| {
        let command = [&["costs"], *options].concat();
        format!("$ baton {}\n{}", command.join(" "), home.run(&command).shown())
    })
    .collect();
    filtered(|| insta::assert_snapshot!("costs", all.join("\n")));
}

#[test]
fn programs_read_exact_amounts_and_what_is_over() {
    let home = Home::new();
    home.write("baton.yaml", &format!("{KEPT}{MONEY}"));
    spent(&home);
    let told = home.run(&["costs", "--by", "agent", "--until", UNTIL, "--json"]);
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""), "{}", told.shown());
    let told = json_of(&told.stdout);
    let of = |list: &str, key: &str, name: &str| {
        let list = told[list].as_array().expect("a list");
        list.iter().find(|one| one[key] == name).unwrap_or_else(|| panic!("{name}: {told:#}")).clone()
    };
    // 600,000 * 3 + 400,000 * 0.3 + 100,000 * 15; 1,000,001 * 3 + 1 * 15; 400,000 * 3 + 300,000 * 15, by the million.
    let planner = of("rows", "group", "planner");
    assert_eq!(planner["dollars"].to_string(), "12.120018", "{planner}");
    assert_eq!((&planner["cached_tokens"], &planner["reasoning_tokens"]), (&json!(400_000), &json!(60_000)));
    let clerk = of("rows", "group", "clerk");
    assert_eq!((&clerk["dollars"], &clerk["unpriced"]), (&Value::Null, &json!(["mystery"])), "{clerk}");
    assert_eq!(clerk["known_dollars"].to_string(), "0.0036005", "{clerk}");
    assert_eq!(of("rows", "group", "weather")["dollars"], 0.0);
    assert_eq!(told["total"]["dollars"], Value::Null, "{told:#}");
    assert_eq!(told["incomplete"], json!(["prices in baton.yaml has nothing for mystery"]));
    let day = of("budgets", "of", "day");
    assert_eq!((&day["over"], &day["since"]), (&json!(true), &json!("2026-11-05T00:00:00.000Z")), "{day}");
    let agent = of("budgets", "name", "planner");
    assert_eq!((&agent["over"], agent["share"].to_string().as_str()), (&json!(true), "1.3466"), "{agent}");
    for (name, share) in [("idle", 0.0), ("shop", 0.1212), ("till", 0.0)] {
        let used = of("budgets", "name", name);
        assert_eq!((&used["over"], &used["share"]), (&json!(false), &json!(share)), "{used}");
    }
}

/// The project of the settings is on the spans that Baton makes itself; the variable of the environment comes first.
#[test]
fn spans_of_baton_name_the_project() {
    for (variables, expect) in [(&[][..], "shop"), (&[("OTEL_RESOURCE_ATTRIBUTES", "project.id=till")], "till")] {
        let home = Home::new();
        home.write("baton.yaml", "telemetry: { project: shop }\nprices: { playbook: { input: 1000, output: 1000 } }\n");
        let (_server, url) = home.up_with(variables, &[&examples(), "--port", "0"]);
        let asked = home.run(&["run", "weather", "What's the weather in Oakland?", "-q"]);
        assert_eq!(asked.code, Some(0), "{}", asked.shown());
        // Spans come a moment after what they tell of.
        let begun = std::time::Instant::now();
        let row = loop {
            let told = home.run(&["costs", "--by", "project", "--since", "1h", "--json"]);
            if let Some(row) = json_of(&told.stdout)["rows"].get(0).cloned() {
                break row;
            }
            assert!(begun.elapsed().as_secs() < 20, "{}", told.shown());
        };
        assert_eq!(row["group"], expect, "{row}");
        assert!(row["dollars"].as_f64().is_some_and(|dollars| dollars > 0.0), "{row}");
        let values = request(&url, "GET", "/tempo/api/v2/search/tag/.project.id/values", &[], "");
        assert!(values.body.contains(&format!("\"{expect}\"")), "{values:?}");
    }
}
