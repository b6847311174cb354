//! Query results over one fixed set of spans; the table in `corpus/results.txt` was worked out by hand.

use super::corpus_spans::{label, traces};
use baton_traceql::{Aliases, Mode, Query, Root, SearchPlan, Spanset, TraceSpans, parse, search_pipeline};
use baton_types::SpanValue;

/// Alias groups of the keys in the corpus.
const ALIASES: Aliases = Aliases(&[
    &["gen_ai.agent.id", "agent.id"],
    &["gen_ai.conversation.id", "agent.session_id"],
    &["gen_ai.tool.call.id", "handoff.id"],
    &["relationship", "link.relationship"],
]);

struct Entry<'a> {
    line: usize,
    query: String,
    aliases: Aliases,
    result: &'a str,
    shows: Vec<&'a str>,
}

fn entries() -> Vec<Entry<'static>> {
    let (mut entries, mut query, mut aliases) = (Vec::<Entry<'_>>::new(), String::new(), Aliases::NONE);
    for (index, line) in include_str!("corpus/results.txt").lines().enumerate() {
        if let Some(result) = line.strip_prefix("    => ") {
            let query = std::mem::take(&mut query);
            entries.push(Entry { line: index + 1, query, aliases, result, shows: Vec::new() });
        } else if let Some(shows) = line.strip_prefix("    shows ") {
            entries.last_mut().unwrap().shows.push(shows);
        } else if let Some(switch) = line.strip_prefix("@aliases ") {
            aliases = if switch == "on" { ALIASES } else { Aliases::NONE };
        } else if !line.starts_with('#') && !line.is_empty() {
            query.push_str(line);
            query.push('\n');
        }
    }
    entries
}

#[test]
fn search_results_match_the_table() {
    let traces = traces();
    let entries = entries();
    assert!(entries.len() >= 300, "only {}", entries.len());
    let wrong: Vec<String> = entries.iter().filter_map(|entry| differs(entry, &traces)).collect();
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), entries.len(), wrong.join("\n"));
}

fn differs(entry: &Entry<'_>, traces: &[(String, TraceSpans)]) -> Option<String> {
    let (result, shows) = match prepare(entry) {
        Ok(prepared) => answer(&prepared, traces),
        Err(why) => (format!("refused: {why}"), Vec::new()),
    };
    let shows_wanted = entry.shows.clone();
    if result == entry.result && (shows_wanted.is_empty() || shows == shows_wanted) {
        return None;
    }
    let Entry { line, query, result: wanted, .. } = entry;
    Some(format!("line {line}: {query}    wanted {wanted}\n    found  {result}\n    {}\n", shows.join("\n    ")))
}

fn prepare(entry: &Entry<'_>) -> Result<SearchPlan, String> {
    let parsed = parse(&entry.query, Mode::Lenient).map_err(|why| why.to_string())?;
    let (spans, _) = search_pipeline(&parsed.query).map_err(|why| why.to_string())?;
    let query = Query { root: Root::Search(spans), hints: parsed.query.hints };
    SearchPlan::new(&query, entry.aliases).map_err(|why| why.to_string())
}

fn answer(prepared: &SearchPlan, traces: &[(String, TraceSpans)]) -> (String, Vec<String>) {
    let (mut sets, mut shows) = (Vec::new(), Vec::new());
    for (_, trace) in traces {
        for set in prepared.evaluate(trace) {
            shows.extend(set.spans.iter().map(|span| shown(prepared, trace, *span)));
            sets.push(printed(&set, trace));
        }
    }
    if sets.is_empty() { ("none".to_owned(), shows) } else { (sets.join(" "), shows) }
}

fn printed(set: &Spanset, trace: &TraceSpans) -> String {
    let spans: Vec<String> = set.spans.iter().map(|span| label(&trace.spans[*span])).collect();
    let said = set.attributes.iter().map(|(name, value)| format!("; {name}={}", value_text(value)));
    format!("[{}{}]", spans.join(" "), said.collect::<String>())
}

fn shown(prepared: &SearchPlan, trace: &TraceSpans, span: usize) -> String {
    let shown = prepared.selected_attributes(trace, span).attributes;
    let pairs = shown.iter().map(|(key, value)| format!(" {key}={}", value_text(value)));
    format!("{}{}", label(&trace.spans[span]), pairs.collect::<String>())
}

fn value_text(value: &SpanValue) -> String {
    match value {
        SpanValue::Text(text) => format!("{text:?}"),
        SpanValue::Bool(value) => value.to_string(),
        SpanValue::Int(number) => number.to_string(),
        SpanValue::Float(number) => format!("{number:?}"),
        SpanValue::List(values) => {
            let values: Vec<String> = values.iter().map(value_text).collect();
            format!("[{}]", values.join(", "))
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn results_do_not_depend_on_the_order_of_spans() {
    let traces = traces();
    let turned: Vec<(String, TraceSpans)> = traces
        .iter()
        .map(|(letter, trace)| (letter.clone(), TraceSpans { spans: trace.spans.iter().rev().cloned().collect() }))
        .collect();
    for entry in entries() {
        if let Ok(prepared) = prepare(&entry) {
            assert_eq!(answer(&prepared, &turned), answer(&prepared, &traces), "{}", entry.query);
        }
    }
}

#[test]
fn canonical_text_has_the_same_results() {
    let traces = traces();
    for entry in entries() {
        let Ok(prepared) = prepare(&entry) else { continue };
        let canonical = parse(&entry.query, Mode::Lenient).unwrap().query.to_string();
        let again = prepare(&Entry { query: canonical.clone(), ..entry }).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(answer(&again, &traces), answer(&prepared, &traces), "{canonical}");
    }
}
