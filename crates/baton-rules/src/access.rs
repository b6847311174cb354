//! Authorization: scopes and access checks.

use baton_types::{AgentName, Principal};
use std::fmt;

/// Maximum length of an agent name.
const MAX_AGENT_NAME_LEN: usize = 64;

/// Telemetry scope as text; the part after the colon is not an agent.
const TELEMETRY_READ: &str = "telemetry:read";

/// A granted scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessScope {
    /// Read cards and the caller's own tasks, of every agent or of one.
    Read(Option<AgentName>),
    /// Start and cancel work, and everything that [`AccessScope::Read`] allows for the same agents.
    Call(Option<AgentName>),
    /// Read spans and metrics of all agents and callers.
    TelemetryRead,
    /// Full access; the only scope for managing tokens and peers.
    Admin,
}

/// Error for text that is not a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a scope; use read, read:AGENT, call, call:AGENT, telemetry:read or admin")]
pub struct ScopeParseError(String);

impl AccessScope {
    /// Scopes that are not limited to an agent.
    pub const GENERAL: [Self; 4] = [Self::Read(None), Self::Call(None), Self::TelemetryRead, Self::Admin];

    /// Parses the output of [`fmt::Display`].
    pub fn parse(text: &str) -> Result<Self, ScopeParseError> {
        let agent = |agent: Option<&str>| agent.map(AgentName::from);
        match ScopeRef::parse(text) {
            Some(ScopeRef { access: Access::Read, agent: named }) => Ok(Self::Read(agent(named))),
            Some(ScopeRef { access: Access::Call, agent: named }) => Ok(Self::Call(agent(named))),
            Some(ScopeRef { access: Access::TelemetryRead, .. }) => Ok(Self::TelemetryRead),
            Some(ScopeRef { access: Access::Admin, .. }) => Ok(Self::Admin),
            None => Err(ScopeParseError(text.chars().take(MAX_AGENT_NAME_LEN).collect())),
        }
    }
}

impl fmt::Display for AccessScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(None) => f.write_str("read"),
            Self::Read(Some(agent)) => write!(f, "read:{agent}"),
            Self::Call(None) => f.write_str("call"),
            Self::Call(Some(agent)) => write!(f, "call:{agent}"),
            Self::TelemetryRead => f.write_str(TELEMETRY_READ),
            Self::Admin => f.write_str("admin"),
        }
    }
}

/// Requested access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Read.
    Read,
    /// Start or cancel work of an agent.
    Call,
    /// Read spans and metrics.
    TelemetryRead,
    /// Manage this Baton.
    Admin,
}

impl Access {
    /// All kinds of access, for tables and tests.
    pub const ALL: [Self; 4] = [Self::Read, Self::Call, Self::TelemetryRead, Self::Admin];
}

/// Error: the caller lacks a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this needs {}the scope {scope}", scope_prefix(scope))]
pub struct MissingScope {
    /// Minimum scope that is sufficient.
    pub scope: AccessScope,
}

/// Prefix for scopes that a stronger scope can replace.
fn scope_prefix(scope: &AccessScope) -> &'static str {
    if matches!(scope, AccessScope::Read(_)) { "at least " } else { "" }
}

/// Checks access to an agent; without an agent, a scope for any agent is sufficient.
///
/// Unknown scopes in a token, such as `openid`, are ignored.
pub fn check_access(principal: &Principal, access: Access, agent: Option<&AgentName>) -> Result<(), MissingScope> {
    let requested = agent.map(AgentName::as_str);
    let suffices = |allowed: ScopeRef<'_>| {
        let is_same_agent = match (allowed.agent, requested) {
            (Some(allowed), Some(requested)) => allowed == requested,
            _ => true,
        };
        allowed.permits(access) && is_same_agent
    };
    check_scopes(principal, suffices, access, agent)
}

/// Checks access to all agents; a scope for one agent is not sufficient.
pub fn check_access_to_all(principal: &Principal, access: Access) -> Result<(), MissingScope> {
    let suffices = |allowed: ScopeRef<'_>| allowed.permits(access) && allowed.agent.is_none();
    check_scopes(principal, suffices, access, None)
}

fn check_scopes(
    principal: &Principal,
    suffices: impl Fn(ScopeRef<'_>) -> bool,
    access: Access,
    agent: Option<&AgentName>,
) -> Result<(), MissingScope> {
    if principal.scopes.iter().filter_map(|scope| ScopeRef::parse(scope)).any(suffices) {
        return Ok(());
    }
    let scope = match access {
        Access::Read => AccessScope::Read(agent.cloned()),
        Access::Call => AccessScope::Call(agent.cloned()),
        Access::TelemetryRead => AccessScope::TelemetryRead,
        Access::Admin => AccessScope::Admin,
    };
    Err(MissingScope { scope })
}

/// A scope that borrows its text, because every request is checked.
struct ScopeRef<'a> {
    access: Access,
    agent: Option<&'a str>,
}

impl<'a> ScopeRef<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        if text == TELEMETRY_READ {
            return Some(Self { access: Access::TelemetryRead, agent: None });
        }
        let (name, agent) = match text.split_once(':') {
            Some((name, agent)) => (name, Some(agent).filter(|agent| is_agent_name(agent)).map(Some)?),
            None => (text, None),
        };
        let access = match (name, agent) {
            ("read", _) => Access::Read,
            ("call", _) => Access::Call,
            ("admin", None) => Access::Admin,
            _ => return None,
        };
        Some(Self { access, agent })
    }

    fn permits(&self, access: Access) -> bool {
        match self.access {
            Access::Admin => true,
            Access::Call => matches!(access, Access::Call | Access::Read),
            Access::Read => access == Access::Read,
            Access::TelemetryRead => access == Access::TelemetryRead,
        }
    }
}

fn is_agent_name(text: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=MAX_AGENT_NAME_LEN).contains(&text.len()) && text.bytes().all(letters)
}
