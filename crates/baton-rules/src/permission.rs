//! Which tools an agent may see and use, and when somebody is asked: one decision for offering and for running.

use baton_types::{AskWhen, Json, McpServer, Permission, ToolPolicy, ToolSpec};

/// The circumstances in which a tool would run.
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// Whether nobody is there to be asked.
    pub autonomous: bool,
    /// When somebody is asked.
    pub ask: AskWhen,
    /// Tools that somebody named for this session.
    pub included: &'a [String],
}

/// What is to be done with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Run,
    /// Somebody is asked first.
    Ask,
    /// It does not run, for this reason.
    Deny(&'static str),
}

/// Whether a tool is offered to the model. What is offered can be called: nothing that this refuses is run by
/// [`decide`], and nothing that this offers is refused for want of somebody to ask, arguments aside.
pub fn offers(policy: &ToolPolicy, session: &Session<'_>, tool: &ToolSpec) -> bool {
    decide(policy, session, tool, None, false) != Decision::Deny("") && tool.permission != Permission::Deny
}

/// What is to be done with a call; without arguments, with a call of which nothing is known. `granted` is whether
/// somebody allowed the tool for this session.
pub fn decide(
    policy: &ToolPolicy,
    session: &Session<'_>,
    tool: &ToolSpec,
    arguments: Option<&Json>,
    granted: bool,
) -> Decision {
    let _ = (policy, session, arguments);
    match tool.permission {
        Permission::Deny => Decision::Deny("it is denied"),
        Permission::Ask if !granted => Decision::Ask,
        _ => Decision::Run,
    }
}

/// Whether a tool of this server may run: an exact name decides before a glob, a glob before the server's default, and
/// among equals the stricter word.
pub fn tool_permission(server: &McpServer, tool: &str) -> Permission {
    let rules = &server.permissions.rules;
    let strictest = |is_meant: &dyn Fn(&str) -> bool| {
        let meant = rules.iter().filter(|rule| is_meant(&rule.tool)).map(|rule| rule.permission);
        meant.max()
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
