//! Recording and export of spans.

use crate::{Error, error_codes};
use baton_outbound::Target;
use baton_server::{
    ExportSettings, TelemetryOptions,
    export::{ExportTarget, OtlpProtocol, Route, Signal},
};
use baton_telemetry::TelemetrySettings;

/// Name of the export target.
const TARGET_NAME: &str = "otlp";

/// The service name and the receiver of exported spans.
#[derive(Clone, Debug)]
pub(crate) struct TracingTarget {
    pub(crate) service_name: String,
    pub(crate) otlp_endpoint: String,
}

/// Telemetry options. Environment variables apply, except that the service name of the target takes precedence.
pub(crate) fn options(enabled: bool, target: Option<TracingTarget>) -> Result<TelemetryOptions, Error> {
    let mut settings = TelemetrySettings::default();
    for remark in settings.apply_variables(|name| std::env::var(name).ok()) {
        tracing::warn!("{remark}");
    }
    settings.enabled &= enabled;
    let Some(TracingTarget { service_name, otlp_endpoint }) = target else {
        return Ok(TelemetryOptions { settings, ..TelemetryOptions::default() });
    };
    settings.service = service_name;
    let targets = vec![export_target(&otlp_endpoint)?];
    let export = ExportSettings { targets, ..ExportSettings::default() };
    Ok(TelemetryOptions { settings, export, ..TelemetryOptions::default() })
}

fn export_target(endpoint: &str) -> Result<ExportTarget, Error> {
    if let Err(error) = Target::parse(endpoint) {
        let message = format!("the OTLP endpoint '{endpoint}' cannot be used: {error}; write http://localhost:4318");
        return Err(Error::new(error_codes::USAGE, message));
    }
    let protocol = OtlpProtocol::from_url(endpoint);
    let route = Route::new(Route::signal_url(endpoint, protocol, Signal::Traces), protocol);
    let routes = vec![(Signal::Traces, route)];
    Ok(ExportTarget { name: TARGET_NAME.to_owned(), routes, content: None, is_default: false })
}
