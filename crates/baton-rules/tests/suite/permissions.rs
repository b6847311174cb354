//! Permission rules of servers, agents and single calls.

use super::sample;
use baton_rules::{CallAuthorization, PermissionContext, authorize_call, is_offered};
use baton_types::{
    ApprovalMode, ArgumentMatch, Effects, InclusionMode, InclusionModes, Json, McpPermissions, McpServer, McpTool,
    McpTransport, Permission, PermissionRule, ServerToolPermissions, ToolPolicy, ToolRunner, ToolSpec,
};

const INTERACTIVE: PermissionContext<'static> =
    PermissionContext { autonomous: false, ask: ApprovalMode::Tool, included: &[] };

/// A tool of an MCP server without rules.
pub(super) fn mcp_tool(server: &str, tool: &str) -> ToolSpec {
    let runner = ToolRunner::Mcp(McpTool { server: server.to_owned(), tool: tool.to_owned() });
    ToolSpec { runner, ..sample::tool(&format!("{server}_{tool}"), Effects::Unknown) }
}

fn server(default: Permission, rules: Vec<PermissionRule>) -> McpServer {
    McpServer {
        name: "fs".to_owned(),
        file: "mcp.json".to_owned(),
        transport: McpTransport::Internal { tool: "rules".to_owned() },
        enabled: true,
        era: Default::default(),
        timeouts: Default::default(),
        permissions: McpPermissions { default, rules },
        include: Vec::new(),
        exclude: Vec::new(),
        modes: Default::default(),
        prefix: None,
        required: false,
        trusted: false,
        oauth: None,
    }
}

/// A tool of a server as the tool host returns it; `None` if it is hidden.
fn host_tool(server: &McpServer, tool: &str) -> Option<ToolSpec> {
    let ServerToolPermissions { permission, rules, include } = ServerToolPermissions::for_tool(server, tool)?;
    Some(ToolSpec { permission, rules, include, ..mcp_tool("fs", tool) })
}

/// `read=allow`, `fs/read=ask` or `read[/path:/tmp/*]=allow`.
fn rule(text: &str) -> PermissionRule {
    let (about, word) = text.rsplit_once('=').unwrap();
    let permission = match word {
        "allow" => Permission::Allow,
        "ask" => Permission::Ask,
        "deny" => Permission::Deny,
        other => panic!("{other}"),
    };
    let (tool, arguments) = match about.split_once('[') {
        Some((tool, arguments)) => {
            let wanted = arguments.trim_end_matches(']').split(',').map(|one| {
                let (path, glob) = one.split_once(':').unwrap();
                ArgumentMatch { path: path.to_owned(), glob: glob.to_owned() }
            });
            (tool, wanted.collect())
        }
        None => (about, Vec::new()),
    };
    let (server, tool) = match tool.split_once('/') {
        Some((server, tool)) => (Some(server.to_owned()), tool),
        None => (None, tool),
    };
    PermissionRule { server, tool: tool.to_owned(), arguments, permission }
}

fn rules(text: &str) -> Vec<PermissionRule> {
    text.split(' ').filter(|text| !text.is_empty()).map(rule).collect()
}

fn policy(text: &str) -> ToolPolicy {
    ToolPolicy { ask: ApprovalMode::Tool, rules: rules(text) }
}

fn decision_name(decision: &CallAuthorization) -> &'static str {
    match decision {
        CallAuthorization::Allowed => "run",
        CallAuthorization::ApprovalRequired => "ask",
        CallAuthorization::Denied(reason) if reason.contains("arguments") => "deny such arguments",
        CallAuthorization::Denied(_) => "deny",
        CallAuthorization::Approved | CallAuthorization::Declined => panic!("no answer was given"),
    }
}

