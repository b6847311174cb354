//! Selective queries over many spans, each as TraceQL and as conditions for tables.

use crate::generate::SpanFacts;

pub struct SelectiveQuery {
    pub kind: &'static str,
    pub traceql: String,
    /// Keys and values of equality conditions, for tables.
    pub equal: Vec<(&'static str, String)>,
    /// Minimum number of tokens.
    pub tokens: Option<u64>,
}

/// Queries of every kind about existing spans, each different, so that no query repeats.
pub fn selective(spans: u64, each: u64) -> Vec<SelectiveQuery> {
    let mut questions = Vec::new();
    for number in 0..each {
        let facts = SpanFacts::from_index((number * 7_919_111 + 13) % spans);
        let (agent, project, tool) = (facts.agent, facts.project, facts.tool);
        questions.push(SelectiveQuery {
            kind: "three attributes",
            traceql: format!(
                r#"{{ span.app.agent = "agent-{agent}" && span.app.project = "project-{project}" && span.app.tool = "tool-{tool}" }}"#
            ),
            equal: vec![
                ("app.agent", format!("agent-{agent}")),
                ("app.project", format!("project-{project}")),
                ("app.tool", format!("tool-{tool}")),
            ],
            tokens: None,
        });
        let session = facts.trace;
        questions.push(SelectiveQuery {
            kind: "one of a million values",
            traceql: format!(r#"{{ span.app.session = "session-{session}" }}"#),
            equal: vec![("app.session", format!("session-{session}"))],
            tokens: None,
        });
        let user = facts.user;
        questions.push(SelectiveQuery {
            kind: "attribute and range",
            traceql: format!(r#"{{ span.app.user = "user-{user}" && span.app.tokens >= 9800 }}"#),
            equal: vec![("app.user", format!("user-{user}"))],
            tokens: Some(9800),
        });
        let region = facts.region;
        questions.push(SelectiveQuery {
            kind: "errors of a user, with resource and duration",
            traceql: format!(
                r#"{{ span.app.user = "user-{user}" && status = error && duration > 1s && span.app.region = "region-{region}" && resource.service.name != nil }}"#
            ),
            equal: Vec::new(),
            tokens: None,
        });
        questions.push(SelectiveQuery {
            kind: "regular expression",
            traceql: format!(
                r#"{{ span.app.tool =~ "tool-{tool}|tool-1{}" && span.app.user = "user-{user}" }}"#,
                tool % 10
            ),
            equal: Vec::new(),
            tokens: None,
        });
        questions.push(SelectiveQuery {
            kind: "structure",
            traceql: format!(
                r#"{{ name = "invoke_agent" && span.app.agent = "agent-{agent}" && span.app.project = "project-{project}" }} >> {{ span.app.tool = "tool-{tool}" }}"#
            ),
            equal: Vec::new(),
            tokens: None,
        });
    }
    questions
}

/// Queries that match most traces and return the newest.
pub const BROAD_QUERIES: &[(&str, &str)] = &[
    ("every error, newest first", "{ status = error }"),
    ("every trace", "{ }"),
    ("count per trace", r#"{ name = "execute_tool" } | count() > 6"#),
    ("group", "{ status = error } | by(resource.service.name)"),
];
