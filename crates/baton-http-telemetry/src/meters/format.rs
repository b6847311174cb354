//! Negotiation of the metrics format.

use http::{HeaderMap, header};

/// Text format of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetricsFormat {
    /// Prometheus text format 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

impl MetricsFormat {
    /// OpenMetrics if the client prefers it at least as much as plain text, else Prometheus.
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let quality_of = |name: &str| {
            let ranges = accepted.split(',').map(|range| range.split(';').map(str::trim));
            let weights = ranges.filter_map(|mut range| {
                let named = range.next().is_some_and(|media| media.eq_ignore_ascii_case(name));
                let weight = range.find_map(|parameter| parameter.strip_prefix("q=")?.parse::<f32>().ok());
                named.then_some(weight.unwrap_or(1.0))
            });
            weights.fold(0.0, f32::max)
        };
        let open = quality_of("application/openmetrics-text");
        if open > 0.0 && open >= quality_of("text/plain") { Self::OpenMetrics } else { Self::Prometheus }
    }

    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn accept_header_selects_the_format() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;\
            q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        for (accept, expect) in [
            ("", MetricsFormat::Prometheus),
            ("*/*", MetricsFormat::Prometheus),
            ("text/plain", MetricsFormat::Prometheus),
            ("application/openmetrics-text", MetricsFormat::OpenMetrics),
            ("application/openmetrics-text; version=1.0.0; charset=utf-8", MetricsFormat::OpenMetrics),
            ("application/openmetrics-text;q=0", MetricsFormat::Prometheus),
            ("text/plain;q=0.9, application/openmetrics-text;q=0.5", MetricsFormat::Prometheus),
            (prometheus, MetricsFormat::OpenMetrics),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_str(accept).expect("a value"))]);
            assert_eq!(MetricsFormat::from_headers(&headers), expect, "{accept}");
        }
        assert_eq!(MetricsFormat::from_headers(&HeaderMap::new()), MetricsFormat::Prometheus);
    }
}
