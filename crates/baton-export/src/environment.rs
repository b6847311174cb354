//! The usual variables of OpenTelemetry, `OTEL_EXPORTER_OTLP_*` and those that switch signals off.

use crate::{Compression, ExportTarget, Protocol, Route, Signal};
use baton_outbound::Target;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::{net::IpAddr, time::Duration};

/// The target that is tried when nobody named one.
pub const ASSUMED: &str = "default";
/// The target that variables name.
const NAMED: &str = "otlp";
/// The same beside a target of the file that has that name.
const NAMED_BESIDE: &str = "otlp-variables";

const INTERVAL: &str = "OTEL_METRIC_EXPORT_INTERVAL";
const TEMPORALITY: &str = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";

/// Changes targets as variables say, and gives a sentence for each variable that says nothing sensible.
///
/// An endpoint in a variable takes the place of all targets that were configured for its signals. Without any, what
/// listens on this machine is assumed, as everywhere in OpenTelemetry. When endpoints are given for some signals only,
/// nothing is assumed of the others: what goes along may be meant for nobody else.
pub fn from_environment(
    configured: Vec<ExportTarget>,
    variable: impl Fn(&str) -> Option<String>,
) -> (Vec<ExportTarget>, Vec<String>) {
    let given = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let mut reading = Reading { given: &given, remarks: Vec::new() };
    let alone = configured.is_empty();
    let none_given = !Signal::ALL.iter().any(|signal| reading.has_endpoint(*signal));
    let mut targets = configured;
    let (mut named, mut assumed) = (Vec::new(), Vec::new());
    for signal in Signal::ALL {
        let wish = reading.wish(signal);
        if wish == Wish::Off || reading.has_endpoint(signal) {
            targets.iter_mut().for_each(|target| target.routes.retain(|(other, _)| *other != signal));
        }
        if wish == Wish::Off {
            continue;
        }
        if reading.has_endpoint(signal) || alone && wish == Wish::Asked {
            named.push((signal, reading.route(signal)));
        } else if alone && none_given {
            assumed.push((signal, reading.route(signal)));
        }
    }
    targets.retain(|target| !target.routes.is_empty());
    let taken = targets.iter().any(|target| target.name == NAMED);
    let own = if taken { NAMED_BESIDE } else { NAMED };
    for (name, routes, assumed) in [(own, named, false), (ASSUMED, assumed, true)] {
        if !routes.is_empty() {
            targets.push(ExportTarget { name: name.to_owned(), routes, content: None, assumed });
        }
    }
    (targets, reading.remarks)
}

/// How often meters are read, unless somebody says otherwise.
pub const METER_INTERVAL: Duration = Duration::from_secs(60);

/// How often variables say that meters are read, and a sentence for each variable that says nothing sensible.
pub fn meter_interval(variable: impl Fn(&str) -> Option<String>) -> (Duration, Vec<String>) {
    let given = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let mut remarks = Vec::new();
    if let Some(value) = given(TEMPORALITY).filter(|value| !value.eq_ignore_ascii_case("cumulative")) {
        remarks.push(format!("{TEMPORALITY}={value}: there is cumulative; it is ignored"));
    }
    let Some(value) = given(INTERVAL) else { return (METER_INTERVAL, remarks) };
    let millis = value.parse().ok().filter(|millis| *millis > 0).map(Duration::from_millis);
    if millis.is_none() {
        remarks.push(format!("{INTERVAL}={value}: milliseconds are wanted; it is ignored"));
    }
    (millis.unwrap_or(METER_INTERVAL), remarks)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    Asked,
    Usual,
    Off,
}

struct Reading<'a> {
    given: &'a dyn Fn(&str) -> Option<String>,
    remarks: Vec<String>,
}

