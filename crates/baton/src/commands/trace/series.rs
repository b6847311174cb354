//! Series as a table: labels, summary values and sparklines.

use super::{
    formatting::{columns, duration, fit, moment, padded, plain, right_aligned},
    spark::sparkline,
    terminal_style::TerminalStyle,
};
use baton_client::SeriesHit;
use baton_traceql::{AggregateOp, Field, FirstStage, Intrinsic, MetricsExpr, Steps};

const GAP: &str = "  ";
/// Minimum and maximum width of the sparkline; it is omitted below the minimum.
const MIN_SPARKLINE_WIDTH: usize = 8;
const MAX_SPARKLINE_WIDTH: usize = 120;
/// Minimum and maximum width of the label.
const MIN_LABEL_WIDTH: usize = 16;
const MAX_LABEL_WIDTH: usize = 60;

/// Unit and aggregation of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SeriesKind {
    unit: SeriesUnit,
    /// Whether the sum over all intervals is meaningful.
    is_additive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeriesUnit {
    Number,
    PerSecond,
    Seconds,
}

impl SeriesKind {
    /// Kind of the result of a metrics query.
    pub(super) fn from_metrics(metrics: &MetricsExpr) -> Self {
        let of_field = |field: &Field| match field {
            Field::Intrinsic(Intrinsic::Duration | Intrinsic::TraceDuration | Intrinsic::EventTimeSinceStart) => {
                SeriesUnit::Seconds
            }
            _ => SeriesUnit::Number,
        };
        let (unit, is_additive) = match metrics {
            MetricsExpr::Query(query) => match &query.first {
                FirstStage::Rate { .. } => (SeriesUnit::PerSecond, false),
                FirstStage::AggregateOverTime { op, of, .. } => (of_field(of), *op == AggregateOp::Sum),
                FirstStage::QuantileOverTime { of, .. } => (of_field(of), false),
                FirstStage::CountOverTime { .. } | FirstStage::HistogramOverTime { .. } | FirstStage::Compare(_) => {
                    (SeriesUnit::Number, true)
                }
            },
            MetricsExpr::Number(_) | MetricsExpr::Computed { .. } => (SeriesUnit::Number, false),
        };
        Self { unit, is_additive }
    }

    fn format_value(self, value: f64) -> String {
        match self.unit {
            _ if !value.is_finite() => value.to_string(),
            SeriesUnit::Number => number(value),
            SeriesUnit::PerSecond => format!("{}/s", number(value)),
            SeriesUnit::Seconds if value < 0.0 => format!("-{}", duration((-value * 1e9).round() as u64)),
            SeriesUnit::Seconds => duration((value * 1e9).round() as u64),
        }
    }

    /// Headers of the summary columns.
    fn heads(self) -> &'static [&'static str] {
        if self.is_additive { &["sum", "max", "last"] } else { &["min", "avg", "max", "last"] }
    }

    fn figures(self, values: &[Option<f64>]) -> Vec<String> {
        let known: Vec<f64> = values.iter().flatten().copied().filter(|value| !value.is_nan()).collect();
        let Some(last) = known.last().copied() else { return vec!["-".to_owned(); self.heads().len()] };
        let sum: f64 = known.iter().sum();
        let (min, max) = known.iter().fold((last, last), |(min, max), value| (min.min(*value), max.max(*value)));
        let figures = match self.is_additive {
            true => vec![sum, max, last],
            false => vec![min, sum / known.len() as f64, max, last],
        };
        figures.into_iter().map(|figure| self.format_value(figure)).collect()
    }
}

