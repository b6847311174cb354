//! Calls and tokens, counted from the spans of model calls.

use super::time::{DAY, Period, date};
use crate::{
    commands::trace::formatting::{duration, plain},
    connect::client_failure,
    failure::CliError,
};
use baton_api::SpanStatsEntry;
use baton_client::{Client, MetricsRequest, SeriesHit};
use baton_telemetry::names::{self, operation};
use baton_types::{SpanValue, Timestamp};
use clap::ValueEnum;
use std::collections::BTreeMap;

/// Grouping of the costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CostGroup {
    /// Agent that called the model
    Agent,
    /// Model that was called
    Model,
    /// Project, from project.id
    Project,
    /// Day, in UTC
    Day,
}

impl CostGroup {
    /// Name of the grouping in the output.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Model => "model",
            Self::Project => "project",
            Self::Day => "day",
        }
    }

    /// Attribute of the group; `None` for groups by model or time.
    fn field(self) -> Option<String> {
        match self {
            Self::Agent => Some(format!("span.{}", names::GEN_AI_AGENT_NAME)),
            // Either the span or its resource has the attribute.
            Self::Project => Some(format!(".{}", names::PROJECT_ID)),
            Self::Model | Self::Day => None,
        }
    }
}

/// Usage of one model in one group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ModelUsage {
    pub(super) calls: u64,
    /// Includes tokens from the cache.
    pub(super) input: u64,
    /// Input tokens read from a cache.
    pub(super) cached: u64,
    /// Input tokens written to a cache.
    pub(super) cache_written: u64,
    /// Includes reasoning tokens.
    pub(super) output: u64,
    /// Output tokens used for reasoning.
    pub(super) reasoning: u64,
}

/// Usage by group and model; a key part is `None` if the spans lack it.
pub(super) type UsageByGroup = BTreeMap<(Option<String>, Option<String>), ModelUsage>;

/// Result of the usage queries.
#[derive(Debug)]
pub(super) struct UsageReport {
    pub(super) cells: UsageByGroup,
    /// Warnings of the server, such as an incomplete search.
    pub(super) warnings: Vec<String>,
}

/// Queries the span store.
pub(super) struct UsageQuery<'a> {
    client: &'a Client,
}

impl<'a> UsageQuery<'a> {
    pub(super) fn new(client: &'a Client) -> Self {
        Self { client }
    }

    /// Calls and tokens of a period, by group and model.
    pub(super) async fn usage(&self, by: CostGroup, time: Period) -> Result<UsageReport, CliError> {
        type UsageField = fn(&mut ModelUsage) -> &mut u64;
        let parts: [(Option<&str>, UsageField); 6] = [
            (None, |cell| &mut cell.calls),
            (Some(names::GEN_AI_USAGE_INPUT_TOKENS), |cell| &mut cell.input),
            (Some(names::GEN_AI_USAGE_CACHE_READ), |cell| &mut cell.cached),
            (Some(names::GEN_AI_USAGE_CACHE_CREATION), |cell| &mut cell.cache_written),
            (Some(names::GEN_AI_USAGE_OUTPUT_TOKENS), |cell| &mut cell.output),
            (Some(names::GEN_AI_USAGE_REASONING), |cell| &mut cell.reasoning),
        ];
        let mut counted = UsageReport { cells: UsageByGroup::new(), warnings: Vec::new() };
        for (tokens, part) in parts {
            let request = MetricsRequest {
                query: query(by, tokens),
                start: time.start,
                end: time.end,
                step: Some(DAY),
                // Lenient mode also counts older attribute names.
                strict: false,
            };
            let measured = match by {
                CostGroup::Day => self.client.query_metrics(&request).await,
                _ => self.client.query_metrics_instant(&request).await,
            };
            let reply = measured.map_err(client_failure)?;
            for series in &reply.series {
                for (until, value) in series.samples.iter().filter(|(_, value)| *value > 0.0) {
                    let cell = counted.cells.entry(sample_key(series, by, *until)).or_default();
                    let part = part(cell);
                    *part = part.saturating_add(value.round() as u64);
                }
            }
            counted.warnings.extend(reply.warnings.filter(|warning| !counted.warnings.contains(warning)));
        }
        Ok(counted)
    }

    /// Warning if retention may have deleted spans after `start`.
    pub(super) async fn retention_warning(&self, start: u64, now: Timestamp) -> Result<Option<String>, CliError> {
        Ok(format_retention_warning(start, now, &self.client.span_stats().await.map_err(client_failure)?))
    }
}

/// Spans are deleted by age and by store size. If both apply, the size limit has the later cutoff.
fn format_retention_warning(start: u64, now: Timestamp, stats: &SpanStatsEntry) -> Option<String> {
    let nanos = |moment: Timestamp| u64::try_from(moment.as_millis()).unwrap_or(0).saturating_mul(1_000_000);
    let whole_since = stats.complete_since.as_deref().and_then(|moment| Timestamp::parse(moment).ok());
    if let Some(since) = whole_since.filter(|since| start < nanos(*since)) {
        return Some(format!(
            "the span store is full: spans older than {} may be deleted; raise telemetry.retention.bytes to keep more",
            since.to_string().chars().take(16).collect::<String>().replace('T', " ")
        ));
    }
    let retention = stats.max_age_seconds?.saturating_mul(1_000_000_000);
    let days = duration(retention);
    let days = days.strip_suffix("00h").unwrap_or(&days);
    (start < nanos(now).saturating_sub(retention))
        .then(|| format!("spans are kept for {days}; raise telemetry.retention.age to keep them longer"))
}

