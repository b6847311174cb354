//! Required access of operations.

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
