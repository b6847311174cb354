//! Required access of operations.

use serde_json::{Value, json};
use std::fmt;

/// Access that an operation requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteAccess {
    /// None.
    Open,
    /// None, or `read` on the shown agents if `auth.cards` is `private`.
    Card,
    /// `telemetry:read`, or none if `auth.metrics` is `public`.
    Metrics,
    /// The secret of a registration, which the handler verifies.
    Registration,
    /// Any valid credentials; the operation concerns no agent.
    Authenticated,
    /// Any valid credentials. The body names the method, and the method requires `read`, `call` or `admin`.
    Method,
    /// `read`.
    Read(RouteAgentSource),
    /// `read`, and `call` if the last path segment is an action that requires it.
    ReadOrCall(RouteAgentSource),
    /// `call`.
    Call(RouteAgentSource),
    /// `telemetry:read`.
    TelemetryRead,
    /// `admin`, read-only.
    Admin,
    /// `admin`, for a change. The audit log records each success. Some members of a body are reserved for the owner.
    AdminChange,
}

/// Source of an operation's agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteAgentSource {
    /// The path.
    Path,
    /// The named task, session or response, or the body. A scope for any agent passes the route check, and the
    /// operation checks the scope for its agent.
    Resource,
    /// All agents; a scope for one of them is not sufficient.
    Every,
}

impl RouteAccess {
    /// Whether the operation needs no credentials under the given card and metrics settings.
    pub fn is_open(self, private_cards: bool, open_metrics: bool) -> bool {
        match self {
            Self::Open | Self::Registration => true,
            Self::Card => !private_cards,
            Self::Metrics => open_metrics,
            Self::Authenticated
            | Self::Method
            | Self::Read(_)
            | Self::ReadOrCall(_)
            | Self::Call(_)
            | Self::TelemetryRead
            | Self::Admin
            | Self::AdminChange => false,
        }
    }
}

impl RouteAccess {
    /// The requirement as a sentence of the OpenAPI document.
    pub(crate) fn requirement(self) -> String {
        match self {
            Self::Open => "Requires no token.".to_owned(),
            Self::Card => "Requires no token, or `read` if `auth.cards` is `private`.".to_owned(),
            Self::Metrics => "Requires `telemetry:read`, or no token if `auth.metrics` is `public`.".to_owned(),
            Self::Registration => "Requires the token of the registration.".to_owned(),
            Self::Authenticated => "Requires a valid token.".to_owned(),
            Self::Method => "Requires a valid token; the method in the body decides about its scope.".to_owned(),
            Self::Read(source) => format!("Requires `read` for {}.", source.phrase()),
            Self::ReadOrCall(source) => {
                format!("Requires `read` for {}; some actions require `call`.", source.phrase())
            }
            Self::Call(source) => format!("Requires `call` for {}.", source.phrase()),
            Self::TelemetryRead => "Requires `telemetry:read`.".to_owned(),
            Self::Admin => "Requires `admin`.".to_owned(),
            Self::AdminChange => "Requires `admin`; the audit log records the change.".to_owned(),
        }
    }

    /// The requirement as Security Requirement Objects, with scopes as roles.
    pub(crate) fn security(self) -> Value {
        let bearer = |scope: &str| json!({"bearer": [scope]});
        match self {
            Self::Open => json!([]),
            Self::Card => json!([{}, bearer("read")]),
            Self::Metrics => json!([{}, bearer("telemetry:read")]),
            Self::Registration => json!([{"notification": []}]),
            Self::Authenticated | Self::Method => json!([{"bearer": []}]),
            Self::Read(_) | Self::ReadOrCall(_) => json!([bearer("read")]),
            Self::Call(_) => json!([bearer("call")]),
            Self::TelemetryRead => json!([bearer("telemetry:read")]),
            Self::Admin | Self::AdminChange => json!([bearer("admin")]),
        }
    }
}

impl RouteAgentSource {
    fn phrase(self) -> &'static str {
        match self {
            Self::Path => "the agent in the path",
            Self::Resource => "the agent of the resource",
            Self::Every => "all agents",
        }
    }
}

impl fmt::Display for RouteAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("open"),
            Self::Card => f.write_str("card"),
            Self::Metrics => f.write_str("metrics"),
            Self::Registration => f.write_str("registration"),
            Self::Authenticated => f.write_str("authenticated"),
            Self::Method => f.write_str("method"),
            Self::Read(source) => write!(f, "read:{source}"),
            Self::ReadOrCall(source) => write!(f, "read|call:{source}"),
            Self::Call(source) => write!(f, "call:{source}"),
            Self::TelemetryRead => f.write_str("telemetry:read"),
            Self::Admin => f.write_str("admin"),
            Self::AdminChange => f.write_str("admin, audited"),
        }
    }
}

impl fmt::Display for RouteAgentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "path",
            Self::Resource => "resource",
            Self::Every => "every",
        })
    }
}
