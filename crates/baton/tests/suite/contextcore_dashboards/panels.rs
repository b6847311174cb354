//! Queries of panels, with the expected series.

/// Panel, query, series.
pub(super) type Panel = (&'static str, &'static str, &'static [&'static str]);

pub(super) const INSIGHTS: &[Panel] = &[
    ("total", r#"{ name =~ "insight[.].*" && span.project.id = "checkout" } | count_over_time()"#, &["all: 3, 2 | 5"]),
    (
        "decisions",
        r#"{ span.insight.type = "decision" && span.project.id = "checkout" } | count_over_time()"#,
        &["all: 2, 0 | 2"],
    ),
    (
        "lessons",
        r#"{ span.insight.type = "lesson" && span.project.id = "checkout" } | count_over_time()"#,
        &["all: 1, 0 | 1"],
    ),
    (
        "handoffs",
        r#"{ name = "handoff.request" && span.project.id = "checkout" } | count_over_time()"#,
        &["all: 1, 1 | 2"],
    ),
    (
        "by system",
        r#"{ span.gen_ai.system != nil && span.project.id = "checkout" } | count_over_time() by (span.gen_ai.system)"#,
        &["anthropic: 2, 1 | 3", "openai: 1, 1 | 2"],
    ),
    (
        "by model",
        r#"{ name =~ "insight[.].*" && span.project.id = "checkout" } | count_over_time() by (span.gen_ai.request.model)"#,
        &["claude-sonnet-5: 2, 1 | 3", "gpt-5: 1, 1 | 2"],
    ),
    (
        "by operation",
        r#"{ span.gen_ai.operation.name != nil && span.project.id = "checkout" } | count_over_time() by (span.gen_ai.operation.name)"#,
        &["handoff.request: 1, 1 | 2", "insight.emit: 3, 2 | 5"],
    ),
    (
        "tokens in",
        r#"{ span.project.id = "checkout" } | sum_over_time(span.gen_ai.usage.input_tokens)"#,
        &["all: 350, 450 | 800"],
    ),
    (
        "tokens out",
        r#"{ span.project.id = "checkout" } | sum_over_time(span.gen_ai.usage.output_tokens) by (span.gen_ai.request.model)"#,
        &["claude-sonnet-5: 60, 60 | 120", "gpt-5: 10, 30 | 40"],
    ),
    (
        "finish reasons",
        r#"{ span.gen_ai.response.finish_reasons != nil && span.project.id = "checkout" } | count_over_time() by (span.gen_ai.response.finish_reasons)"#,
        &["[length]: 1, 0 | 1", "[stop]: 2, 2 | 4"],
    ),
    (
        "truncated generations",
        r#"{ span.gen_ai.response.finish_reasons = "length" && span.project.id = "checkout" } | count_over_time()"#,
        &["all: 1, 0 | 1"],
    ),
    (
        "decisions that are nearly sure",
        r#"{ span.insight.type = "decision" && span.insight.confidence >= 0.9 && span.project.id = "checkout" } | count_over_time()"#,
        &["all: 1, 0 | 1"],
    ),
    (
        "insights per second, as the protocol asks for those of the last hours",
        r#"{ span.insight.type = "decision" && span.project.id = "checkout" } | select(span.insight.summary, span.insight.confidence) | rate() > 0"#,
        &["all: 0.003333, - | 0.001667"],
    ),
    (
        "confidence",
        r#"{ span.project.id = "checkout" } | min_over_time(span.insight.confidence) by (span.insight.type)"#,
        &["decision: 0.8, - | 0.8", "lesson: 0.7, - | 0.7", "recommendation: -, 0.9 | 0.9", "risk: -, 0.9 | 0.9"],
    ),
];

pub(super) const CODE: &[Panel] = &[
    (
        "truncation rate",
        r#"({ name = "code_generation.verify" && span.gen_ai.code.truncated = true && resource.project.id = "checkout" } | count_over_time()) / ({ name = "code_generation.verify" && resource.project.id = "checkout" } | count_over_time()) * 100"#,
        &["all: 0, 50 | 33.333333"],
    ),
    (
        "generations today",
        r#"{ name = "code_generation.generate" && resource.project.id = "checkout" } | count_over_time()"#,
        &["all: 1, 1 | 2"],
    ),
    (
        "decompositions required",
        r#"{ name = "code_generation.preflight" && span.gen_ai.code.action = "decompose" && resource.project.id = "checkout" } | count_over_time()"#,
        &["all: 0, 1 | 1"],
    ),
    (
        "verification failures",
        r#"{ name = "code_generation.verify" && status = error && resource.project.id = "checkout" } | count_over_time()"#,
        &["all: 0, 2 | 2"],
    ),
    (
        "pre-flight actions",
        r#"{ name = "code_generation.preflight" } | count_over_time() by (span.gen_ai.code.action)"#,
        &["decompose: 0, 1 | 1", "generate: 1, 1 | 2", "reject: 0, 1 | 1"],
    ),
    (
        "size as estimated",
        r#"{ name = "code_generation.preflight" && resource.project.id = "checkout" } | avg_over_time(span.gen_ai.code.estimated_lines)"#,
        &["all: 80, 250 | 207.5"],
    ),
    (
        "size as it became",
        r#"{ name = "code_generation.generate" && resource.project.id = "checkout" } | avg_over_time(span.gen_ai.code.actual_lines)"#,
        &["all: 90, 120 | 105"],
    ),
    (
        "verification results",
        r#"{ name = "code_generation.verify" && resource.project.id = "checkout" } | count_over_time() by (span.gen_ai.code.verification_result)"#,
        &["failed_missing_exports: 0, 1 | 1", "failed_truncation: 0, 1 | 1", "passed: 1, 0 | 1"],
    ),
    (
        "generation activity",
        r#"{ name =~ "code_generation[.].*" && resource.project.id = "checkout" } | rate() by (name)"#,
        &[
            "code_generation.generate: 0.001667, 0.001667 | 0.001667",
            "code_generation.handle: 0.001667, 0.005 | 0.003333",
            "code_generation.preflight: 0.001667, 0.005 | 0.003333",
            "code_generation.verify: 0.001667, 0.003333 | 0.0025",
        ],
    ),
];

pub(super) const GOVERNANCE: &[Panel] = &[
    (
        "blocked spans by phase",
        r#"{ resource.service.name = "contextcore" && span.project.id = "checkout" && span.task.status = "blocked" } | count_over_time() by (span.task.phase)"#,
        &["IMPLEMENT: 0, 1 | 1"],
    ),
    (
        "gate failures in percent",
        r#"({ resource.service.name = "contextcore" && span.project.id = "checkout" && span.gate.result = "fail" } | count_over_time()) / ({ resource.service.name = "contextcore" && span.project.id = "checkout" && span.gate.result != nil } | count_over_time()) * 100"#,
        &["all: 0, 100 | 50"],
    ),
    (
        "gate results by phase",
        r#"{ resource.service.name = "contextcore" && span.project.id = "checkout" && span.gate.phase = "FINALIZE_VERIFY" } | count_over_time() by (span.gate.result)"#,
        &["fail: 0, 1 | 1", "pass: 1, 0 | 1"],
    ),
    (
        "finalize failure trend",
        r#"{ resource.service.name = "contextcore" && span.project.id = "checkout" && span.task.phase = "FINALIZE_VERIFY" && status = error } | count_over_time()"#,
        &["all: 0, 1 | 1"],
    ),
];

/// Queries of the Grafana trace view: root spans, and the spans below them.
pub(super) const DRILLDOWN: &[Panel] = &[
    (
        "rate of roots",
        "{ nestedSetParent < 0 && true } | rate() by (resource.project.id)",
        &["billing: 0.005, 0.001667 | 0.003333", "checkout: 0.01, 0.011667 | 0.010833"],
    ),
    (
        "errors of roots",
        "{ nestedSetParent < 0 && status = error } | count_over_time() by (name)",
        &[
            "code_generation.handle: 0, 1 | 1",
            "code_generation.verify: 1, 0 | 1",
            "handoff.request: 1, 1 | 2",
            "task: 0, 2 | 2",
        ],
    ),
    (
        "share of roots that went well",
        "100 - ({ nestedSetParent < 0 && status = error } | count_over_time()) / ({ nestedSetParent < 0 } | count_over_time()) * 100",
        &["all: 77.777778, 50 | 64.705882"],
    ),
    (
        "durations of handoffs",
        r#"{ nestedSetParent < 0 && name = "handoff.request" } | histogram_over_time(duration)"#,
        &["1.073741824: 1, 0 | 1", "2.147483648: 1, 0 | 1", "8.589934592: 0, 1 | 1"],
    ),
    (
        "slowest handoffs",
        r#"{ nestedSetParent < 0 && name = "handoff.request" && resource.project.id = "checkout" } | quantile_over_time(duration, 0.5, 1) by (span.handoff.status)"#,
        &["completed 0.5: 2, - | 2", "completed 1.0: 2, - | 2", "failed 0.5: -, 6 | 6", "failed 1.0: -, 6 | 6"],
    ),
    (
        "the busiest names",
        r#"{ resource.project.id = "checkout" } | count_over_time() by (name) | topk(1)"#,
        &["code_generation.handle: -, 3 | 4", "insight.decision: 2, - | -"],
    ),
    (
        "names above a limit",
        r#"{ } | count_over_time() by (name) | topk(5) > 2"#,
        &[
            "code_generation.handle: -, 3 | 4",
            "code_generation.preflight: -, 3 | 4",
            "code_generation.verify: -, - | 4",
            "handoff.request: -, - | 3",
            "insight.decision: 3, - | -",
            "task: -, 3 | 5",
        ],
    ),
    (
        "errors below generation",
        r#"{ nestedSetParent < 0 && name = "code_generation.handle" } >> { status = error } | count_over_time() by (name)"#,
        &["code_generation.preflight: 0, 1 | 1", "code_generation.verify: 0, 2 | 2"],
    ),
    (
        "generation with what went wrong below it",
        r#"{ nestedSetParent < 0 && name = "code_generation.handle" } &>> { status = error } | count_over_time() by (nestedSetParent)"#,
        &["-1: 0, 3 | 3", "1: 0, 3 | 3"],
    ),
    (
        "by what the trace began with",
        r#"{ rootName = "code_generation.handle" && kind = internal } | count_over_time() by (rootServiceName)"#,
        &["contextcore: 4, 9 | 13"],
    ),
];
