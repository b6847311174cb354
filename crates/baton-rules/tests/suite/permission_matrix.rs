//! Permission decisions in every kind of session, and their invariants.

use super::permissions::mcp_tool;
use baton_rules::{CallAuthorization, PermissionContext, authorize_call, is_offered};
use baton_types::{
    ApprovalMode, ArgumentMatch, Effects, InclusionMode, Json, Permission, PermissionRule, ToolPolicy, ToolSpec,
};
use proptest::{collection::vec, prelude::*, sample::select};

/// Authorization of a call without an answer, whose tool may be approved for the session.
fn decide(
    policy: &ToolPolicy,
    session: &PermissionContext<'_>,
    tool: &ToolSpec,
    arguments: Option<&Json>,
    granted: bool,
) -> CallAuthorization {
    authorize_call(policy, session, tool, arguments, None).with_grant(granted)
}

/// Session modes against tools that are allowed, asked about, or denied.
#[test]
fn teamspark_8_the_nine_cells_of_session_and_setting() {
    use ApprovalMode::{Always, Never, Tool};
    let run_ask_deny = |session: &PermissionContext<'_>, granted: bool| {
        [Permission::Allow, Permission::Ask, Permission::Deny].map(|permission| {
            let tool = ToolSpec { permission, ..mcp_tool("fs", "read") };
            let policy = ToolPolicy::default();
            let decision = match decide(&policy, session, &tool, None, granted) {
                CallAuthorization::Allowed => "run",
                CallAuthorization::ApprovalRequired => "ask",
                CallAuthorization::Denied(_) => "deny",
                CallAuthorization::Approved | CallAuthorization::Declined => panic!("no answer was given"),
            };
            (decision, is_offered(&policy, session, &tool))
        })
    };
    let asked = |autonomous, ask, granted| {
        run_ask_deny(&PermissionContext { autonomous, ask, included: &[] }, granted).map(|(decision, _)| decision)
    };
    let offered = |autonomous, ask| {
        run_ask_deny(&PermissionContext { autonomous, ask, included: &[] }, false).map(|(_, offered)| offered)
    };
    for (cell, got, expect) in [
        ("interactive, always: every call is asked about", asked(false, Always, false), ["ask", "ask", "deny"]),
        ("interactive, never: none is", asked(false, Never, false), ["run", "run", "deny"]),
        ("interactive, tool: those that want it are", asked(false, Tool, false), ["run", "ask", "deny"]),
        ("interactive, always, allowed for the session", asked(false, Always, true), ["run", "run", "deny"]),
        ("interactive, tool, allowed for the session", asked(false, Tool, true), ["run", "run", "deny"]),
        ("autonomous, always: no user can be asked", asked(true, Always, false), ["deny", "deny", "deny"]),
        ("autonomous, never", asked(true, Never, false), ["run", "run", "deny"]),
        ("autonomous, tool", asked(true, Tool, false), ["run", "deny", "deny"]),
        ("autonomous, tool, and no answer can be there", asked(true, Tool, true), ["run", "deny", "deny"]),
    ] {
        assert_eq!(got, expect, "{cell}");
    }
    for (cell, got, expect) in [
        ("interactive, always: all tools", offered(false, Always), [true, true, false]),
        ("interactive, never: all tools", offered(false, Never), [true, true, false]),
        ("interactive, tool: all tools", offered(false, Tool), [true, true, false]),
        ("autonomous, always: no tools", offered(true, Always), [false, false, false]),
        ("autonomous, never: all tools", offered(true, Never), [true, true, false]),
        ("autonomous, tool: those that need no approval", offered(true, Tool), [true, false, false]),
    ] {
        assert_eq!(got, expect, "{cell}");
    }
}

