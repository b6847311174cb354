//! Telemetry export, configured by the file and the standard OpenTelemetry environment variables.

use super::raw::{RawExport, RawTarget, resolve_secret_path};
use baton_outbound::Target;
use baton_server::{
    ExportSettings, HeaderText,
    export::{ExportTarget, OtlpProtocol, Route, Signal, from_environment, metrics_interval},
};
use std::{
    net::{IpAddr, SocketAddr},
    path::Path,
};

/// Export settings of the file and the environment. Paths are relative to the directory `base`.
pub(super) fn export_settings(
    raw: RawExport,
    base: &Path,
    variable: impl Fn(&str) -> Option<String>,
) -> ExportSettings {
    let defaults = ExportSettings::default();
    let max_queue_bytes = raw.bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(defaults.max_queue_bytes);
    if raw.enabled == Some(false) {
        return ExportSettings { max_queue_bytes, ..defaults };
    }
    let headers =
        raw.targets.iter().map(|target| (target.name.clone(), resolve_header_paths(&target.headers, base))).collect();
    let targets = raw.targets.into_iter().map(|target| to_export_target(target, base)).collect();
    let (targets, remarks) = from_environment(targets, &variable);
    let (metrics_interval, more) = metrics_interval(variable);
    for remark in remarks.into_iter().chain(more) {
        tracing::warn!("{remark}");
    }
    ExportSettings { targets, headers, max_queue_bytes, metrics_interval }
}

/// The settings without routes to the server at this address. Environment variables that make other programs export to
/// this server are often set for the server itself as well.
pub(super) fn without_own_routes(settings: &ExportSettings, own: SocketAddr) -> ExportSettings {
    let here = |route: &Route| {
        Target::parse(&route.url).is_ok_and(|target| {
            let host = target.host();
            let address: Option<IpAddr> = host.parse().ok();
            let local = host == "localhost" || address.is_some_and(|address| address.is_loopback());
            target.port() == own.port() && (local || address == Some(own.ip()))
        })
    };
    let mut settings = settings.clone();
    for target in &mut settings.targets {
        let before = target.routes.len();
        target.routes.retain(|(_, route)| !here(route));
        if target.routes.len() < before {
            tracing::info!(target = target.name, "skipped an export target that is this server");
        }
    }
    settings
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
