//! Status of telemetry exports.

use crate::state::TelemetryState;
use axum::{extract::State, response::Response};
use baton_api::{ExportEntry, ExportList, ExportTargetState};
use baton_http::{ApiResource, Caller, RouteAccess, Routes, reply};
use baton_ports::{ExportMonitor, ExportReport, ExportState};
use baton_rules::Access;
use std::{fmt, sync::Arc};

/// Access to the export status.
#[derive(Clone)]
pub struct ExportPorts {
    /// Source of the export reports.
    pub exports: Arc<dyn ExportMonitor>,
}

impl fmt::Debug for ExportPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExportPorts")
    }
}

const EXPORTS: ApiResource = ApiResource::new("exports", "Exports of telemetry to other systems", &[]);

/// Adds the route.
pub(crate) fn mount(routes: Routes<Arc<TelemetryState>>) -> Routes<Arc<TelemetryState>> {
    routes.operation(
        EXPORTS
            .get("/api/v1/exports", RouteAccess::TelemetryRead, "listExports", "Show the state of telemetry exports")
            .note("The list is empty if nothing is exported.")
            .reply::<ExportList>(),
        list,
    )
}

/// `GET /api/v1/exports`. Requires `telemetry:read`; the list is empty if nothing is exported.
async fn list(State(shared): State<Arc<TelemetryState>>, caller: Caller) -> Response {
    if let Err(error) = caller.check_access_to_all(&shared.http, Access::TelemetryRead) {
        return reply::error(&error);
    }
    let reports = shared.ports.exports.as_ref().map(|ports| ports.exports.reports()).unwrap_or_default();
    reply::json(&ExportList { exports: reports.into_iter().map(entry).collect() })
}

fn entry(report: ExportReport) -> ExportEntry {
    let (state, reason) = match report.state {
        ExportState::Idle => (ExportTargetState::Idle, None),
        ExportState::Healthy => (ExportTargetState::Well, None),
        ExportState::Unreachable { why: reason } => (ExportTargetState::Away, Some(reason)),
        ExportState::Blocked { why: reason } => (ExportTargetState::Blocked, Some(reason)),
    };
    ExportEntry {
        target: report.target,
        endpoint: report.endpoint,
        signal: report.signal.to_owned(),
        is_default: report.is_default,
        state,
        reason,
        sent: report.sent,
        failed: report.failed,
        dropped: report.dropped,
        waiting_bytes: report.queued_bytes,
    }
}