#[test]
fn denial_wins_then_the_most_specific_rule() {
    let (allow, ask, deny) = (Permission::Allow, Permission::Ask, Permission::Deny);
    for (default, of_the_server, of_the_agent, tool, expect) in [
        (ask, "", "", "read", "ask"),
        (allow, "", "", "read", "run"),
        (deny, "", "", "read", "deny"),
        (deny, "get_*=allow", "", "get_file", "run"),
        (deny, "get_*=allow", "", "set_file", "deny"),
        (ask, "*=allow delete_*=deny", "", "delete_all", "deny"),
        (ask, "delete_*=deny *=allow", "", "delete_all", "deny"),
        (ask, "*=allow write_*=ask", "", "write_x", "ask"),
        (ask, "delete_*=deny delete_draft=allow", "", "delete_draft", "deny"),
        (allow, "read=allow read=deny read=ask", "", "read", "deny"),
        (allow, "read=allow read=ask", "", "read", "ask"),
        (ask, "Read=allow", "", "read", "ask"),
        (deny, "a?c=allow", "", "abc", "run"),
        (deny, "a?c=ask", "", "a?c", "ask"),
        (deny, "=allow", "", "read", "deny"),
        // The rules of the agent and of the server form one set.
        (ask, "", "read=allow", "read", "run"),
        (ask, "", "fs/read=allow", "read", "run"),
        (ask, "", "f?/r*=allow", "read", "run"),
        (ask, "", "other/read=allow", "read", "ask"),
        (ask, "read=ask", "*=allow", "read", "ask"),
        (ask, "*=ask", "read=allow", "read", "run"),
        (ask, "read=ask", "read=allow", "read", "ask"),
        (allow, "read=allow", "*=ask", "read", "run"),
        (allow, "", "*=ask", "read", "ask"),
        (allow, "read=allow", "*=deny", "read", "deny"),
        (allow, "read=allow", "fs/*=deny", "read", "deny"),
        (allow, "read=deny", "fs/read=allow", "read", "deny"),
        // A default denial of the server cannot be overridden by another file.
        (deny, "", "read=allow", "read", "deny"),
    ] {
        let server = server(default, rules(of_the_server));
        let context = format!("{default:?} {of_the_server:?} {of_the_agent:?} {tool}");
        let Some(spec) = host_tool(&server, tool) else {
            assert_eq!(expect, "deny", "{context}");
            continue;
        };
        let policy = policy(of_the_agent);
        assert_eq!(decision_name(&authorize_call(&policy, &INTERACTIVE, &spec, None, None)), expect, "{context}");
        assert_eq!(is_offered(&policy, &INTERACTIVE, &spec), expect != "deny", "{context}");
    }
}

