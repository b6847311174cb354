//! What operations need of their callers.

use std::fmt;

/// What a caller needs for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteAccess {
    /// Nothing.
    Open,
    /// Nothing; where `auth.cards` is `private`, `read` of the agents that are shown.
    Card,
    /// `telemetry:read`; nothing where `auth.metrics` is `public`.
    Metrics,
    /// A secret that was made for one registration; the handler compares it.
    Registration,
    /// Any valid credentials; the handler answers nobody in particular.
    Authenticated,
    /// Any valid credentials; the body names the method, and the method decides between `read`, `call` and `admin`.
    Method,
    /// `read`.
    Read(AgentPlace),
    /// `read`, and `call` where the last word of the path says so.
    ReadOrCall(AgentPlace),
    /// `call`.
    Call(AgentPlace),
    /// `telemetry:read`.
    TelemetryRead,
    /// `admin`, to look.
    Admin,
    /// `admin`, to change something; the audit log has a line for each that succeeds. Some of what a body may say is for
    /// the owner alone.
    AdminChange,
}

/// How an operation knows its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentPlace {
    /// The path names it.
    Path,
    /// The task, session or response that is named has one, or the body names it: a scope for any agent lets the
    /// request pass, and the operation checks the scope for its agent.
    Resource,
    /// It concerns all agents, so a scope for one of them is not enough.
    Every,
}

impl RouteAccess {
    /// Whether the operation can be reached without credentials, by the settings for cards and metrics.
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
            Self::Read(place) => write!(f, "read:{place}"),
            Self::ReadOrCall(place) => write!(f, "read|call:{place}"),
            Self::Call(place) => write!(f, "call:{place}"),
            Self::TelemetryRead => f.write_str("telemetry:read"),
            Self::Admin => f.write_str("admin"),
            Self::AdminChange => f.write_str("admin, audited"),
        }
    }
}

impl fmt::Display for AgentPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "path",
            Self::Resource => "resource",
            Self::Every => "every",
        })
    }
}
