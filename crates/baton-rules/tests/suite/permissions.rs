//! Which tools of a server may be seen and used.

use baton_rules::{glob_matches, is_exposed, tool_permission};
use baton_types::{McpPermissions, McpServer, McpTransport, Permission, PermissionRule};
use proptest::prelude::*;

fn server(default: Permission, tools: &[(String, Permission)]) -> McpServer {
    McpServer {
        name: "fs".to_owned(),
        file: "mcp.json".to_owned(),
        transport: McpTransport::Internal { tool: "rules".to_owned() },
        enabled: true,
        era: Default::default(),
        timeouts: Default::default(),
        permissions: McpPermissions {
            default,
            rules: tools.iter().map(|(tool, word)| PermissionRule::of_tool(tool, *word)).collect(),
        },
        include: Vec::new(),
        exclude: Vec::new(),
        modes: Default::default(),
        prefix: None,
        required: false,
        trusted: false,
        oauth: None,
    }
}

fn rule(text: &str) -> (String, Permission) {
    let (glob, word) = text.split_once('=').unwrap();
    let permission = match word {
        "allow" => Permission::Allow,
        "ask" => Permission::Ask,
        "deny" => Permission::Deny,
        other => panic!("{other}"),
    };
    (glob.to_owned(), permission)
}

#[test]
fn exact_before_glob_before_default_and_the_stricter_of_equals() {
    let (allow, ask, deny) = (Permission::Allow, Permission::Ask, Permission::Deny);
    for (default, rules, tool, expect) in [
        (ask, "", "read", ask),
        (allow, "", "read", allow),
        (deny, "get_*=allow", "get_file", allow),
        (deny, "get_*=allow", "set_file", deny),
        (ask, "*=allow delete_*=deny", "delete_all", deny),
        (ask, "delete_*=deny *=allow", "delete_all", deny),
        (ask, "*=allow write_*=ask", "write_x", ask),
        (ask, "delete_*=deny delete_draft=allow", "delete_draft", allow),
        (ask, "delete_*=deny delete_draft=ask", "delete_draft", ask),
        (allow, "read=allow read=deny read=ask", "read", deny),
        (allow, "read=allow read=ask", "read", ask),
        (ask, "Read=allow", "read", ask),
        (deny, "a?c=allow", "abc", allow),
        (deny, "a?c=ask", "a?c", ask),
        (deny, "=allow", "read", deny),
    ] {
        let rules: Vec<_> = rules.split(' ').filter(|text| !text.is_empty()).map(rule).collect();
        let server = server(default, &rules);
        assert_eq!(tool_permission(&server, tool), expect, "{rules:?} {tool}");
        assert_eq!(is_exposed(&server, tool), expect != deny, "{rules:?} {tool}");
    }
}

#[test]
fn what_is_shown() {
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
        let server = McpServer { include: globs(include), exclude: globs(exclude), ..server(Permission::Allow, &[]) };
        assert_eq!(is_exposed(&server, tool), expect, "{include:?} {exclude:?} {tool}");
    }
}

#[test]
fn globs() {
    for (glob, name, expect) in [
        ("", "", true),
        ("", "a", false),
        ("*", "", true),
        ("*", "anything", true),
        ("?", "", false),
        ("?", "ä", true),
        ("??", "ä", false),
        ("get_*", "get_", true),
        ("*_file", "read_file", true),
        ("*_file", "read_files", false),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "a-c-b", false),
        ("**", "x", true),
        ("*a*", "bab", true),
        ("*ab", "aab", true),
        ("a.c", "abc", false),
        ("[a]", "a", false),
    ] {
        assert_eq!(glob_matches(glob, name), expect, "{glob:?} {name:?}");
    }
}

/// The plain definition, which may take for ever.
fn matches_by_definition(glob: &[char], name: &[char]) -> bool {
    match (glob.split_first(), name.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), _) => {
            matches_by_definition(rest, name) || (!name.is_empty() && matches_by_definition(glob, &name[1..]))
        }
        (Some(('?', rest)), Some((_, name))) => matches_by_definition(rest, name),
        (Some((wanted, rest)), Some((there, name))) => wanted == there && matches_by_definition(rest, name),
        _ => false,
    }
}

fn permissions() -> impl Strategy<Value = Permission> {
    proptest::sample::select(vec![Permission::Allow, Permission::Ask, Permission::Deny])
}

proptest! {
    #[test]
    fn globs_mean_what_they_are_defined_to(glob in "[ab*?]{0,8}", name in "[abä]{0,8}") {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        prop_assert_eq!(glob_matches(&glob, &name), matches_by_definition(&letters(&glob), &letters(&name)));
    }

    /// The order of rules never matters, and a rule that denies a tool by its name cannot be outvoted.
    #[test]
    fn deny_by_name_always_wins(
        mut rules in proptest::collection::vec(("[ab*?]{0,3}", permissions()), 0..6),
        default in permissions(),
        tool in "[ab]{1,3}",
    ) {
        let before = tool_permission(&server(default, &rules), &tool);
        rules.reverse();
        prop_assert_eq!(tool_permission(&server(default, &rules), &tool), before);
        rules.push((tool.clone(), Permission::Deny));
        prop_assert_eq!(tool_permission(&server(default, &rules), &tool), Permission::Deny);
        prop_assert!(!is_exposed(&server(default, &rules), &tool));
    }
}
