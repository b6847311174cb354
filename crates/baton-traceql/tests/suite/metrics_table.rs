//! Results of metrics queries over the corpus; the table in `corpus/metrics.txt` was worked out by hand.

use super::corpus_spans::{label, traces};
use baton_traceql::{Aliases, MetricsLimits, MetricsPlan, Mode, Series, Steps, TraceSpans, parse};
use baton_types::{SpanId, SpanValue};
use std::fmt::Write;

const SECOND: u64 = 1_000_000_000;

/// Alias group of the keys in the corpus.
const ALIASES: Aliases = Aliases(&[&["gen_ai.agent.id", "agent.id"]]);

struct Entry<'a> {
    line: usize,
    query: &'a str,
    aliases: Aliases,
    answer: Vec<&'a str>,
}

fn entries() -> Vec<Entry<'static>> {
    let (mut entries, mut aliases) = (Vec::<Entry<'_>>::new(), Aliases::NONE);
    for (index, line) in include_str!("corpus/metrics.txt").lines().enumerate() {
        if let Some(answer) = line.strip_prefix("    ") {
            entries.last_mut().unwrap().answer.push(answer);
        } else if let Some(switch) = line.strip_prefix("@aliases ") {
            aliases = if switch == "on" { ALIASES } else { Aliases::NONE };
        } else if !line.starts_with('#') && !line.is_empty() {
            entries.push(Entry { line: index + 1, query: line, aliases, answer: Vec::new() });
        }
    }
    entries
}

/// Five intervals of 2000 seconds: A, then B and C, then D and E, then F and G, then H.
fn steps() -> Steps {
    Steps::cover(0, 9_000 * SECOND, 2_000 * SECOND).unwrap()
}

fn run_query(
    query: &str,
    aliases: Aliases,
    limits: MetricsLimits,
    steps: Steps,
) -> Result<(Vec<Series>, bool), String> {
    let query = parse(query, Mode::Strict).map_err(|why| why.to_string())?.query;
    let measure = MetricsPlan::new(&query, aliases, steps, limits).map_err(|why| why.to_string())?;
    let mut tallies: Vec<_> = (0..measure.leaves()).map(|leaf| measure.tally(leaf)).collect();
    for (leaf, tally) in tallies.iter_mut().enumerate() {
        for (_, trace) in traces() {
            assert!(measure.add_trace(leaf, tally, &trace, &|| false));
        }
    }
    measure.finish(tallies).map_err(|error| error.to_string())
}

fn answer(entry: &Entry<'_>) -> Vec<String> {
    match run_query(entry.query, entry.aliases, MetricsLimits::default(), steps()) {
        Err(why) => vec![format!("refused: {why}")],
        Ok((series, whole)) => {
            assert!(whole, "{}", entry.query);
            if series.is_empty() { vec!["none".to_owned()] } else { series.iter().map(printed).collect() }
        }
    }
}

fn printed(series: &Series) -> String {
    let mut line = String::new();
    for (name, value) in &series.labels {
        write!(line, "{name}={} ", value_text(value)).unwrap();
    }
    let samples = series.samples.iter().map(|sample| sample.map_or("-".to_owned(), |sample| sample.to_string()));
    format!("{}: {}", line.trim_end(), samples.collect::<Vec<_>>().join(" "))
}

fn value_text(value: &SpanValue) -> String {
    match value {
        SpanValue::Text(text) => format!("{text:?}"),
        SpanValue::Bool(value) => value.to_string(),
        SpanValue::Int(number) => number.to_string(),
        SpanValue::Float(number) => format!("{number:?}"),
        SpanValue::List(values) => format!("[{}]", values.iter().map(value_text).collect::<Vec<_>>().join(", ")),
        other => format!("{other:?}"),
    }
}

#[test]
fn metrics_results_match_the_table() {
    let entries = entries();
    assert!(entries.len() >= 80, "only {}", entries.len());
    let differs = |entry: &Entry<'_>| {
        let found = answer(entry);
        let Entry { line, query, answer: wanted, .. } = entry;
        let said = format!("line {line}: {query}\n  wanted\n    {}\n", wanted.join("\n    "));
        (found != *wanted).then(|| format!("{said}  found\n    {}\n", found.join("\n    ")))
    };
    let wrong: Vec<String> = entries.iter().filter_map(differs).collect();
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), entries.len(), wrong.join("\n"));
}