/// The table, and the number of series beyond the limit.
pub(super) fn lines(
    series: &[SeriesHit],
    steps: &Steps,
    kind: SeriesKind,
    limit: usize,
    look: &TerminalStyle,
) -> (Vec<String>, u64) {
    let rows: Vec<(&SeriesHit, Vec<Option<f64>>)> =
        series.iter().map(|one| (one, interval_values(one, steps))).collect();
    let shown = highest_series(&rows, limit);
    let left = (rows.len() - shown.len()) as u64;
    let rows: Vec<&(&SeriesHit, Vec<Option<f64>>)> = shown.into_iter().map(|index| &rows[index]).collect();
    let (head, labels) = series_labels(&rows.iter().map(|(series, _)| *series).collect::<Vec<_>>());
    let figures: Vec<Vec<String>> = rows.iter().map(|(_, values)| kind.figures(values)).collect();
    let widths: Vec<usize> = (0..kind.heads().len())
        .map(|at| figures.iter().map(|row| columns(&row[at])).max().unwrap_or(0).max(columns(kind.heads()[at])))
        .collect();
    let used: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let widest = labels.iter().map(|label| columns(label)).max().unwrap_or(0).max(columns(&head)).min(MAX_LABEL_WIDTH);
    let label = widest.min(look.width.saturating_sub(used + GAP.len() + MIN_SPARKLINE_WIDTH).max(MIN_LABEL_WIDTH));
    let room = look.width.saturating_sub(label + used + GAP.len()).min(MAX_SPARKLINE_WIDTH);
    let line = |label_text: &str, figures: &[String]| {
        let figures: String = figures
            .iter()
            .zip(&widths)
            .map(|(figure, width)| format!("{GAP}{}", right_aligned(figure, *width)))
            .collect();
        (padded(&fit(label_text, label, look.glyphs.more), label), figures)
    };
    let heads: Vec<String> = kind.heads().iter().map(|head| (*head).to_owned()).collect();
    let (head, figures_head) = line(&head, &heads);
    let mut lines = vec![
        look.paint.faint(&fit(&time_range(steps), look.width, look.glyphs.more)),
        look.paint.faint(&format!("{head}{figures_head}")),
    ];
    for (((_, values), label), figures) in rows.iter().zip(&labels).zip(&figures) {
        let (label, figures) = line(label, figures);
        let drawn =
            if room >= MIN_SPARKLINE_WIDTH { sparkline(values, room, look.glyphs.levels) } else { String::new() };
        let line = format!("{}{figures}{GAP}{}", look.paint.name(&label), look.paint.good(&drawn));
        lines.push(line.trim_end().to_owned());
    }
    (lines, left)
}

/// Time range and interval of the table.
fn time_range(steps: &Steps) -> String {
    let seconds = |nanos: u64| moment(nanos).split('.').next().unwrap_or_default().to_owned();
    let step = (steps.seconds() * 1e9).round() as u64;
    let (start, end) = (seconds(steps.start()), seconds(steps.end_of(steps.count().saturating_sub(1))));
    let day = start.split_inclusive(' ').next().unwrap_or_default();
    let end = end.strip_prefix(day).unwrap_or(&end);
    let step = duration(step);
    let step = ["00s", "00m"].iter().find_map(|zero| step.strip_suffix(zero)).unwrap_or(&step);
    format!("{start} to {end} UTC, every {step}")
}

/// One value per interval.
fn interval_values(series: &SeriesHit, steps: &Steps) -> Vec<Option<f64>> {
    let mut values = vec![None; steps.count()];
    for (end, value) in &series.samples {
        // The timestamp of a sample is the exclusive end of its interval.
        let within = end.saturating_mul(1_000_000).saturating_sub(1);
        if let Some(slot) = steps.index(within).and_then(|index| values.get_mut(index)) {
            *slot = Some(*value);
        }
    }
    values
}

/// Indices of the shown series, in input order: all, or those with the highest peaks.
fn highest_series(rows: &[(&SeriesHit, Vec<Option<f64>>)], limit: usize) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..rows.len()).collect();
    if rows.len() > limit {
        let peak = |index: &usize| rows[*index].1.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        indices.sort_by(|one, other| peak(other).total_cmp(&peak(one)));
        indices.truncate(limit);
        indices.sort_unstable();
    }
    indices
}

/// Header and labels of the series.
fn series_labels(series: &[&SeriesHit]) -> (String, Vec<String>) {
    let key = series.first().and_then(|one| one.labels.first()).map(|(key, _)| key.clone()).unwrap_or_default();
    let one_key = series.iter().all(|one| one.labels.len() == 1 && one.labels[0].0 == key);
    if one_key && !key.is_empty() {
        let head = if key == "__name__" { "series".to_owned() } else { key };
        return (head, series.iter().map(|one| plain(&one.labels[0].1)).collect());
    }
    let pairs = |one: &&SeriesHit| {
        let pairs: Vec<String> = one.labels.iter().map(|(key, value)| format!("{key}={}", plain(value))).collect();
        pairs.join(" ")
    };
    ("series".to_owned(), series.iter().map(pairs).collect())
}

