//! Telemetry export, configured by the file and the standard OpenTelemetry environment variables.

use super::raw::{HeaderText, RawExport, RawTarget, resolve_secret_path};
use baton_export::{
    DEFAULT_METRICS_INTERVAL, ExportTarget, OtlpProtocol, Route, Signal, from_environment, metrics_interval,
};
use std::{path::Path, time::Duration};

/// Default limit of data queued for unavailable targets.
const DEFAULT_QUEUE_BYTES: u64 = 1 << 30;

/// Export targets and limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExportSettings {
    pub(crate) targets: Vec<ExportTarget>,
    /// Additional request headers by target name.
    pub(crate) headers: Vec<(String, Vec<(String, HeaderText)>)>,
    /// Maximum bytes queued for unavailable targets.
    pub(crate) bytes: u64,
    /// Collection interval of metrics.
    pub(crate) meter_interval: Duration,
}

impl Default for ExportSettings {
    fn default() -> Self {
        Self {
            targets: Vec::new(),
            headers: Vec::new(),
            bytes: DEFAULT_QUEUE_BYTES,
            meter_interval: DEFAULT_METRICS_INTERVAL,
        }
    }
}

impl ExportSettings {
    /// Paths are relative to the directory `base`.
    pub(super) fn from_config(raw: RawExport, base: &Path, variable: impl Fn(&str) -> Option<String>) -> Self {
        let bytes = raw.bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(DEFAULT_QUEUE_BYTES);
        if raw.enabled == Some(false) {
            return Self { bytes, ..Self::default() };
        }
        let headers = raw
            .targets
            .iter()
            .map(|target| (target.name.clone(), resolve_header_paths(&target.headers, base)))
            .collect();
        let targets = raw.targets.into_iter().map(|target| to_export_target(target, base)).collect();
        let (targets, remarks) = from_environment(targets, &variable);
        let (meter_interval, more) = metrics_interval(variable);
        for remark in remarks.into_iter().chain(more) {
            tracing::warn!("{remark}");
        }
        Self { targets, headers, bytes, meter_interval }
    }
}

fn resolve_header_paths(headers: &[(String, HeaderText)], base: &Path) -> Vec<(String, HeaderText)> {
    let moved = |text: &HeaderText| match text {
        HeaderText::Plain(text) => HeaderText::Plain(text.clone()),
        HeaderText::Secret(secret) => HeaderText::Secret(resolve_secret_path(secret, base)),
    };
    headers.iter().map(|(name, text)| (name.clone(), moved(text))).collect()
}

fn to_export_target(raw: RawTarget, base: &Path) -> ExportTarget {
    let protocol = raw.protocol.unwrap_or_else(|| OtlpProtocol::from_url(&raw.endpoint));
    let route = |signal: Signal| {
        let usual = Route::new(Route::signal_url(&raw.endpoint, protocol, signal), protocol);
        Route {
            compression: raw.compression.unwrap_or_default(),
            timeout: raw.timeout.unwrap_or(usual.timeout),
            certificate: raw.certificate.as_ref().map(|path| base.join(path)),
            identity: raw.client.as_ref().map(|(own, key)| (base.join(own), base.join(key))),
            ..usual
        }
    };
    let is_exported = |signal: &Signal| raw.signals.is_empty() || raw.signals.contains(signal);
    let routes = Signal::ALL.into_iter().filter(is_exported).map(|signal| (signal, route(signal))).collect();
    ExportTarget { name: raw.name, routes, content: raw.content, is_default: false }
}