#[test]
fn argument_rules_match_values_by_pointer_and_glob() {
    let tmp = r#"{"path":"/tmp/a"}"#;
    for (default, of_the_server, of_the_agent, arguments, expect) in [
        ("ask", "read[/path:/tmp/*]=allow", "", tmp, "run"),
        ("ask", "read[/path:/tmp/*]=allow", "", r#"{"path":"/etc/a"}"#, "ask"),
        ("ask", "", "read[/path:/tmp/*]=allow", tmp, "run"),
        ("allow", "", "fs/*[/path:/etc/*]=deny", r#"{"path":"/etc/a"}"#, "deny such arguments"),
        ("allow", "", "fs/*[/path:/etc/*]=deny", tmp, "run"),
        // A missing argument matches nothing, not even `*`.
        ("ask", "read[/path:*]=allow", "", "{}", "ask"),
        ("ask", "read[/path:*]=allow", "", "[]", "ask"),
        ("ask", "read[/path:*]=allow", "", "7", "ask"),
        ("ask", "read[path:*]=allow", "", tmp, "ask"),
        ("ask", "read[/path:null]=allow", "", r#"{"path":null}"#, "run"),
        // All argument conditions must match.
        ("ask", "read[/path:/tmp/*,/mode:r]=allow", "", r#"{"path":"/tmp/a","mode":"r"}"#, "run"),
        ("ask", "read[/path:/tmp/*,/mode:r]=allow", "", r#"{"path":"/tmp/a","mode":"w"}"#, "ask"),
        ("ask", "read[/path:/tmp/*,/mode:r]=allow", "", tmp, "ask"),
        // Values other than strings are compared as written.
        ("ask", "read[/n:1?]=allow", "", r#"{"n":12}"#, "run"),
        ("ask", "read[/n:12345678901234567890123]=allow", "", r#"{"n":12345678901234567890123}"#, "run"),
        ("ask", "read[/n:1.0]=allow", "", r#"{"n":1}"#, "ask"),
        ("ask", "read[/n:true]=allow", "", r#"{"n":true}"#, "run"),
        ("ask", r#"read[/n:{"a":*}]=allow"#, "", r#"{"n": {"a": 1}}"#, "run"),
        ("ask", "read[/n:a\"b]=allow", "", r#"{"n":"a\"\u0062"}"#, "run"),
        ("ask", "read[/n:]=allow", "", r#"{"n":""}"#, "run"),
        // Pointers may have any depth.
        ("ask", "read[/files/1/path:b]=allow", "", r#"{"files":[{"path":"a"},{"path":"b"}]}"#, "run"),
        ("ask", "read[/files/01/path:b]=allow", "", r#"{"files":[{"path":"a"},{"path":"b"}]}"#, "ask"),
        ("ask", "read[/files/2/path:*]=allow", "", r#"{"files":[{"path":"a"},{"path":"b"}]}"#, "ask"),
        ("ask", "read[/path/more:*]=allow", "", tmp, "ask"),
        ("ask", "read[/a~1b~0c:x]=allow", "", r#"{"a/b~c":"x"}"#, "run"),
        ("ask", "read[/:x]=allow", "", r#"{"":"x"}"#, "run"),
        ("ask", "read[:{}]=allow", "", "{}", "run"),
        // Specificity: name with arguments, name, glob with arguments, glob.
        ("ask", "read=ask *[/path:/tmp/*]=allow", "", tmp, "ask"),
        ("ask", "read=allow *[/path:/tmp/*]=ask", "", tmp, "run"),
        ("ask", "read=allow read[/path:/tmp/*]=ask", "", tmp, "ask"),
        ("ask", "r*=ask *[/path:/tmp/*]=allow", "", tmp, "run"),
        ("ask", "read[/path:/tmp/*]=allow", "read[/path:*]=ask", tmp, "ask"),
        ("ask", "read[/path:/tmp/*]=allow", "*=deny", tmp, "deny"),
        ("ask", "read[/path:*]=allow", "*[/path:*..*]=deny", r#"{"path":"/tmp/../etc"}"#, "deny such arguments"),
        // A server that denies all but some calls of a tool.
        ("deny", "read[/path:/tmp/*]=allow", "", tmp, "run"),
        ("deny", "read[/path:/tmp/*]=allow", "", r#"{"path":"/etc/a"}"#, "deny"),
        ("deny", "read[/path:/tmp/*]=allow", "read=allow", r#"{"path":"/etc/a"}"#, "deny"),
        ("deny", "*[/path:/tmp/*]=ask", "read=allow", tmp, "run"),
    ] {
        let default = rule(&format!("*={default}")).permission;
        let context = format!("{default:?} {of_the_server} {of_the_agent} {arguments}");
        let spec = host_tool(&server(default, rules(of_the_server)), "read").unwrap_or_else(|| panic!("{context}"));
        let (policy, arguments) = (policy(of_the_agent), Json::parse(arguments).unwrap());
        let decision = authorize_call(&policy, &INTERACTIVE, &spec, Some(&arguments), None);
        assert_eq!(decision_name(&decision), expect, "{context}");
        if expect != "deny" {
            assert!(is_offered(&policy, &INTERACTIVE, &spec), "{context}");
        }
    }
}

/// An autonomous session is offered a tool if some of its calls are allowed.
#[test]
fn tool_with_some_allowed_calls_is_offered() {
    let autonomous = PermissionContext { autonomous: true, ..INTERACTIVE };
    let call = Json::parse(r#"{"path":"/tmp/a"}"#).unwrap();
    for (default, of_the_server, of_the_agent, expect) in [
        ("ask", "", "", "deny"),
        ("ask", "read[/path:/tmp/*]=allow", "", "run"),
        ("ask", "", "fs/r*[/path:/tmp/*]=allow", "run"),
        ("ask", "read=ask", "fs/r*[/path:/tmp/*]=allow", "deny"),
        ("deny", "*[/path:/tmp/*]=allow", "", "run"),
        ("deny", "*[/path:/tmp/*]=ask", "", "deny"),
        ("deny", "*[/path:/tmp/*]=ask", "read[/path:/tmp/*]=allow", "run"),
        ("deny", "*[/path:/tmp/*]=ask", "read=allow", "run"),
        ("deny", "read[/path:/tmp/*]=ask", "read=allow", "deny"),
    ] {
        let default = rule(&format!("*={default}")).permission;
        let spec = host_tool(&server(default, rules(of_the_server)), "read").unwrap();
        let policy = policy(of_the_agent);
        let context = format!("{default:?} {of_the_server} {of_the_agent}");
        assert_eq!(decision_name(&authorize_call(&policy, &autonomous, &spec, Some(&call), None)), expect, "{context}");
        assert_eq!(is_offered(&policy, &autonomous, &spec), expect == "run", "{context}");
    }
}

/// Tools of the agent itself belong to no server.
#[test]
fn server_rules_apply_to_server_tools_only() {
    let own = sample::tool("read", Effects::Unknown);
    for (of_the_agent, expect) in [("*/read=deny", "run"), ("*/*=ask", "run"), ("read=deny", "deny"), ("*=ask", "ask")]
    {
        assert_eq!(
            decision_name(&authorize_call(&policy(of_the_agent), &INTERACTIVE, &own, None, None)),
            expect,
            "{of_the_agent}"
        );
    }
}

#[test]
fn include_and_exclude_lists_filter_the_tools_of_a_server() {
    for (include, exclude, tool, expect) in [
        ("", "", "read", true),
        ("read write_*", "", "read", true),
        ("read write_*", "", "write_all", true),
        ("read write_*", "", "delete", false),
        ("", "delete_*", "delete_all", false),
        ("", "delete_*", "delete", true),
        ("read", "read", "read", false),
        ("*", "*", "read", false),
    ] {
        let globs = |text: &str| text.split(' ').filter(|text| !text.is_empty()).map(str::to_owned).collect();
        let server =
            McpServer { include: globs(include), exclude: globs(exclude), ..server(Permission::Allow, Vec::new()) };
        assert_eq!(ServerToolPermissions::for_tool(&server, tool).is_some(), expect, "{include:?} {exclude:?} {tool}");
    }
}

#[test]
fn inclusion_mode_decides_the_tools_of_a_session() {
    let modes = InclusionModes {
        default: InclusionMode::Agent,
        tools: vec![
            ("write_*".to_owned(), InclusionMode::Manual),
            ("*_all".to_owned(), InclusionMode::Always),
            ("write_log".to_owned(), InclusionMode::Always),
        ],
    };
    let server = McpServer { modes, ..server(Permission::Allow, Vec::new()) };
    for (tool, include) in [
        ("read", InclusionMode::Agent),
        ("write_log", InclusionMode::Always),
        ("write_all", InclusionMode::Manual),
        ("read_all", InclusionMode::Always),
    ] {
        assert_eq!(ServerToolPermissions::for_tool(&server, tool).unwrap().include, include, "{tool}");
    }
    let (spec, policy) = (host_tool(&server, "write_all").unwrap(), ToolPolicy::default());
    for (included, expect) in [("", false), ("write_all", true), ("fs_write_all", true), ("read", false)] {
        let included = [included.to_owned()];
        let session = PermissionContext { included: &included, ..INTERACTIVE };
        assert_eq!(is_offered(&policy, &session, &spec), expect, "{included:?}");
        let decision = authorize_call(&policy, &session, &spec, None, None);
        assert_eq!(decision == CallAuthorization::Allowed, expect, "{included:?} {decision:?}");
    }
}

/// A tool that changed since its approval is asked about, whatever the rules; a denied tool stays denied.
#[test]
fn changed_tool_needs_approval() {
    let call = Json::parse(r#"{"path":"/tmp/a"}"#).unwrap();
    for (default, of_the_server, of_the_agent, expect) in [
        ("allow", "", "", "ask"),
        ("allow", "read=allow read[/path:/tmp/*]=allow", "read=allow read[/path:*]=allow", "ask"),
        ("ask", "", "fs/*=allow", "ask"),
        ("deny", "*[/path:/tmp/*]=allow", "read[/path:*]=allow", "ask"),
        ("deny", "*[/path:/etc/*]=allow", "read[/path:*]=allow", "deny"),
        ("allow", "read[/path:/tmp/*]=deny", "", "deny such arguments"),
    ] {
        let default = rule(&format!("*={default}")).permission;
        let words = ServerToolPermissions::for_tool(&server(default, rules(of_the_server)), "read").unwrap();
        let ServerToolPermissions { permission, rules, include } = words.with_approval_required("read");
        let spec = ToolSpec { permission, rules, include, ..mcp_tool("fs", "read") };
        let policy = policy(of_the_agent);
        let decision = authorize_call(&policy, &INTERACTIVE, &spec, Some(&call), None);
        assert_eq!(decision_name(&decision), expect, "{default:?} {of_the_server} {of_the_agent}");
        let autonomous = PermissionContext { autonomous: true, ..INTERACTIVE };
        assert!(!is_offered(&policy, &autonomous, &spec), "{default:?} {of_the_server} {of_the_agent}");
    }
}

#[test]
fn unreadable_arguments_do_not_bypass_a_denial() {
    let policy = ToolPolicy { rules: vec![rule("read[/path:/etc/*]=deny")], ..ToolPolicy::default() };
    let decided = |arguments: &str| {
        let arguments = Json::parse(arguments).unwrap();
        authorize_call(&policy, &INTERACTIVE, &mcp_tool("fs", "read"), Some(&arguments), None)
    };
    assert_eq!(decided(r#"{"path": "/tmp/x"}"#), CallAuthorization::Allowed);
    assert_eq!(
        decided(r#"{"other": "\ud800"}"#),
        CallAuthorization::Allowed,
        "the rule does not concern this argument"
    );
    for arguments in [
        r#"{"path": "/etc/passwd"}"#,
        r#"{"path": "/etc/\ud800/../passwd"}"#,
        r#"{"\ud800": 0, "path": "/etc/passwd"}"#,
    ] {
        assert!(matches!(decided(arguments), CallAuthorization::Denied(_)), "{arguments}");
    }
    let allows = ToolPolicy { rules: vec![rule("read=ask"), rule("read[/path:*]=allow")], ..ToolPolicy::default() };
    let half = Json::parse(r#"{"path": "\ud800"}"#).unwrap();
    assert_eq!(
        authorize_call(&allows, &INTERACTIVE, &mcp_tool("fs", "read"), Some(&half), None),
        CallAuthorization::ApprovalRequired
    );
}
