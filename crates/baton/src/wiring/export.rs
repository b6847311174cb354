//! Options of telemetry export.

use crate::{
    config::{BatonSettings, HeaderText},
    failure::CliError,
};
use baton_export::{ExportOptions, ExportTarget, ExportTiming, Route};
use baton_outbound::Target;
use baton_types::ErrorCode;
use http::{HeaderMap, HeaderName, HeaderValue};

/// Export options of the settings; no targets if telemetry is disabled.
pub(super) fn options(settings: &BatonSettings) -> Result<ExportOptions, CliError> {
    let chosen = &settings.telemetry;
    let mut targets = if chosen.settings.enabled { chosen.export.targets.clone() } else { Vec::new() };
    for target in &mut targets {
        let headers = chosen.export.headers.iter().find(|(name, _)| *name == target.name);
        let headers =
            headers.map(|(_, headers)| resolve_headers(&target.name, headers)).transpose()?.unwrap_or_default();
        for (_, route) in &mut target.routes {
            route.headers.extend(headers.clone());
        }
        remove_own_routes(target, settings);
    }
    targets.retain(|target| !target.routes.is_empty());
    Ok(ExportOptions {
        targets,
        content: chosen.settings.content.on_spans(),
        max_retained_bytes: chosen.export.bytes,
        metrics_interval: chosen.export.meter_interval,
        timing: ExportTiming::default(),
    })
}

/// Removes routes to this server. Environment variables that make other programs export to this server are often set
/// for the server itself as well.
fn remove_own_routes(target: &mut ExportTarget, settings: &BatonSettings) {
    let here = |route: &Route| {
        Target::parse(&route.url).is_ok_and(|target| {
            let host = target.host();
            let address = host.parse().ok();
            let local = host == "localhost" || address.is_some_and(|address: std::net::IpAddr| address.is_loopback());
            target.port() == settings.port && (local || address == Some(settings.host))
        })
    };
    let before = target.routes.len();
    target.routes.retain(|(_, route)| !here(route));
    if target.routes.len() < before {
        tracing::info!(target = target.name, "skipped an export target that is this server");
    }
}

fn resolve_headers(target: &str, headers: &[(String, HeaderText)]) -> Result<HeaderMap, CliError> {
    let wrong = |reason: String| {
        CliError::new(ErrorCode::CONFIG_INVALID, format!("telemetry.export, target '{target}': {reason}"))
            .hint("Provide the secret that the header refers to, or change the header.")
    };
    let mut map = HeaderMap::new();
    for (name, text) in headers {
        let text = match text {
            HeaderText::Plain(text) => text.clone(),
            HeaderText::Secret(secret) => {
                secret.resolve().map_err(|error| wrong(error.to_string()))?.expose().to_owned()
            }
        };
        let name: HeaderName = name.parse().map_err(|_| wrong(format!("{name} is not a valid header name")))?;
        let mut value = HeaderValue::from_str(&text)
            .map_err(|_| wrong(format!("the value of {name} is not a valid header value")))?;
        value.set_sensitive(true);
        map.append(name, value);
    }
    Ok(map)
}
