//! OpenTelemetry variables: `OTEL_EXPORTER_OTLP_*` and those that disable signals.

use crate::{Compression, ExportTarget, OtlpProtocol, Route, Signal};
use baton_outbound::Target;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::{net::IpAddr, time::Duration};

/// Name of the default target, used when no target is configured.
pub const DEFAULT_TARGET_NAME: &str = "default";
/// Name of the target defined by variables.
const VARIABLE_TARGET_NAME: &str = "otlp";
/// Alternative name if a configured target already uses the first.
const ALTERNATIVE_TARGET_NAME: &str = "otlp-variables";

const INTERVAL: &str = "OTEL_METRIC_EXPORT_INTERVAL";
const TEMPORALITY: &str = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";

/// Applies the variables to the configured targets. Also returns a warning for each invalid variable.
///
/// An endpoint in a variable replaces all configured targets of its signals. Without any target, the default is a
/// receiver on this machine, as in all of OpenTelemetry. If endpoints are set for some signals only, the others get no
/// default: their headers may contain secrets for a specific receiver.
pub fn from_environment(
    configured: Vec<ExportTarget>,
    variable: impl Fn(&str) -> Option<String>,
) -> (Vec<ExportTarget>, Vec<String>) {
    let value_of = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let mut reading = ExportVariables { lookup: &value_of, warnings: Vec::new() };
    let alone = configured.is_empty();
    let none_given = !Signal::ALL.iter().any(|signal| reading.has_endpoint(*signal));
    let mut targets = configured;
    let (mut named, mut assumed) = (Vec::new(), Vec::new());
    for signal in Signal::ALL {
        let selection = reading.selection(signal);
        if selection == SignalSelection::Disabled || reading.has_endpoint(signal) {
            targets.iter_mut().for_each(|target| target.routes.retain(|(other, _)| *other != signal));
        }
        if selection == SignalSelection::Disabled {
            continue;
        }
        if reading.has_endpoint(signal) || alone && selection == SignalSelection::Enabled {
            named.push((signal, reading.route(signal)));
        } else if alone && none_given {
            assumed.push((signal, reading.route(signal)));
        }
    }
    targets.retain(|target| !target.routes.is_empty());
    let is_taken = targets.iter().any(|target| target.name == VARIABLE_TARGET_NAME);
    let own = if is_taken { ALTERNATIVE_TARGET_NAME } else { VARIABLE_TARGET_NAME };
    for (name, routes, assumed) in [(own, named, false), (DEFAULT_TARGET_NAME, assumed, true)] {
        if !routes.is_empty() {
            targets.push(ExportTarget { name: name.to_owned(), routes, content: None, is_default: assumed });
        }
    }
    (targets, reading.warnings)
}

/// Default interval of metrics exports.
pub const DEFAULT_METRICS_INTERVAL: Duration = Duration::from_secs(60);

/// Metrics export interval from the variables, and a warning for each invalid variable.
pub fn metrics_interval(variable: impl Fn(&str) -> Option<String>) -> (Duration, Vec<String>) {
    let value_of = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let mut remarks = Vec::new();
    if let Some(value) = value_of(TEMPORALITY).filter(|value| !value.eq_ignore_ascii_case("cumulative")) {
        remarks.push(format!("{TEMPORALITY}={value}: only cumulative is supported; the variable is ignored"));
    }
    let Some(value) = value_of(INTERVAL) else { return (DEFAULT_METRICS_INTERVAL, remarks) };
    let millis = value.parse().ok().filter(|millis| *millis > 0).map(Duration::from_millis);
    if millis.is_none() {
        remarks.push(format!("{INTERVAL}={value}: not a positive number of milliseconds; the variable is ignored"));
    }
    (millis.unwrap_or(DEFAULT_METRICS_INTERVAL), remarks)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SignalSelection {
    Enabled,
    Default,
    Disabled,
}

struct ExportVariables<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
    warnings: Vec<String>,
}

