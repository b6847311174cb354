//! Metrics as text, with names, units and the `_total` suffix as Prometheus expects them.

use super::format::MetricsFormat;
use baton_types::{Attributes, Instrument, InstrumentKind, MeterPoint, MeterSnapshot, MetricValue, SpanValue};
use std::fmt::Write as _;

/// Encodes all metrics.
pub(super) fn write(reading: &MeterSnapshot, format: MetricsFormat) -> String {
    let mut text = String::with_capacity(16 * 1024);
    describe_target(&mut text, &reading.resource.attributes, format);
    for family in &reading.families {
        let instrument = family.instrument;
        let name = name(instrument);
        describe(&mut text, &name, instrument, format);
        for point in &family.points {
            sample(&mut text, &name, instrument, point);
        }
    }
    if format == MetricsFormat::OpenMetrics {
        text.push_str("# EOF\n");
    }
    text
}

/// Writes the resource attributes once, so that the series do not repeat them.
fn describe_target(text: &mut String, attributes: &Attributes, format: MetricsFormat) {
    match format {
        MetricsFormat::Prometheus => text.push_str("# HELP target_info Target metadata.\n# TYPE target_info gauge\n"),
        MetricsFormat::OpenMetrics => text.push_str("# TYPE target info\n# HELP target Target metadata.\n"),
    }
    text.push_str("target_info");
    labels(text, attributes, None);
    text.push_str(" 1\n");
}

fn describe(text: &mut String, name: &str, instrument: &Instrument, format: MetricsFormat) {
    let kind = match instrument.kind {
        InstrumentKind::Counter => "counter",
        InstrumentKind::Gauge => "gauge",
        InstrumentKind::Histogram { .. } => "histogram",
    };
    let help = instrument.help;
    match (format, instrument.kind) {
        (MetricsFormat::Prometheus, InstrumentKind::Counter) => {
            let _ = writeln!(text, "# HELP {name}_total {help}\n# TYPE {name}_total {kind}");
        }
        (MetricsFormat::Prometheus, _) => {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        }
        (MetricsFormat::OpenMetrics, _) => {
            let _ = writeln!(text, "# TYPE {name} {kind}");
            if let Some(unit) = unit(instrument) {
                let _ = writeln!(text, "# UNIT {name} {unit}");
            }
            let _ = writeln!(text, "# HELP {name} {help}");
        }
    }
}

fn sample(text: &mut String, name: &str, instrument: &Instrument, point: &MeterPoint) {
    match (&point.value, instrument.kind) {
        (MetricValue::Counter(value), _) => line(text, name, "_total", &point.labels, None, value),
        (MetricValue::Gauge(value), _) => line(text, name, "", &point.labels, None, value),
        (MetricValue::Histogram { buckets, sum }, InstrumentKind::Histogram { bounds, .. }) => {
            let mut below = 0;
            for (index, count) in buckets.iter().enumerate() {
                below += count;
                let bound = bounds.get(index).map_or_else(|| "+Inf".to_owned(), |bound| format!("{bound:?}"));
                line(text, name, "_bucket", &point.labels, Some(&bound), below);
            }
            line(text, name, "_sum", &point.labels, None, sum);
            line(text, name, "_count", &point.labels, None, below);
        }
        (MetricValue::Histogram { .. }, _) => {}
    }
}

fn line(
    text: &mut String,
    name: &str,
    suffix: &str,
    named: &Attributes,
    bound: Option<&str>,
    value: impl std::fmt::Display,
) {
    let _ = write!(text, "{name}{suffix}");
    labels(text, named, bound);
    let _ = writeln!(text, " {value}");
}

fn labels(text: &mut String, named: &Attributes, bound: Option<&str>) {
    let mut open = '{';
    for (name, value) in named {
        text.push(open);
        open = ',';
        underscored(text, name);
        text.push_str("=\"");
        match value {
            SpanValue::Text(value) => escaped(text, value),
            SpanValue::Int(number) => {
                let _ = write!(text, "{number}");
            }
            SpanValue::Bool(value) => {
                let _ = write!(text, "{value}");
            }
            _ => {}
        }
        text.push('"');
    }
    if let Some(bound) = bound {
        let _ = write!(text, "{open}le=\"{bound}\"");
        open = ',';
    }
    if open == ',' {
        text.push('}');
    }
}

fn escaped(text: &mut String, value: &str) {
    for character in value.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            other => text.push(other),
        }
    }
}

/// Replaces all characters but letters and digits by underscores, and prefixes a leading digit with one.
fn underscored(text: &mut String, name: &str) {
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        text.push('_');
    }
    text.extend(name.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '_' }));
}

fn name(instrument: &Instrument) -> String {
    let mut name = String::with_capacity(64);
    underscored(&mut name, instrument.name);
    if let Some(unit) = unit(instrument) {
        name.push('_');
        name.push_str(unit);
    }
    name
}

/// Unit suffix; counts have none.
fn unit(instrument: &Instrument) -> Option<&'static str> {
    match instrument.unit {
        "s" => Some("seconds"),
        "By" => Some("bytes"),
        _ => None,
    }
}
