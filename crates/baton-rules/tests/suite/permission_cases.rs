//! Permission cases that every surface decides alike. The suites of the engine, of MCP and of HTTP include this file and
//! call the tool of each case on their surface.

use baton_types::{ApprovalMode, ArgumentMatch, Permission, PermissionRule, ToolPolicy, ToolSpec};

/// A call of a tool with one argument, `path`.
pub(crate) struct PermissionCase {
    pub(crate) name: &'static str,
    /// Permission of the tool.
    permission: Permission,
    /// Rules of the tool.
    rules: Vec<PermissionRule>,
    pub(crate) policy: ToolPolicy,
    pub(crate) path: &'static str,
    /// Answer to an approval request.
    pub(crate) is_approved: bool,
    /// Whether the tool is listed.
    pub(crate) is_offered: bool,
    pub(crate) outcome: CallOutcome,
}

/// What a caller observes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallOutcome {
    /// Whether an approval was requested.
    pub(crate) is_asked: bool,
    /// Why the call did not run; completes "because". `None` if it ran.
    pub(crate) refusal: Option<&'static str>,
}

const RUNS: CallOutcome = CallOutcome { is_asked: false, refusal: None };
const RUNS_ONCE_APPROVED: CallOutcome = CallOutcome { is_asked: true, refusal: None };
const DECLINED: CallOutcome = CallOutcome { is_asked: true, refusal: Some("it was not allowed") };
const DENIED: CallOutcome = CallOutcome { is_asked: false, refusal: Some("the agent's permissions deny it;") };
const ARGUMENTS_DENIED: CallOutcome =
    CallOutcome { is_asked: false, refusal: Some("the agent's permissions deny calls with such arguments;") };

impl PermissionCase {
    fn new(name: &'static str, permission: Permission, outcome: CallOutcome) -> Self {
        let (is_approved, is_offered) = (outcome != DECLINED, outcome != DENIED);
        let (rules, policy) = (Vec::new(), ToolPolicy::default());
        Self { name, permission, rules, policy, path: "/tmp/x", is_approved, is_offered, outcome }
    }

    fn with_mode(self, ask: ApprovalMode) -> Self {
        Self { policy: ToolPolicy { ask, ..self.policy }, ..self }
    }

    fn with_rule(mut self, rule: PermissionRule) -> Self {
        self.policy.rules.push(rule);
        self
    }

    fn with_tool_rule(mut self, rule: PermissionRule) -> Self {
        self.rules.push(rule);
        self
    }

    fn with_path(self, path: &'static str) -> Self {
        Self { path, is_offered: true, ..self }
    }

    /// The tool with the permission and the rules of this case.
    pub(crate) fn tool(&self, tool: &ToolSpec) -> ToolSpec {
        ToolSpec { permission: self.permission, rules: self.rules.clone(), ..tool.clone() }
    }
}

fn path_rule(glob: &str, permission: Permission) -> PermissionRule {
    let arguments = vec![ArgumentMatch { path: "/path".to_owned(), glob: glob.to_owned() }];
    PermissionRule { arguments, ..PermissionRule::for_tool("*", permission) }
}

pub(crate) fn permission_cases() -> Vec<PermissionCase> {
    use Permission::{Allow, Ask, Deny};
    let case = PermissionCase::new;
    let every_tool = |permission| PermissionRule::for_tool("*", permission);
    vec![
        case("allowed", Allow, RUNS),
        case("asked about and approved", Ask, RUNS_ONCE_APPROVED),
        case("asked about and declined", Ask, DECLINED),
        case("denied", Deny, DENIED),
        case("every call is asked about, and approved", Allow, RUNS_ONCE_APPROVED).with_mode(ApprovalMode::Always),
        case("every call is asked about, and declined", Allow, DECLINED).with_mode(ApprovalMode::Always),
        case("no call is asked about", Ask, RUNS).with_mode(ApprovalMode::Never),
        case("denied, whatever is asked about", Deny, DENIED).with_mode(ApprovalMode::Never),
        case("a rule of the agent denies it", Allow, DENIED).with_rule(every_tool(Deny)),
        case("a rule of the agent asks, and it is declined", Allow, DECLINED).with_rule(every_tool(Ask)),
        case("arguments of a rule match", Allow, RUNS_ONCE_APPROVED).with_rule(path_rule("/tmp/*", Ask)),
        case("arguments of a rule do not match", Allow, RUNS).with_rule(path_rule("/etc/*", Ask)),
        case("denied arguments", Allow, ARGUMENTS_DENIED).with_rule(path_rule("/etc/*", Deny)).with_path("/etc/passwd"),
        case("denied except for these arguments", Deny, RUNS).with_tool_rule(path_rule("/tmp/*", Allow)),
        case("denied except for other arguments", Deny, DENIED)
            .with_tool_rule(path_rule("/tmp/*", Allow))
            .with_path("/etc/passwd"),
    ]
}
