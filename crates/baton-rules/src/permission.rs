//! Which tools of an MCP server an agent may see and use.

use baton_types::{McpServer, Permission};

/// Whether a tool of this server may run: an exact name decides before a glob, a glob before the server's default, and
/// among equals the stricter word.
pub fn tool_permission(server: &McpServer, tool: &str) -> Permission {
    let rules = &server.permissions.tools;
    let strictest = |is_meant: &dyn Fn(&str) -> bool| {
        let meant = rules.iter().filter(|(pattern, _)| is_meant(pattern)).map(|(_, permission)| *permission);
        meant.max_by_key(|permission| strictness(*permission))
    };
    strictest(&|pattern| pattern == tool)
        .or_else(|| strictest(&|pattern| glob_matches(pattern, tool)))
        .unwrap_or(server.permissions.default)
}

/// Whether a tool of this server is shown at all: included, not excluded, not denied.
pub fn is_exposed(server: &McpServer, tool: &str) -> bool {
    let named = |globs: &[String]| globs.iter().any(|glob| glob_matches(glob, tool));
    (server.include.is_empty() || named(&server.include))
        && !named(&server.exclude)
        && tool_permission(server, tool) != Permission::Deny
}

/// Whether a name fits a glob, in which `*` is any run of characters and `?` is any one.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (mut glob, mut name) = (glob, name);
    // Where to go on when what follows the last star does not fit: behind the star, one character later.
    let mut retry: Option<(&str, &str)> = None;
    loop {
        let mut rest = name.chars();
        let fits = match (glob.chars().next(), rest.next()) {
            (Some('*'), _) => {
                glob = &glob[1..];
                retry = Some((glob, name));
                continue;
            }
            (None, None) => return true,
            (Some('?'), Some(_)) => true,
            (Some(wanted), Some(there)) => wanted == there,
            _ => false,
        };
        if fits {
            glob = glob.get(glob.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
            name = rest.as_str();
            continue;
        }
        let Some((behind, from)) = retry else { return false };
        let mut later = from.chars();
        if later.next().is_none() {
            return false;
        }
        (glob, name) = (behind, later.as_str());
        retry = Some((behind, name));
    }
}

fn strictness(permission: Permission) -> u8 {
    match permission {
        Permission::Allow => 0,
        Permission::Ask => 1,
        Permission::Deny => 2,
    }
}