fn span_label(id: SpanId) -> String {
    let spans = traces().into_iter().flat_map(|(_, trace)| trace.spans);
    spans.into_iter().find(|span| span.id == id).map(|span| label(&span)).unwrap()
}

#[test]
fn series_have_exemplars() {
    let exemplars = |query: &str, exemplars: usize| {
        let limits = MetricsLimits { exemplars, ..MetricsLimits::default() };
        let (series, _) = run_query(query, Aliases::NONE, limits, steps()).unwrap();
        let mut lines = Vec::new();
        for one in series {
            let spans = one.exemplars.iter().map(|exemplar| {
                assert!(one.samples[steps().index(exemplar.at).unwrap()].is_some());
                format!(" {}={}", span_label(exemplar.span), exemplar.value)
            });
            lines.push(format!("{}{}", value_text(&one.labels[0].1), spans.collect::<String>()));
        }
        lines
    };
    // All exemplars by time, each with the value of the sample at which it is drawn.
    let errors = "{ status = error } | count_over_time()";
    assert_eq!(exemplars(errors, 5), [r#""count_over_time" A5=1 D4=2 E3=2"#]);
    assert_eq!(exemplars(&format!("{errors} > 1"), 5), [r#""count_over_time" D4=2 E3=2"#]);
    assert_eq!(exemplars(&format!("{errors} with (exemplars=false)"), 5), [r#""count_over_time""#]);
    assert_eq!(exemplars(&format!("{errors} with (exemplars=9)"), 0), [r#""count_over_time" A5=1 D4=2 E3=2"#]);
    // With their durations in seconds.
    let took = exemplars("{ name = \"GET\" } | max_over_time(duration)", 5);
    assert_eq!(took, [r#""max_over_time" A5=0.26 A6=0.02"#]);
    let quantiles = exemplars("{ name = \"GET\" } | quantile_over_time(duration, 0.5, 1)", 5);
    assert_eq!(quantiles, ["0.5 A6=0.02", "1.0 A5=0.26"]);
    let buckets = exemplars("{ name = \"GET\" } | histogram_over_time(duration)", 5);
    assert_eq!(buckets, ["0.033554432 A6=0.02", "0.268435456 A5=0.26"]);
    // Computed series have no exemplars.
    assert_eq!(exemplars("({ status = error } | count_over_time()) * 2", 5), [r#""count_over_time""#]);
    // At most the requested number in each series.
    for line in exemplars("{ } | rate() by (resource.service.name)", 2) {
        assert_eq!(line.split(' ').count(), 3, "{line}");
    }
}

#[test]
fn truncated_result_is_marked_incomplete() {
    let by_name = "{ } | count_over_time() by (name)";
    let (series, whole) =
        run_query(by_name, Aliases::NONE, MetricsLimits { series: 3, ..MetricsLimits::default() }, steps()).unwrap();
    assert_eq!((series.len(), whole), (3, false));
    let late = parse(by_name, Mode::Strict).unwrap().query;
    let measure = MetricsPlan::new(&late, Aliases::NONE, steps(), MetricsLimits::default()).unwrap();
    let mut tally = measure.tally(0);
    let trace: TraceSpans = traces().remove(0).1;
    assert!(!measure.add_trace(0, &mut tally, &trace, &|| true));
    assert!(!measure.finish(vec![tally]).unwrap().1);
}

/// Memory is reserved before it is allocated: a query that needs more is rejected, regardless of its result.
#[test]
fn a_query_that_needs_too_much_memory_is_refused() {
    let quantiles: Vec<String> = (0..50).map(|number| format!("0.{number:02}")).collect();
    let many_quantiles = format!("{{ }} | quantile_over_time(duration, {}) by (name)", quantiles.join(", "));
    let bytes = |bytes| MetricsLimits { bytes, ..MetricsLimits::default() };
    let samples = |samples| MetricsLimits { samples, ..MetricsLimits::default() };
    let by_name = "{ } | count_over_time() by (name)";
    let both = "({ } | rate() by (name)) / ({ } | rate() by (name))";
    let (counting, answering) = ("while counting", "samples (series times intervals)");
    for (query, limits, why) in [
        (by_name, bytes(2_000), counting),
        ("{ } | compare({ status = error })", bytes(2_000), counting),
        ("{ } | histogram_over_time(duration) by (name)", bytes(2_000), counting),
        (by_name, MetricsLimits { exemplars: 1_000, ..bytes(4_500) }, counting),
        (by_name, samples(40), answering),
        (both, samples(120), answering),
        (many_quantiles.as_str(), samples(2_000), answering),
        ("{ } | histogram_over_time(duration) by (name)", samples(60), answering),
        ("{ } | compare({ status = error })", samples(100), answering),
    ] {
        let message = run_query(query, Aliases::NONE, limits, steps()).expect_err(query);
        assert!(message.contains(why) && message.contains("use a longer step"), "{query}: {message}");
        let enough = MetricsLimits { exemplars: limits.exemplars, ..MetricsLimits::default() };
        assert!(run_query(query, Aliases::NONE, enough, steps()).is_ok(), "{query}");
    }
}

#[test]
fn pushdown_is_offered_for_span_local_queries_only() {
    let direct = |query: &str| {
        let query = parse(query, Mode::Strict).unwrap().query;
        let measure = MetricsPlan::new(&query, Aliases::NONE, steps(), MetricsLimits::default()).unwrap();
        measure.pushdown(0).map(|direct| {
            let by: Vec<String> = direct.by.iter().map(ToString::to_string).collect();
            let said = |of: Option<String>| of.unwrap_or_else(|| "-".to_owned());
            let (filter, of) = (direct.filter.map(ToString::to_string), direct.of.map(ToString::to_string));
            format!("{} by [{}] of {}", said(filter), by.join(" "), said(of))
        })
    };
    for (query, counted) in [
        ("{ } | rate()", "- by [] of -"),
        ("{ true } | max_over_time(duration)", "- by [] of duration"),
        ("{ span.a = 1 } | select(rootName) | rate() by (name, .b, name) | topk(1)", "span.a = 1 by [name .b] of -"),
    ] {
        assert_eq!(direct(query).as_deref(), Some(counted), "{query}");
    }
    for query in [
        "{ } | { span.a = 1 } | rate()",
        "{ } | count() > 1 | rate()",
        "{ } | by(name) | rate()",
        "{ } && { } | rate()",
        "{ rootName = \"x\" } | rate()",
        "{ parent.a = 1 } | rate()",
        "{ } | rate() by (name, rootName)",
        "{ } | max_over_time(trace:duration)",
        "{ } | compare({ })",
    ] {
        assert_eq!(direct(query), None, "{query}");
    }
}

/// An attribute with a different value on every span is compared only by its presence.
#[test]
fn attributes_with_too_many_values_are_not_compared() {
    let query = parse("{ } | compare({ name = \"odd\" }, 5)", Mode::Strict).unwrap().query;
    // The limit is exceeded in one tally, or only after merging both.
    for split in [700, 1_200] {
        let measure =
            MetricsPlan::new(&query, Aliases::NONE, Steps::single(0, u64::MAX), MetricsLimits::default()).unwrap();
        let template = traces().remove(5).1.spans.remove(0);
        let (mut first, mut second) = (measure.tally(0), measure.tally(0));
        for number in 0..1_500_i64 {
            let mut span = template.clone();
            span.name = if number % 2 == 0 { "even" } else { "odd" }.into();
            span.attributes =
                vec![("run".into(), SpanValue::Int(number)), ("third".into(), SpanValue::Int(number % 3))];
            let tally = if number < split { &mut first } else { &mut second };
            measure.add_trace(0, tally, &TraceSpans { spans: vec![span] }, &|| false);
        }
        first.merge(second);
        let (series, whole) = measure.finish(vec![first]).unwrap();
        assert!(whole);
        let about = |name: &str| series.iter().filter(|one| one.labels[1].0 == name).map(printed).collect::<Vec<_>>();
        assert_eq!(
            about("span.run"),
            [
                r#"__meta_type="baseline_total" span.run="nil": 750"#,
                r#"__meta_type="selection_total" span.run="nil": 750"#
            ]
        );
        assert_eq!(about("span.third").len(), 8);
        assert_eq!(about("span.third")[0], r#"__meta_type="baseline" span.third=0: 250"#);
    }
}
