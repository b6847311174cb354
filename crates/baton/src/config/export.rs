//! Telemetry export, configured by the file and the standard OpenTelemetry environment variables.

use super::raw::{HeaderText, RawExport, RawTarget, secret_below};
use baton_export::{ExportTarget, METER_INTERVAL, Protocol, Route, Signal, from_environment, meter_interval};
use std::{path::Path, time::Duration};

/// Default limit of data queued for unavailable targets.
const HELD: u64 = 1 << 30;

/// Export targets and limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Export {
    pub(crate) targets: Vec<ExportTarget>,
    /// Additional request headers by target name.
    pub(crate) headers: Vec<(String, Vec<(String, HeaderText)>)>,
    /// Maximum bytes queued for unavailable targets.
    pub(crate) bytes: u64,
    /// Collection interval of metrics.
    pub(crate) meter_interval: Duration,
}

impl Default for Export {
    fn default() -> Self {
        Self { targets: Vec::new(), headers: Vec::new(), bytes: HELD, meter_interval: METER_INTERVAL }
    }
}

impl Export {
    /// Paths are relative to the directory `base`.
    pub(super) fn chosen(raw: RawExport, base: &Path, variable: impl Fn(&str) -> Option<String>) -> Self {
        let bytes = raw.bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(HELD);
        if raw.enabled == Some(false) {
            return Self { bytes, ..Self::default() };
        }
        let headers = raw.targets.iter().map(|target| (target.name.clone(), below(&target.headers, base))).collect();
        let targets = raw.targets.into_iter().map(|target| resolved(target, base)).collect();
        let (targets, remarks) = from_environment(targets, &variable);
        let (meter_interval, more) = meter_interval(variable);
        for remark in remarks.into_iter().chain(more) {
            tracing::warn!("{remark}");
        }
        Self { targets, headers, bytes, meter_interval }
    }
}

fn below(headers: &[(String, HeaderText)], base: &Path) -> Vec<(String, HeaderText)> {
    let moved = |text: &HeaderText| match text {
        HeaderText::Plain(text) => HeaderText::Plain(text.clone()),
        HeaderText::Secret(secret) => HeaderText::Secret(secret_below(secret, base)),
    };
    headers.iter().map(|(name, text)| (name.clone(), moved(text))).collect()
}

fn resolved(raw: RawTarget, base: &Path) -> ExportTarget {
    let protocol = raw.protocol.unwrap_or_else(|| Protocol::of_address(&raw.endpoint));
    let route = |signal: Signal| {
        let usual = Route::to(Route::below(&raw.endpoint, protocol, signal), protocol);
        Route {
            compression: raw.compression.unwrap_or_default(),
            timeout: raw.timeout.unwrap_or(usual.timeout),
            certificate: raw.certificate.as_ref().map(|path| base.join(path)),
            identity: raw.client.as_ref().map(|(own, key)| (base.join(own), base.join(key))),
            ..usual
        }
    };
    let wanted = |signal: &Signal| raw.signals.is_empty() || raw.signals.contains(signal);
    let routes = Signal::ALL.into_iter().filter(wanted).map(|signal| (signal, route(signal))).collect();
    ExportTarget { name: raw.name, routes, content: raw.content, assumed: false }
}