/// An autonomous agent cannot change itself, whatever its definition allows; an interactive one can.
#[test]
fn teamspark_14_autonomous_agents_get_no_tools_that_change_themselves() {
    use ApprovalMode::{Always, Never, Tool};
    for permission in [Permission::Allow, Permission::Ask] {
        let own = ToolSpec { permission, effects: Effects::OwnAgent, ..mcp_tool("rules", "createRule") };
        let policy = ToolPolicy::default();
        for (ask, included) in [(Always, &[][..]), (Never, &["createRule".to_owned()]), (Tool, &[])] {
            let alone = PermissionContext { autonomous: true, ask, included };
            assert!(!is_offered(&policy, &alone, &own), "{ask:?}");
            assert!(
                matches!(decide(&policy, &alone, &own, None, true), CallAuthorization::Denied(reason) if reason.contains("autonomous"))
            );
            let watched = PermissionContext { autonomous: false, ask, included };
            assert!(is_offered(&policy, &watched, &own), "{ask:?}");
            assert!(!matches!(decide(&policy, &watched, &own, None, false), CallAuthorization::Denied(_)));
        }
    }
}

/// Denial reasons complete a sentence and tell the model how to continue.
#[test]
fn denial_reasons_are_clauses_with_a_next_step() {
    let manual = ToolSpec { include: InclusionMode::Manual, ..mcp_tool("fs", "read") };
    let asks = ToolSpec { permission: Permission::Ask, ..mcp_tool("fs", "read") };
    let denied = ToolSpec { permission: Permission::Deny, ..mcp_tool("fs", "read") };
    let arguments = vec![ArgumentMatch { path: String::new(), glob: "{*".to_owned() }];
    let mut rule = PermissionRule::for_tool("*", Permission::Deny);
    rule.arguments = arguments;
    let some_denied = ToolSpec { rules: vec![rule], ..mcp_tool("fs", "read") };
    let session = PermissionContext { autonomous: true, ask: ApprovalMode::Tool, included: &[] };
    let call = Json::parse("{}").unwrap();
    let own = ToolSpec { effects: Effects::OwnAgent, ..mcp_tool("rules", "createRule") };
    let mut reasons = [manual, asks, denied, some_denied, own].map(|tool| {
        let CallAuthorization::Denied(reason) = decide(&ToolPolicy::default(), &session, &tool, Some(&call), false)
        else {
            panic!("{tool:?} is not denied");
        };
        assert!(
            reason.contains("continue without it, or use another tool") || reason.contains("other arguments"),
            "{reason}"
        );
        assert!(reason.starts_with(char::is_lowercase) && !reason.ends_with('.'), "{reason}");
        reason
    });
    reasons.sort_unstable();
    assert!(reasons.windows(2).all(|two| two[0] != two[1]), "{reasons:?}");
}

fn permissions() -> impl Strategy<Value = Permission> {
    select(vec![Permission::Allow, Permission::Ask, Permission::Deny])
}

fn a_rule() -> impl Strategy<Value = PermissionRule> {
    let wanted = (select(vec!["/a", "/b", ""]), select(vec!["x", "*", "y*"]));
    let wanted = wanted.prop_map(|(path, glob)| ArgumentMatch { path: path.to_owned(), glob: glob.to_owned() });
    let server = select(vec![None, Some("fs"), Some("*"), Some("other")]);
    let tool = select(vec!["read", "r*", "*", "?ead", "write"]);
    (server, tool, vec(wanted, 0..2), permissions()).prop_map(|(server, tool, arguments, permission)| PermissionRule {
        server: server.map(str::to_owned),
        tool: tool.to_owned(),
        arguments,
        permission,
    })
}

fn a_tool() -> impl Strategy<Value = ToolSpec> {
    let include = select(vec![InclusionMode::Always, InclusionMode::Manual, InclusionMode::Agent]);
    (permissions(), vec(a_rule(), 0..4), include).prop_map(|(permission, rules, include)| ToolSpec {
        permission,
        rules,
        include,
        ..mcp_tool("fs", "read")
    })
}

fn a_call() -> impl Strategy<Value = Json> {
    let texts = vec![r#"{"a":"x"}"#, r#"{"a":"y1","b":"x"}"#, r#"{"b":"z"}"#, "{}"];
    select(texts).prop_map(|text| Json::parse(text).unwrap())
}

#[derive(Clone, Debug)]
struct SessionSettings {
    autonomous: bool,
    ask: ApprovalMode,
    included: Vec<String>,
}

impl SessionSettings {
    fn session(&self) -> PermissionContext<'_> {
        PermissionContext { autonomous: self.autonomous, ask: self.ask, included: &self.included }
    }
}

