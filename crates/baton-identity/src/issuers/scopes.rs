//! Scopes of an issuer's tokens.

use super::IssuerConfig;
use crate::jwt::Claims;
use baton_rules::AccessScope;
use std::sync::Arc;

/// Scopes of a token: all configured ones, or the subset in its claim.
pub(super) fn granted_scopes(config: &IssuerConfig, claims: &Claims) -> Vec<Arc<str>> {
    let Some(claim) = &config.scope_claim else {
        return config.scopes.iter().map(|scope| scope.as_str().into()).collect();
    };
    let allowed: Vec<_> = config.scopes.iter().filter_map(|scope| AccessScope::parse(scope).ok()).collect();
    // Values with a meaning elsewhere, such as `openid`, are ignored.
    let requested_scopes = claims.claim_values(claim).into_iter().filter_map(|word| AccessScope::parse(word).ok());
    requested_scopes
        .filter(|requested| allowed.iter().any(|scope| covers(scope, requested)))
        .map(|requested| requested.to_string().into())
        .collect()
}

/// Whether a scope includes another.
fn covers(scope: &AccessScope, requested: &AccessScope) -> bool {
    match (scope, requested) {
        (AccessScope::Admin, _) => true,
        (AccessScope::TelemetryRead, AccessScope::TelemetryRead) => true,
        (_, AccessScope::Admin | AccessScope::TelemetryRead)
        | (AccessScope::TelemetryRead, _)
        | (AccessScope::Read(_), AccessScope::Call(_)) => false,
        (
            AccessScope::Read(held) | AccessScope::Call(held),
            AccessScope::Read(requested_agent) | AccessScope::Call(requested_agent),
        ) => held.is_none() || held == requested_agent,
    }
}

#[cfg(test)]
mod tests {
    use super::{AccessScope, covers};

    #[test]
    fn scope_covers_implied_scopes_only() {
        let words = ["read", "read:a", "read:b", "call", "call:a", "call:b", "telemetry:read", "admin"];
        let covered = |scope| {
            let covered = |word: &&str| covers(&AccessScope::parse(scope).unwrap(), &AccessScope::parse(word).unwrap());
            words.into_iter().filter(covered).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(covered("admin"), "read read:a read:b call call:a call:b telemetry:read admin");
        assert_eq!(covered("call"), "read read:a read:b call call:a call:b");
        assert_eq!(covered("call:a"), "read:a call:a");
        assert_eq!(covered("read"), "read read:a read:b");
        assert_eq!(covered("read:b"), "read:b");
        assert_eq!(covered("telemetry:read"), "telemetry:read");
    }
}
