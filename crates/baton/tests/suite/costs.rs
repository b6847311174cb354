//! `baton costs`: tokens, money and budget shares from spans of model calls.

use crate::binary::{Home, LONG_RETENTION, examples, filtered, request};
use serde_json::{Value, json};

const MONEY: &str = "prices:\n  sonnet: { input: 3.0, output: 15.0, cached: 0.3 }\n  \
    mini: { input: 0.1, output: 0.2 }\n\
    budgets: { day: 5.0, month: 20.0, agents: { planner: 9.0, idle: 1.0 }, projects: { shop: 100.0, till: 0.5 } }\n";
/// Noon of the last day with spans.
const UNTIL: &str = "2026-11-05T12:00:00Z";

/// A model call: day of November (at 08:00), agent, model, and input, cached, output and reasoning tokens.
struct Call(u64, &'static str, &'static str, [u64; 4]);

const CALLS: &[(&str, &[Call])] = &[
    // The project is a resource attribute.
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

/// A time in October, outside of every November budget.
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

/// Stores the calls with a server and stops it, so that the command opens the data directory.
fn store_calls(home: &Home) {
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
    // The project is a span attribute.
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
    home.write("baton.yaml", &format!("{LONG_RETENTION}{MONEY}"));
    home.write("unpriced.yaml", &format!("{LONG_RETENTION}data: .baton\n"));
    store_calls(&home);
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
fn json_output_has_exact_amounts_and_exceeded_budgets() {
    let home = Home::new();
    home.write("baton.yaml", &format!("{LONG_RETENTION}{MONEY}"));
    store_calls(&home);
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
    assert_eq!(told["incomplete"], json!(["no price in baton.yaml for mystery"]));
    let day = of("budgets", "of", "day");
    assert_eq!((&day["over"], &day["since"]), (&json!(true), &json!("2026-11-05T00:00:00.000Z")), "{day}");
    let agent = of("budgets", "name", "planner");
    assert_eq!((&agent["over"], agent["share"].to_string().as_str()), (&json!(true), "1.3466"), "{agent}");
    for (name, share) in [("idle", 0.0), ("shop", 0.1212), ("till", 0.0)] {
        let used = of("budgets", "name", name);
        assert_eq!((&used["over"], &used["share"]), (&json!(false), &json!(share)), "{used}");
    }
}

/// A span of this operation.
fn operation_span(operation: &str, number: usize, second: u64, usage: &[(&str, u64)]) -> Value {
    let mut span = call(number, second, &Call(0, "sdk", "sonnet", [0; 4]));
    let attributes = span["attributes"].as_array_mut().expect("a list");
    attributes[0] = json!({ "key": "gen_ai.operation.name", "value": { "stringValue": operation } });
    for (key, tokens) in usage {
        attributes.push(json!({ "key": format!("gen_ai.usage.{key}"), "value": { "intValue": tokens.to_string() } }));
    }
    span
}

fn send_spans(url: &str, spans: &[Value]) {
    let body = json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] }).to_string();
    let reply = request(url, "POST", "/v1/traces", &[("Content-Type", "application/json")], &body);
    assert_eq!(reply.status, 200, "{reply:?}");
}

