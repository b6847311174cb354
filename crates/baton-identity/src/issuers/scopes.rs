//! What the tokens of an issuer may do.

use super::IssuerConfig;
use crate::jwt::Claims;
use std::sync::Arc;

/// The scopes of a token: all that the operator allows, or the part of it that the token asks for.
pub(super) fn granted(config: &IssuerConfig, claims: &Claims) -> Vec<Arc<str>> {
    let Some(claim) = &config.scope_claim else {
        return config.scopes.iter().map(|scope| scope.as_str().into()).collect();
    };
    let allowed = |wanted: &&str| config.scopes.iter().any(|scope| covers(scope, wanted));
    claims.words(claim).into_iter().filter(allowed).map(Arc::from).collect()
}

/// Whether one scope allows all that another does; a word that is no scope is covered by none.
fn covers(scope: &str, wanted: &str) -> bool {
    let (verb, agent) = wanted.split_once(':').map_or((wanted, None), |(verb, agent)| (verb, Some(agent)));
    let stronger: &[&str] = match (verb, agent) {
        ("read", _) => &["read", "call", "admin"],
        ("call", _) => &["call", "admin"],
        ("admin", None) => &["admin"],
        _ => return false,
    };
    let (held, only) = scope.split_once(':').map_or((scope, None), |(verb, agent)| (verb, Some(agent)));
    stronger.contains(&held) && (only.is_none() || only == agent)
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn a_scope_covers_what_it_implies_and_nothing_else() {
        let words = ["read", "read:a", "read:b", "call", "call:a", "call:b", "admin", "openid", "admin:a", ""];
        let covered = |scope| words.into_iter().filter(|word| covers(scope, word)).collect::<Vec<_>>().join(" ");
        assert_eq!(covered("admin"), "read read:a read:b call call:a call:b admin");
        assert_eq!(covered("call"), "read read:a read:b call call:a call:b");
        assert_eq!(covered("call:a"), "read:a call:a");
        assert_eq!(covered("read"), "read read:a read:b");
        assert_eq!(covered("read:b"), "read:b");
        assert_eq!(covered("openid"), "");
    }
}
