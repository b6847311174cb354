//! Options of telemetry export.

use crate::{HeaderText, ServerError, TelemetryOptions};
use baton_export::{ExportOptions, ExportTiming};
use http::{HeaderMap, HeaderName, HeaderValue};

/// Export options with resolved headers; no targets if telemetry is disabled.
pub(super) fn export_options(options: &TelemetryOptions) -> Result<ExportOptions, ServerError> {
    let export = &options.export;
    let mut targets = if options.settings.enabled { export.targets.clone() } else { Vec::new() };
    for target in &mut targets {
        let headers = export.headers.iter().find(|(name, _)| *name == target.name);
        let headers =
            headers.map(|(_, headers)| resolve_headers(&target.name, headers)).transpose()?.unwrap_or_default();
        for (_, route) in &mut target.routes {
            route.headers.extend(headers.clone());
        }
    }
    targets.retain(|target| !target.routes.is_empty());
    Ok(ExportOptions {
        targets,
        content: options.settings.content.on_spans(),
        max_retained_bytes: export.max_queue_bytes,
        metrics_interval: export.metrics_interval,
        timing: ExportTiming::default(),
    })
}

fn resolve_headers(target: &str, headers: &[(String, HeaderText)]) -> Result<HeaderMap, ServerError> {
    let wrong = |reason: String| ServerError::InvalidOption {
        option: format!("telemetry.export, target '{target}'"),
        reason,
        hint: Some("Provide the secret that the header refers to, or change the header."),
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