impl ExportVariables<'_> {
    fn selection(&mut self, signal: Signal) -> SignalSelection {
        let name = format!("OTEL_{}_EXPORTER", signal.as_str().to_ascii_uppercase());
        let Some(value) = (self.lookup)(&name) else { return SignalSelection::Default };
        let mut keywords = value.split(',').map(str::trim);
        if keywords.any(|keyword| keyword == "otlp") {
            return SignalSelection::Enabled;
        }
        if value != "none" {
            self.warnings.push(format!("{name}={value}: supported values are otlp and none; nothing is sent"));
        }
        SignalSelection::Disabled
    }

    /// Value for a signal, with fallback to the value for all signals.
    fn value_for(&self, signal: Signal, suffix: &str) -> Option<String> {
        self.signal_value(signal, suffix).or_else(|| (self.lookup)(&format!("OTEL_EXPORTER_OTLP_{suffix}")))
    }

    fn signal_value(&self, signal: Signal, suffix: &str) -> Option<String> {
        (self.lookup)(&format!("OTEL_EXPORTER_OTLP_{}_{suffix}", signal.as_str().to_ascii_uppercase()))
    }

    fn has_endpoint(&self, signal: Signal) -> bool {
        self.value_for(signal, "ENDPOINT").is_some()
    }

    fn route(&mut self, signal: Signal) -> Route {
        let endpoint = self.value_for(signal, "ENDPOINT").map(|endpoint| self.with_scheme(signal, endpoint));
        let usual = endpoint.as_deref().map_or(OtlpProtocol::Grpc, OtlpProtocol::from_url);
        let protocol = self.parse_keyword(signal, "PROTOCOL", &OtlpProtocol::NAMES).unwrap_or(usual);
        let url = match endpoint {
            Some(own) if self.signal_value(signal, "ENDPOINT").is_some() => own,
            Some(base) => Route::signal_url(&base, protocol, signal),
            None if protocol == OtlpProtocol::Grpc => "http://localhost:4317".to_owned(),
            None => Route::signal_url("http://localhost:4318", protocol, signal),
        };
        let words = [("gzip", Compression::Gzip), ("none", Compression::None)];
        let compression = self.parse_keyword(signal, "COMPRESSION", &words).unwrap_or_default();
        let usual = Route::new(url, protocol);
        let identity = self.value_for(signal, "CLIENT_CERTIFICATE").zip(self.value_for(signal, "CLIENT_KEY"));
        Route {
            compression,
            headers: self.headers(signal),
            timeout: self.timeout(signal).unwrap_or(usual.timeout),
            certificate: self.value_for(signal, "CERTIFICATE").map(Into::into),
            identity: identity.map(|(certificate, key)| (certificate.into(), key.into())),
            ..usual
        }
    }

    /// Adds a missing scheme, since gRPC endpoints are often written without one. Headers may be secret, so the default
    /// is TLS, except for loopback addresses; `INSECURE` overrides it.
    fn with_scheme(&self, signal: Signal, endpoint: String) -> String {
        if endpoint.contains("://") {
            return endpoint;
        }
        let insecure = match self.value_for(signal, "INSECURE") {
            Some(value) => value.eq_ignore_ascii_case("true"),
            None => Target::parse(&format!("http://{endpoint}")).is_ok_and(|target| is_loopback(&target.host())),
        };
        format!("{}://{endpoint}", if insecure { "http" } else { "https" })
    }

    fn parse_keyword<T: Copy>(&mut self, signal: Signal, suffix: &str, keywords: &[(&str, T)]) -> Option<T> {
        let value = self.value_for(signal, suffix)?;
        let found =
            keywords.iter().find(|(keyword, _)| value.eq_ignore_ascii_case(keyword)).map(|(_, meaning)| *meaning);
        if found.is_none() {
            let known: Vec<&str> = keywords.iter().map(|(keyword, _)| *keyword).collect();
            self.warn_once(format!(
                "OTEL_EXPORTER_OTLP_{suffix}={value}: supported values are {}; the variable is ignored",
                known.join(", ")
            ));
        }
        found
    }

    fn timeout(&mut self, signal: Signal) -> Option<Duration> {
        let value = self.value_for(signal, "TIMEOUT")?;
        let millis = value.parse().ok().filter(|millis| *millis > 0).map(Duration::from_millis);
        if millis.is_none() {
            self.warn_once(format!(
                "OTEL_EXPORTER_OTLP_TIMEOUT={value}: not a positive number of milliseconds; the variable is ignored"
            ));
        }
        millis
    }

    fn headers(&mut self, signal: Signal) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let list = self.value_for(signal, "HEADERS").unwrap_or_default();
        for pair in list.split(',').filter(|pair| !pair.trim().is_empty()) {
            let read = pair.split_once('=').and_then(|(name, value)| {
                let name: HeaderName = name.trim().to_ascii_lowercase().parse().ok()?;
                let mut value = HeaderValue::from_bytes(&percent_decode(value.trim())).ok()?;
                value.set_sensitive(true);
                Some((name, value))
            });
            match read {
                Some((name, value)) => drop(headers.append(name, value)),
                // The entry may be a secret that contains a comma, so it is not repeated in the warning.
                None => self.warn_once(
                    "OTEL_EXPORTER_OTLP_HEADERS: an entry is not name=value; the entry is ignored".to_owned(),
                ),
            }
        }
        headers
    }

    /// Deduplicates warnings: all signals read the same variables.
    fn warn_once(&mut self, remark: String) {
        if !self.warnings.contains(&remark) {
            self.warnings.push(remark);
        }
    }
}

/// Whether the host is this machine.
fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Decodes percent-encoded values, as in W3C baggage.
fn percent_decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| byte == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let decoded = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    bytes
}
