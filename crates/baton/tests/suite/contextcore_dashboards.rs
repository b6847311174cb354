//! The queries of the ContextCore dashboards, as valid TraceQL, with their expected results from the real binary.
//! Panels over logs are not included: they query another kind of store.

mod panels;
mod spans;

use crate::binary::{Home, LONG_RETENTION, request};
use panels::{CODE, DRILLDOWN, GOVERNANCE, INSIGHTS};
use serde_json::Value;
use spans::{BEGIN, send};

/// Series in the format of the tables: `label: first interval, second interval | whole range`, `-` for no value.
fn series(url: &str, query: &str, mode: &str) -> Vec<String> {
    let encoded: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
    let answer = |path: &str| {
        let path = format!(
            "/tempo/api/metrics/{path}?q={encoded}&start={BEGIN}&end={}&step=600s&exemplars=0{mode}",
            BEGIN + 1_200
        );
        let reply = request(url, "GET", &path, &[], "");
        assert_eq!(reply.status, 200, "{query}: {reply:?}");
        let answer: Value = serde_json::from_str(&reply.body).unwrap_or_else(|error| panic!("{query}: {error}"));
        answer["series"].as_array().expect("series").clone()
    };
    let (ranges, instants) = (answer("query_range"), answer("query"));
    let instant = |label: &str| {
        let found = instants.iter().find(|series| labels(series) == label);
        found.map_or("-".to_owned(), |series| number(&series["value"]))
    };
    let mut lines: Vec<String> = Vec::new();
    for range in &ranges {
        let sample = |end: u64| {
            let at = (1_000 * end).to_string();
            let samples = range["samples"].as_array().expect("samples").iter();
            samples
                .filter(|sample| sample["timestampMs"] == *at)
                .map(|sample| number(&sample["value"]))
                .next()
                .unwrap_or("-".to_owned())
        };
        let label = labels(range);
        lines.push(format!("{label}: {}, {} | {}", sample(BEGIN + 600), sample(BEGIN + 1_200), instant(&label)));
    }
    // Series with a value for the whole range but for no interval.
    let only = instants.iter().filter(|series| !ranges.iter().any(|range| labels(range) == labels(series)));
    lines.extend(only.map(|series| format!("{}: -, - | {}", labels(series), number(&series["value"]))));
    lines.sort();
    lines
}

fn number(value: &Value) -> String {
    let number = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    format!("{}", (number * 1e6).round() / 1e6)
}

/// The values of the labels, without `__name__`.
fn labels(series: &Value) -> String {
    let labels = series["labels"].as_array().expect("labels").iter();
    let labels: Vec<String> =
        labels.filter(|label| label["key"] != "__name__").map(|label| shown(&label["value"])).collect();
    if labels.is_empty() { "all".to_owned() } else { labels.join(" ") }
}

fn shown(value: &Value) -> String {
    if let Some(values) = value["arrayValue"]["values"].as_array() {
        return format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(" "));
    }
    let value = value.as_object().and_then(|value| value.values().next()).expect("a value");
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The names of the spans that a search finds, sorted.
fn found(url: &str, query: &str) -> Vec<String> {
    let encoded: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
    let path = format!("/tempo/api/search?q={encoded}&start={BEGIN}&end={}&limit=100&spss=100&strict=1", BEGIN + 1_200);
    let reply = request(url, "GET", &path, &[], "");
    assert_eq!(reply.status, 200, "{query}: {reply:?}");
    let answer: Value = serde_json::from_str(&reply.body).expect("JSON");
    let traces = answer["traces"].as_array().expect("traces").iter();
    let spans = traces.flat_map(|trace| trace["spanSets"].as_array().expect("sets"));
    let spans = spans.flat_map(|set| set["spans"].as_array().expect("spans"));
    let mut names: Vec<String> = spans.map(|span| span["name"].as_str().expect("a name").to_owned()).collect();
    names.sort();
    names
}

#[test]
fn metric_panels_return_the_expected_series() {
    let home = Home::new();
    home.write("baton.yaml", LONG_RETENTION);
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (_server, url) = home.up(&["helper", "--port", "0"]);
    send(&url);
    let mut wrong = Vec::new();
    for (title, query, wanted) in [INSIGHTS, CODE, GOVERNANCE, DRILLDOWN].concat() {
        for mode in ["&strict=1", ""] {
            let got = series(&url, query, mode);
            if got != wanted {
                wrong.push(format!("{title}{mode}\n  {query}\n  {got:?}, not\n  {wanted:?}"));
            }
        }
    }
    // Attributes without scopes, as the specification of the protocol writes them.
    let loose = r#"{ insight.type = "decision" && project.id = "checkout" } | select(insight.summary) | rate() > 0"#;
    assert_eq!(series(&url, loose, ""), ["all: 0.003333, - | 0.001667"]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    // Attributes that are specific to failed spans.
    let compared = series(&url, "{ nestedSetParent < 0 } | compare({ status = error }, 2)", "&strict=1");
    for wanted in [
        "baseline billing: 1, 0 | 1",
        "baseline checkout: 6, 4 | 10",
        "selection billing: 2, 1 | 3",
        "selection checkout: 0, 3 | 3",
    ] {
        assert!(compared.iter().any(|line| line == wanted), "{wanted} is missing: {compared:#?}");
    }
}

#[test]
fn every_table_finds_its_spans() {
    let home = Home::new();
    home.write("baton.yaml", LONG_RETENTION);
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (_server, url) = home.up(&["helper", "--port", "0"]);
    send(&url);
    let prefix = r#"resource.service.name = "contextcore" && span.project.id = "checkout""#;
    let insight = |rest: &str| format!("{{ {rest} && span.project.id = \"checkout\" }}");
    let governed = |rest: &str| format!("{{ {prefix} && {rest} }}");
    let tables: &[(String, &[&str])] = &[
        (
            insight(r#"span.insight.type = "decision""#) + " | select(span.insight.summary, span.insight.confidence)",
            &["insight.decision", "insight.decision"],
        ),
        (insight(r#"span.insight.type = "lesson""#) + " | select(span.insight.summary)", &["insight.lesson"]),
        (insight(r#"name = "handoff.request""#) + " | select(span.handoff.status)", &["handoff.request"; 2]),
        (insight(r#"span.insight.type = "decision" && span.insight.confidence >= 0.9"#), &["insight.decision"]),
        (
            insight(r#"span.insight.type = "recommendation" && span.insight.confidence > 0.85"#),
            &["insight.recommendation"],
        ),
        (insight(r#"span.insight.type = "risk" && span.insight.audience =~ "agent|both""#), &["insight.risk"]),
        (
            insight(r#"name = "code_generation.verify" && span.gen_ai.code.truncated = true"#)
                + " | select(span.gen_ai.code.target_file, span.gen_ai.code.verification_issues)",
            &["code_generation.verify"],
        ),
        (governed(r#"span.task.status = "blocked""#), &["task"]),
        (
            governed(r#"span.task.status = "blocked""#)
                + " | select(span.task.id, span.task.phase, span.task.blocked_reason, span.task.next_action)",
            &["task"],
        ),
        (governed(r#"span.gate.result = "fail""#), &["task", "task"]),
        (governed(r#"span.gate.phase = "DESIGN""#), &["task"]),
        (governed(r#"span.task.phase = "FINALIZE_VERIFY""#), &["task", "task"]),
        (r#"{ resource.service.name = "contextcore" && span.task.id = "PI-200" }"#.to_owned(), &["task"]),
    ];
    for (query, wanted) in tables {
        assert_eq!(found(&url, query), *wanted, "{query}");
    }
}