/// Query that counts calls, or sums the token attribute `tokens`.
fn query(by: CostGroup, tokens: Option<&str>) -> String {
    let ways = operation::MODEL_CALLS.join("|");
    let calls = format!("{{ span.{} =~ \"{ways}\" }}", names::GEN_AI_OPERATION_NAME);
    let function = match tokens {
        Some(name) => format!("sum_over_time(span.{name})"),
        None => "count_over_time()".to_owned(),
    };
    let groups: Vec<String> = by.field().into_iter().chain([model_attribute()]).collect();
    format!("{calls} | {function} by ({}) with (exemplars=false)", groups.join(", "))
}

fn model_attribute() -> String {
    format!("span.{}", names::GEN_AI_REQUEST_MODEL)
}

/// Group and model of a sample. `until` is the end of its interval in milliseconds.
fn sample_key(series: &SeriesHit, by: CostGroup, until: u64) -> (Option<String>, Option<String>) {
    let label = |is_match: &dyn Fn(&str) -> bool| {
        let value = series.labels.iter().find(|(key, _)| is_match(key)).map(|(_, value)| value);
        value
            .map(plain)
            .filter(|text| !text.is_empty() && *value.unwrap_or(&SpanValue::Empty) != SpanValue::from("nil"))
    };
    let model = model_attribute();
    let of_model = label(&|key| key == model);
    let group = match by {
        CostGroup::Model => of_model.clone(),
        CostGroup::Day => Some(date(until.saturating_sub(1).saturating_mul(1_000_000))),
        CostGroup::Agent | CostGroup::Project => label(&|key| key != model),
    };
    (group, of_model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_traceql::{Mode, parse};

    #[test]
    fn queries_are_strict_traceql() {
        for by in [CostGroup::Agent, CostGroup::Model, CostGroup::Project, CostGroup::Day] {
            for tokens in [None, Some(names::GEN_AI_USAGE_CACHE_READ)] {
                let query = query(by, tokens);
                let parsed = parse(&query, Mode::Strict).unwrap_or_else(|error| panic!("{query}: {error}"));
                assert!(parsed.warnings.is_empty(), "{query}");
            }
        }
    }

    #[test]
    fn possibly_deleted_spans_are_reported() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let nanos = |text: &str| u64::try_from(at(text).as_millis()).unwrap() * 1_000_000;
        let (month, day) = (nanos("2026-11-01T00:00:00Z"), nanos("2026-11-16T00:00:00Z"));
        let full = Some("2026-11-12T08:30:00.25Z");
        for (start, age, since, expect) in [
            (month, None, None, None),
            (day, Some(14), full, None),
            (month, Some(20), None, None),
            (month, Some(14), None, Some("spans are kept for 14d;")),
            (
                month,
                Some(14),
                full,
                Some("older than 2026-11-12 08:30 may be deleted; raise telemetry.retention.bytes"),
            ),
            (month, None, full, Some("older than 2026-11-12 08:30 may be deleted; raise telemetry.retention.bytes")),
        ] {
            let stats = SpanStatsEntry {
                max_age_seconds: age.map(|days: u64| days * 86_400),
                complete_since: since.map(str::to_owned),
                ..SpanStatsEntry::default()
            };
            let said = format_retention_warning(start, at("2026-11-16T12:00:00Z"), &stats);
            match expect {
                Some(expect) => assert!(said.as_deref().is_some_and(|said| said.contains(expect)), "{said:?}"),
                None => assert_eq!(said, None),
            }
        }
    }

    #[test]
    fn samples_have_keys_by_group() {
        let one = |labels: &[(&str, SpanValue)]| SeriesHit {
            labels: labels.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
            samples: Vec::new(),
        };
        let model = ("span.gen_ai.request.model", SpanValue::from("m"));
        let some = |text: &str| Some(text.to_owned());
        for (labels, by, expect) in [
            (&[model.clone()][..], CostGroup::Model, (some("m"), some("m"))),
            (&[model.clone(), (".project.id", "shop".into())], CostGroup::Project, (some("shop"), some("m"))),
            (&[model.clone(), (".project.id", SpanValue::Int(7))], CostGroup::Project, (some("7"), some("m"))),
            (&[model.clone(), (".project.id", "nil".into())], CostGroup::Project, (None, some("m"))),
            (&[(model.0, "nil".into())], CostGroup::Day, (some("2026-11-16"), None)),
        ] {
            // The end of a day.
            assert_eq!(sample_key(&one(labels), by, 1_794_873_600_000), expect, "{labels:?}");
        }
    }
}