/// Formats a number with about three digits.
fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if value == 0.0 => "0".to_owned(),
        size if !(1e-3..1e15).contains(&size) => format!("{value:.2e}"),
        size if size >= 1e9 => short(value / 1e9, "G"),
        size if size >= 1e6 => short(value / 1e6, "M"),
        size if size >= 1e4 => short(value / 1e3, "k"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => trimmed(format!("{value:.1}")),
        size if size >= 1.0 => trimmed(format!("{value:.2}")),
        _ => trimmed(format!("{value:.4}")),
    }
}

fn short(value: f64, unit: &str) -> String {
    format!("{}{unit}", if value.abs() >= 100.0 { format!("{value:.0}") } else { trimmed(format!("{value:.1}")) })
}

fn trimmed(text: String) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{commands::trace::terminal_style::Glyphs, screen::Paint};
    use baton_traceql::{Mode, Root, parse};
    use baton_types::SpanValue;

    fn kind(query: &str) -> SeriesKind {
        let Root::Metrics(metrics) = parse(query, Mode::Strict).unwrap().query.root else { panic!("{query}") };
        SeriesKind::from_metrics(&metrics)
    }

    /// Ten one-minute samples; `-1` is a minute without a sample.
    fn one(labels: &[(&str, SpanValue)], values: [f64; 10]) -> SeriesHit {
        let end = |index: usize| 1_794_816_000_000 + (index as u64 + 1) * 60_000;
        SeriesHit {
            labels: labels.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
            samples: values
                .into_iter()
                .enumerate()
                .filter(|(_, value)| *value != -1.0)
                .map(|(at, value)| (end(at), value))
                .collect(),
        }
    }

    #[test]
    fn tables() {
        const SECOND: u64 = 1_000_000_000;
        let steps = Steps::cover(1_794_816_000 * SECOND, 1_794_816_600 * SECOND, 60 * SECOND).unwrap();
        let wide = TerminalStyle { width: 100, glyphs: Glyphs::UNICODE, paint: Paint::PLAIN };
        let narrow = TerminalStyle { width: 50, glyphs: Glyphs::ASCII, paint: Paint::PLAIN };
        let tool = |name: &'static str, values| one(&[("span.tool", name.into())], values);
        let tools = [
            tool("weather", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]),
            tool("天気予報を確認する", [0.0, 0.0, 12_500.0, -1.0, -1.0, -1.0, 0.0, 1.0, 0.0, 0.0]),
            tool("nil", [-1.0; 10]),
            tool("small", [1.0; 10]),
        ];
        let quantile = |quantile: f64, value: f64| {
            let labels = [("span.gen_ai.agent.name", "planner".into()), ("p", SpanValue::Float(quantile))];
            one(&labels, [value, value * 2.0, -1.0, f64::NAN, value, value, value, value, value, f64::INFINITY])
        };
        let rate = one(&[("__name__", "rate".into())], [0.016_7, 0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0, 0.25]);
        let mut told = String::new();
        for (query, series, most, look) in [
            ("{ } | count_over_time() by (span.tool)", &tools[..], 9, &wide),
            ("{ } | count_over_time() by (span.tool)", &tools, 2, &narrow),
            ("{ } | quantile_over_time(duration, 0.5, 0.99)", &[quantile(0.5, 0.012), quantile(0.99, 1.5)], 9, &wide),
            ("{ } | rate()", &[rate], 9, &narrow),
            ("({ } | rate()) / ({ } | rate()) * 100", &[tools[0].clone()], 9, &narrow),
        ] {
            let (lines, left) = lines(series, &steps, kind(query), most, look);
            assert!(lines.iter().all(|line| columns(line) <= look.width), "{lines:#?}");
            told.push_str(&format!("{query}\n{}\nleft: {left}\n\n", lines.join("\n")));
        }
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("series", told);
        });
    }

    #[test]
    fn numbers_have_about_three_digits() {
        let numbers = [0.0, 0.000_012, 0.016_666, 0.5, 3.0, 3.241_59, 42.25, 123.4, 9999.0, 12_345.0, 2.5e6, 7e9, -1.5];
        let shown = numbers.map(number);
        assert_eq!(
            shown,
            ["0", "1.20e-5", "0.0167", "0.5", "3", "3.24", "42.2", "123", "9999", "12.3k", "2.5M", "7G", "-1.5"]
        );
    }
}