fn session_settings() -> impl Strategy<Value = SessionSettings> {
    let ask = select(vec![ApprovalMode::Always, ApprovalMode::Never, ApprovalMode::Tool]);
    let included = select(vec![vec![], vec!["read".to_owned()]]);
    (any::<bool>(), ask, included).prop_map(|(autonomous, ask, included)| SessionSettings { autonomous, ask, included })
}

fn policies() -> impl Strategy<Value = ToolPolicy> {
    vec(a_rule(), 0..5).prop_map(|rules| ToolPolicy { ask: ApprovalMode::Tool, rules })
}

fn is_denied(decision: &CallAuthorization) -> bool {
    matches!(decision, CallAuthorization::Denied(_))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A matching denial wins wherever it is written, and the order of rules is irrelevant.
    #[test]
    fn deny_always_wins(
        policy in policies(), tool in a_tool(), call in a_call(), c in session_settings(), granted: bool,
        denial in select(vec!["read", "r*", "*"]), in_policy: bool, at in any::<prop::sample::Index>(),
    ) {
        let (mut policy, mut tool) = (policy, tool);
        let before = decide(&policy, &c.session(), &tool, Some(&call), granted);
        policy.rules.reverse();
        tool.rules.reverse();
        let after = decide(&policy, &c.session(), &tool, Some(&call), granted);
        prop_assert_eq!(is_denied(&before), is_denied(&after));
        prop_assert!(is_denied(&before) || before == after);
        let rules = if in_policy { &mut policy.rules } else { &mut tool.rules };
        rules.insert(at.index(rules.len() + 1), PermissionRule::for_tool(denial, Permission::Deny));
        prop_assert!(is_denied(&decide(&policy, &c.session(), &tool, Some(&call), granted)));
        prop_assert!(is_denied(&decide(&policy, &c.session(), &tool, None, granted)));
        prop_assert!(!is_offered(&policy, &c.session(), &tool));
    }

    /// An autonomous session never asks, and an offered tool runs unless a rule restricts arguments.
    #[test]
    fn an_offered_tool_is_never_asked_about_in_an_autonomous_session(
        policy in policies(), tool in a_tool(), call in a_call(), c in session_settings(), granted: bool,
    ) {
        let c = SessionSettings { autonomous: true, ..c };
        let decision = decide(&policy, &c.session(), &tool, Some(&call), granted);
        prop_assert_ne!(&decision, &CallAuthorization::ApprovalRequired);
        let about_arguments = policy.rules.iter().chain(&tool.rules).any(|rule| !rule.arguments.is_empty());
        if is_offered(&policy, &c.session(), &tool) && !about_arguments {
            prop_assert_eq!(decision, CallAuthorization::Allowed);
        }
    }

    /// Interactive sessions only: in autonomous ones, an allow rule is the reason that a call runs.
    #[test]
    fn an_allow_rule_never_makes_a_denied_call_run(
        policy in policies(), tool in a_tool(), call in a_call(), c in session_settings(), granted: bool,
        allow in a_rule(), in_policy: bool,
    ) {
        let (mut policy, mut tool, c) = (policy, tool, SessionSettings { autonomous: false, ..c });
        let denied = is_denied(&decide(&policy, &c.session(), &tool, Some(&call), granted));
        let allow = PermissionRule { permission: Permission::Allow, ..allow };
        // The rules of a tool are exceptions from its own permission.
        if in_policy || tool.permission == Permission::Deny {
            policy.rules.push(allow);
        } else {
            tool.rules.push(allow);
        }
        let after = decide(&policy, &c.session(), &tool, Some(&call), granted);
        prop_assert!(!denied || is_denied(&after));
    }

    /// Only offered tools run; without argument rules, every offered tool runs or asks.
    #[test]
    fn offering_and_deciding_agree(
        policy in policies(), tool in a_tool(), call in a_call(), c in session_settings(), granted: bool,
    ) {
        let offered = is_offered(&policy, &c.session(), &tool);
        let decision = decide(&policy, &c.session(), &tool, Some(&call), granted);
        prop_assert!(offered || is_denied(&decision), "{decision:?}");
        if policy.rules.iter().chain(&tool.rules).all(|rule| rule.arguments.is_empty()) {
            prop_assert_eq!(offered, !is_denied(&decision));
            prop_assert_eq!(decision, decide(&policy, &c.session(), &tool, None, granted));
        }
    }
}