/// SDKs use several operation names, and cache writes have their own price.
#[test]
fn every_model_operation_is_priced() {
    let home = Home::new();
    let prices = "prices: { sonnet: { input: 3.0, output: 15.0, cached: 0.3, cache_write: 3.75 } }\n";
    home.write("baton.yaml", &format!("{LONG_RETENTION}{prices}"));
    home.write("plain.yaml", &format!("{LONG_RETENTION}prices: {{ sonnet: {{ input: 3.0, output: 15.0 }} }}\n"));
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (_server, url) = home.up(&["helper", "--port", "0"]);
    let at = 1_793_865_600;
    let cached = [("input_tokens", 1_000_000), ("cache_read.input_tokens", 200_000)];
    send_spans(
        &url,
        &[
            operation_span("chat", 1, at, &[&cached[..], &[("cache_creation.input_tokens", 300_000)]].concat()),
            operation_span(
                "generate_content",
                2,
                at,
                &[&cached[..], &[("cache_write.input_tokens", 300_000)]].concat(),
            ),
            operation_span("text_completion", 3, at, &[("output_tokens", 100_000)]),
            operation_span("embeddings", 4, at, &[("input_tokens", 10_000)]),
            operation_span("retrieval", 5, at, &[("input_tokens", 1_000_000)]),
            operation_span("invoke_agent", 6, at, &[("input_tokens", 1_000_000)]),
        ],
    );
    // Twice 500,000 * 3 + 200,000 * 0.3 + 300,000 * 3.75; 100,000 * 15; 10,000 * 3, by the million.
    for (config, dollars) in [("baton.yaml", "6.9"), ("plain.yaml", "7.53")] {
        let told = home.run(&["costs", "--until", UNTIL, "--json", "--config", config]);
        let total = json_of(&told.stdout)["total"].clone();
        assert_eq!((&total["calls"], total["dollars"].to_string().as_str()), (&json!(4), dollars), "{}", told.shown());
        assert_eq!(total["cache_write_tokens"], 600_000, "{total}");
    }
    let table = home.run(&["costs", "--until", UNTIL]);
    assert!(table.stdout.contains("cache writes") && table.stdout.contains("600,000"), "{}", table.shown());
}

/// Totals of a store without room for another block may be too low; a store with enough room is complete.
#[test]
fn possibly_deleted_spans_are_reported() {
    let home = Home::new();
    home.write("baton.yaml", LONG_RETENTION);
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (server, url) = home.up(&["helper", "--port", "0"]);
    // Enough spans for a block when the server stops, and random enough to exceed the minimum size limit.
    let mut noise = 1_u64;
    let mut noises = || {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{noise:016x}")
    };
    for part in 0..9_usize {
        let mut one = |number: usize| {
            let mut span = operation_span("chat", part * 1_000 + number, 1_793_865_600, &[]);
            let noise: String = (0..25).map(|_| noises()).collect();
            let attributes = span["attributes"].as_array_mut().expect("a list");
            attributes.push(json!({ "key": "noise", "value": { "stringValue": noise } }));
            span
        };
        send_spans(&url, &(0..1_000).map(&mut one).collect::<Vec<_>>());
    }
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    let incomplete = |config: &str, since: &str| {
        let told = home.run(&["costs", "--since", since, "--until", UNTIL, "--json", "--config", config]);
        let told = json_of(&told.stdout);
        assert_eq!(told["total"]["calls"], 9_000, "{told:#}");
        told["incomplete"].to_string()
    };
    let before = "2026-11-05T07:00:00Z";
    assert_eq!(incomplete("baton.yaml", before), "[\"no price in baton.yaml for sonnet\"]");
    let doctor = json_of(&home.run(&["doctor", "--json"]).stdout);
    let spans = doctor["checks"].as_array().expect("checks").iter().find(|check| check["name"] == "spans");
    let bytes = spans.and_then(|spans| spans["data"]["bytes"].as_u64()).unwrap_or_else(|| panic!("{doctor:#}"));
    home.write("full.yaml", &format!("telemetry: {{ retention: {{ age: 36500d, bytes: {bytes} }} }}\n"));
    let said = incomplete("full.yaml", before);
    assert!(said.contains("older than 2026-11-05 08:00 may be deleted"), "{said}");
    let said = incomplete("full.yaml", "2026-11-05T08:00:00Z");
    assert!(!said.contains("gone"), "{said}");
}

/// Baton's own spans have the project of the settings; the environment variable takes precedence.
#[test]
fn baton_spans_have_the_project_name() {
    for (variables, expect) in [(&[][..], "shop"), (&[("OTEL_RESOURCE_ATTRIBUTES", "project.id=till")], "till")] {
        let home = Home::new();
        home.write("baton.yaml", "telemetry: { project: shop }\nprices: { playbook: { input: 1000, output: 1000 } }\n");
        let (_server, url) = home.up_with(variables, &[&examples(), "--port", "0"]);
        let asked = home.run(&["run", "weather", "What's the weather in Oakland?", "-q"]);
        assert_eq!(asked.code, Some(0), "{}", asked.shown());
        // Spans are stored shortly after their operation ends.
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