impl Reading<'_> {
    fn wish(&mut self, signal: Signal) -> Wish {
        let name = format!("OTEL_{}_EXPORTER", signal.as_str().to_ascii_uppercase());
        let Some(value) = (self.given)(&name) else { return Wish::Usual };
        let mut words = value.split(',').map(str::trim);
        if words.any(|word| word == "otlp") {
            return Wish::Asked;
        }
        if value != "none" {
            self.remarks.push(format!("{name}={value}: there are otlp and none; nothing is sent"));
        }
        Wish::Off
    }

    /// The value for a signal, or for all of them.
    fn of(&self, signal: Signal, what: &str) -> Option<String> {
        self.own(signal, what).or_else(|| (self.given)(&format!("OTEL_EXPORTER_OTLP_{what}")))
    }

    fn own(&self, signal: Signal, what: &str) -> Option<String> {
        (self.given)(&format!("OTEL_EXPORTER_OTLP_{}_{what}", signal.as_str().to_ascii_uppercase()))
    }

    fn has_endpoint(&self, signal: Signal) -> bool {
        self.of(signal, "ENDPOINT").is_some()
    }

    fn route(&mut self, signal: Signal) -> Route {
        let endpoint = self.of(signal, "ENDPOINT").map(|endpoint| self.whole(signal, endpoint));
        let usual = endpoint.as_deref().map_or(Protocol::Grpc, Protocol::of_address);
        let protocol = self.word(signal, "PROTOCOL", &Protocol::WORDS).unwrap_or(usual);
        let url = match endpoint {
            Some(own) if self.own(signal, "ENDPOINT").is_some() => own,
            Some(base) => Route::below(&base, protocol, signal),
            None if protocol == Protocol::Grpc => "http://localhost:4317".to_owned(),
            None => Route::below("http://localhost:4318", protocol, signal),
        };
        let words = [("gzip", Compression::Gzip), ("none", Compression::None)];
        let compression = self.word(signal, "COMPRESSION", &words).unwrap_or_default();
        let usual = Route::to(url, protocol);
        let identity = self.of(signal, "CLIENT_CERTIFICATE").zip(self.of(signal, "CLIENT_KEY"));
        Route {
            compression,
            headers: self.headers(signal),
            timeout: self.timeout(signal).unwrap_or(usual.timeout),
            certificate: self.of(signal, "CERTIFICATE").map(Into::into),
            identity: identity.map(|(certificate, key)| (certificate.into(), key.into())),
            ..usual
        }
    }

    /// An address may come without its scheme, as gRPC writes it. What goes along may be secret, so it is encrypted
    /// unless somebody says otherwise or it stays on this machine.
    fn whole(&self, signal: Signal, endpoint: String) -> String {
        if endpoint.contains("://") {
            return endpoint;
        }
        let insecure = match self.of(signal, "INSECURE") {
            Some(value) => value.eq_ignore_ascii_case("true"),
            None => Target::parse(&format!("http://{endpoint}")).is_ok_and(|target| is_here(&target.host())),
        };
        format!("{}://{endpoint}", if insecure { "http" } else { "https" })
    }

    fn word<T: Copy>(&mut self, signal: Signal, what: &str, words: &[(&str, T)]) -> Option<T> {
        let value = self.of(signal, what)?;
        let found = words.iter().find(|(word, _)| value.eq_ignore_ascii_case(word)).map(|(_, meant)| *meant);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.remark(format!("OTEL_EXPORTER_OTLP_{what}={value}: there are {}; it is ignored", known.join(", ")));
        }
        found
    }

    fn timeout(&mut self, signal: Signal) -> Option<Duration> {
        let value = self.of(signal, "TIMEOUT")?;
        let millis = value.parse().ok().filter(|millis| *millis > 0).map(Duration::from_millis);
        if millis.is_none() {
            self.remark(format!("OTEL_EXPORTER_OTLP_TIMEOUT={value}: milliseconds are wanted; it is ignored"));
        }
        millis
    }

    fn headers(&mut self, signal: Signal) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let list = self.of(signal, "HEADERS").unwrap_or_default();
        for pair in list.split(',').filter(|pair| !pair.trim().is_empty()) {
            let read = pair.split_once('=').and_then(|(name, value)| {
                let name: HeaderName = name.trim().to_ascii_lowercase().parse().ok()?;
                let mut value = HeaderValue::from_bytes(&unescaped(value.trim())).ok()?;
                value.set_sensitive(true);
                Some((name, value))
            });
            match read {
                Some((name, value)) => drop(headers.append(name, value)),
                // It may be a secret with a comma in it, so it is not repeated.
                None => self.remark("OTEL_EXPORTER_OTLP_HEADERS: an entry is no name=value; it is ignored".to_owned()),
            }
        }
        headers
    }

    /// All signals read the same variables; once is enough.
    fn remark(&mut self, remark: String) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }
}

/// Whether what is sent there does not leave this machine.
fn is_here(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Values are percent-encoded, as in W3C baggage.
fn unescaped(text: &str) -> Vec<u8> {
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
