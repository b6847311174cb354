//! Scopes: parsing, and the access that they grant.

use baton_rules::{Access, AccessScope, check_access, check_access_to_all};
use baton_types::{AgentName, Principal};
use proptest::prelude::*;

fn principal(scopes: &[String]) -> Principal {
    let scopes = scopes.iter().map(|scope| scope.as_str().into()).collect();
    Principal { tenant: "acme".into(), subject: "ann".into(), scopes }
}

#[test]
fn scopes_grant_the_expected_access() {
    let (read, call, admin, telemetry) = (Access::Read, Access::Call, Access::Admin, Access::TelemetryRead);
    for (scopes, access, agent, expect) in [
        ("", read, "weather", "read:weather"),
        ("", call, "weather", "call:weather"),
        ("", admin, "weather", "admin"),
        ("", read, "", "read"),
        ("read", read, "weather", ""),
        ("read", call, "weather", "call:weather"),
        ("read", admin, "", "admin"),
        ("call", read, "weather", ""),
        ("call", call, "weather", ""),
        ("call", admin, "", "admin"),
        ("admin", read, "weather", ""),
        ("admin", call, "weather", ""),
        ("admin", admin, "", ""),
        ("read:weather", read, "weather", ""),
        ("read:weather", read, "clock", "read:clock"),
        ("read:weather", call, "weather", "call:weather"),
        ("read:weather", read, "", ""),
        ("read:weather", call, "", "call"),
        ("call:weather", read, "weather", ""),
        ("call:weather", call, "weather", ""),
        ("call:weather", call, "clock", "call:clock"),
        ("call:weather", admin, "", "admin"),
        ("call:clock read:weather", call, "weather", "call:weather"),
        ("call:clock read:weather", read, "weather", ""),
        ("openid admin:weather READ call: call:* :weather call:weather:x", read, "", "read"),
        ("openid call", call, "weather", ""),
        ("read call", telemetry, "", "telemetry:read"),
        ("read:telemetry telemetry telemetry: telemetry:call", telemetry, "", "telemetry:read"),
        ("telemetry:read", telemetry, "", ""),
        ("telemetry:read", read, "", "read"),
        ("telemetry:read", read, "read", "read:read"),
        ("telemetry:read", call, "weather", "call:weather"),
        ("telemetry:read", admin, "", "admin"),
        ("admin", telemetry, "", ""),
    ] {
        let scopes: Vec<String> = scopes.split(' ').map(str::to_owned).collect();
        let agent = Some(agent).filter(|agent| !agent.is_empty()).map(AgentName::from);
        let missing = check_access(&principal(&scopes), access, agent.as_ref()).err();
        let missing = missing.map(|missing| missing.scope.to_string()).unwrap_or_default();
        assert_eq!(missing, expect, "{scopes:?} {access:?} {agent:?}");
    }
}

#[test]
fn access_to_all_agents_needs_a_scope_for_all() {
    let (read, call) = (Access::Read, Access::Call);
    for (scopes, access, expect) in [
        ("read:weather call:clock", read, "read"),
        ("read", read, ""),
        ("read call:weather", call, "call"),
        ("call", read, ""),
        ("admin", call, ""),
        ("call", Access::Admin, "admin"),
        ("call", Access::TelemetryRead, "telemetry:read"),
        ("telemetry:read", Access::TelemetryRead, ""),
        ("telemetry:read", read, "read"),
    ] {
        let scopes: Vec<String> = scopes.split(' ').map(str::to_owned).collect();
        let missing = check_access_to_all(&principal(&scopes), access).err();
        let missing = missing.map(|missing| missing.scope.to_string()).unwrap_or_default();
        assert_eq!(missing, expect, "{scopes:?} {access:?}");
    }
}

#[test]
fn error_of_an_invalid_scope_lists_the_valid_ones() {
    for text in [
        "",
        "openid",
        "admin:weather",
        "read:",
        "call:Weather",
        "call:a/b",
        "call: weather",
        "READ",
        "telemetry",
        "telemetry:call",
    ] {
        let error = AccessScope::parse(text).unwrap_err().to_string();
        let scopes = "read, read:AGENT, call, call:AGENT, telemetry:read or admin";
        assert_eq!(error, format!("'{text}' is not a scope; use {scopes}"));
    }
    assert!(AccessScope::parse(&format!("read:{}", "a".repeat(65))).is_err());
}

fn scopes() -> impl Strategy<Value = AccessScope> {
    let agent = proptest::option::of("[a-c]".prop_map(AgentName::from));
    (0..4, agent).prop_map(|(which, agent)| match which {
        0 => AccessScope::Read(agent),
        1 => AccessScope::Call(agent),
        2 => AccessScope::TelemetryRead,
        _ => AccessScope::Admin,
    })
}

proptest! {
    #[test]
    fn scopes_are_read_as_they_are_written(scope in scopes()) {
        prop_assert_eq!(AccessScope::parse(&scope.to_string()).unwrap(), scope);
    }

    /// The scope that an error names is sufficient, further scopes never reduce access, and callable agents are
    /// readable.
    #[test]
    fn scopes_only_add(
        held in proptest::collection::vec(scopes(), 0..4),
        more in scopes(),
        access in proptest::sample::select(&Access::ALL[..]),
        agent in proptest::option::of("[a-c]".prop_map(AgentName::from)),
    ) {
        let mut held: Vec<String> = held.iter().map(ToString::to_string).collect();
        let before = check_access(&principal(&held), access, agent.as_ref());
        if before.is_ok() && access == Access::Call {
            prop_assert!(check_access(&principal(&held), Access::Read, agent.as_ref()).is_ok());
        }
        if let Err(missing) = &before {
            let enough = [held.clone(), vec![missing.scope.to_string()]].concat();
            prop_assert!(check_access(&principal(&enough), access, agent.as_ref()).is_ok());
        }
        held.push(more.to_string());
        prop_assert!(before.is_err() || check_access(&principal(&held), access, agent.as_ref()).is_ok());
    }
}
