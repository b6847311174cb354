//! Permissions, inclusion modes and argument conditions as written in files.

use crate::mcp::{self, McpDialect};
use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue, SourceLocation};
use baton_types::{ApprovalMode, ArgumentMatch, InclusionMode, McpServer, Permission, PermissionRule, glob_matches};

/// Maximum number of tool rules per file.
pub(crate) const MAX_RULES: usize = 1000;
const MAX_ARGUMENTS: usize = 64;
const MAX_TEXT: usize = 1000;
const SHOWN_SERVERS: usize = 10;

pub(crate) const PERMISSION_KEYWORDS: [(&str, Permission); 3] =
    [("allow", Permission::Allow), ("ask", Permission::Ask), ("deny", Permission::Deny)];
pub(crate) const INCLUSION_MODE_KEYWORDS: [(&str, InclusionMode); 3] =
    [("always", InclusionMode::Always), ("manual", InclusionMode::Manual), ("agent", InclusionMode::Agent)];
pub(crate) const APPROVAL_MODE_KEYWORDS: [(&str, ApprovalMode); 3] =
    [("always", ApprovalMode::Always), ("never", ApprovalMode::Never), ("tool", ApprovalMode::Tool)];

const POINTER_HINT: &str = "write a JSON pointer such as /path or /files/0/name; in it ~1 is a slash and ~0 is a tilde";

/// A list of `{path, glob, permission}`: each is a rule for some calls of a tool.
pub(crate) fn read_argument_rules(
    reader: &mut DocumentReader,
    dialect: McpDialect,
    tool: &str,
    node: DocumentNode,
) -> Vec<PermissionRule> {
    let mut rules = Vec::new();
    for node in bounded(reader, "arguments", node, MAX_ARGUMENTS) {
        let Some(mut fields) = Fields::open(reader, "an entry of arguments", node) else { continue };
        let permission = required(reader, &mut fields);
        let argument = argument(reader, dialect, fields);
        if let (Some(permission), Some(argument)) = (permission, argument) {
            let tool = tool.to_owned();
            rules.push(PermissionRule { server: None, tool, arguments: vec![argument], permission });
        }
    }
    rules
}

/// One entry of the key `permissions` of an agent.
pub(crate) struct RawRule {
    pub(crate) server: Option<LocatedValue<String>>,
    pub(crate) tool: Option<LocatedValue<String>>,
    pub(crate) arguments: Vec<ArgumentMatch>,
    pub(crate) permission: Option<Permission>,
}

impl RawRule {
    /// Reads the whole key.
    pub(crate) fn read_all(reader: &mut DocumentReader, node: DocumentNode) -> Vec<Self> {
        let nodes = bounded(reader, "permissions", node, MAX_RULES);
        nodes.into_iter().filter_map(|node| Self::read(reader, node)).collect()
    }

    fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "a permission", node)?;
        let server = fields.text(reader, "server").and_then(|glob| checked_glob(reader, "server", glob));
        let tool = fields.required_text(reader, "tool", "name the tool, or a glob such as read_* or *");
        let tool = tool.and_then(|glob| checked_glob(reader, "tool", glob));
        let permission = required(reader, &mut fields);
        let arguments = fields.take("arguments").map(|node| arguments(reader, node)).unwrap_or_default();
        fields.finish(reader);
        Some(Self { server, tool, arguments, permission })
    }

    /// The rule, if it is complete.
    pub(crate) fn resolved(self) -> Option<PermissionRule> {
        let server = self.server.map(|glob| glob.value);
        Some(PermissionRule { server, tool: self.tool?.value, arguments: self.arguments, permission: self.permission? })
    }
}

/// Warns about rules for servers that the agent does not have: they have no effect.
pub(crate) fn check_servers(reader: &mut DocumentReader, globs: &[LocatedValue<String>], servers: &[McpServer]) {
    for glob in globs {
        if !servers.iter().any(|server| glob_matches(&glob.value, &server.name)) {
            let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).take(SHOWN_SERVERS).collect();
            let hint = match names.as_slice() {
                [] => "the agent has no servers; remove the rule, or the key `server`".to_owned(),
                names => format!("servers of the agent: {}", names.join(", ")),
            };
            reader.warning(glob.location, "the agent has no such server, so the rule has no effect", hint);
        }
    }
}

fn arguments(reader: &mut DocumentReader, node: DocumentNode) -> Vec<ArgumentMatch> {
    let (location, before) = (node.location, reader.error_count());
    let nodes = bounded(reader, "arguments", node, MAX_ARGUMENTS);
    let mut conditions = Vec::new();
    for node in nodes {
        let fields = Fields::open(reader, "an entry of arguments", node);
        conditions.extend(fields.and_then(|fields| argument(reader, McpDialect::Native, fields)));
    }
    if conditions.is_empty() && reader.error_count() == before {
        // A rule with a forgotten condition would match every call.
        reader.error(location, "arguments is empty", "write entries with path and glob, or leave the key out");
    }
    conditions
}

/// `path` and `glob` of one argument.
fn argument(reader: &mut DocumentReader, dialect: McpDialect, mut fields: Fields) -> Option<ArgumentMatch> {
    let path = fields.required_text(reader, "path", POINTER_HINT);
    let glob = fields.required_text(reader, "glob", "write a pattern for its value, such as /tmp/*");
    let path = path.filter(|path| {
        let is_good = is_pointer(&path.value) && path.value.len() <= MAX_TEXT;
        if !is_good {
            reader.error(path.location, "path is not a JSON pointer", POINTER_HINT);
        }
        is_good
    });
    let glob = glob.filter(|glob| is_short(reader, "glob", glob));
    mcp::close(reader, dialect, fields);
    Some(ArgumentMatch { path: path?.value, glob: glob?.value })
}

/// Whether this is a JSON pointer (RFC 6901).
fn is_pointer(text: &str) -> bool {
    let mut tildes = text.split('~').skip(1);
    (text.is_empty() || text.starts_with('/')) && tildes.all(|rest| rest.starts_with(['0', '1']))
}

fn required(reader: &mut DocumentReader, fields: &mut Fields) -> Option<Permission> {
    match fields.take("permission") {
        Some(node) => reader.choice("permission", &node, &PERMISSION_KEYWORDS),
        None => {
            reader.error(fields.location, "permission is missing", "write allow, ask or deny");
            None
        }
    }
}

fn checked_glob(
    reader: &mut DocumentReader,
    subject: &str,
    glob: LocatedValue<String>,
) -> Option<LocatedValue<String>> {
    if glob.value.trim().is_empty() {
        reader.error(glob.location, format!("{subject} is empty"), "write a name, or a glob such as *");
        return None;
    }
    is_short(reader, subject, &glob).then_some(glob)
}

fn is_short(reader: &mut DocumentReader, subject: &str, text: &LocatedValue<String>) -> bool {
    let is_short = text.value.len() <= MAX_TEXT;
    if !is_short {
        reader.error(text.location, format!("{subject} is too long"), format!("keep it to {MAX_TEXT} bytes"));
    }
    is_short
}

fn bounded(reader: &mut DocumentReader, subject: &str, node: DocumentNode, max: usize) -> Vec<DocumentNode> {
    let location = node.location;
    let nodes = reader.list(subject, node);
    if nodes.len() > max {
        too_many(reader, location, subject, nodes.len(), max);
        return Vec::new();
    }
    nodes
}

/// Warns that a denial overrides other rules of a tool.
pub(crate) fn warn_overridden(reader: &mut DocumentReader, location: SourceLocation, tool: &str, denied: &str) {
    let message =
        format!("some rules for {tool:?} have no effect: {denied:?} is denied, and a denial takes precedence");
    reader.warning(location, message, "remove the denial or the other rules");
}

pub(crate) fn too_many(reader: &mut DocumentReader, location: SourceLocation, subject: &str, count: usize, max: usize) {
    reader.error(location, format!("{subject} has {count} entries"), format!("keep it to {max}"));
}

#[cfg(test)]
mod tests {
    use super::is_pointer;

    #[test]
    fn json_pointers_are_checked() {
        for good in ["", "/", "/a", "/a/0", "/a~1b~0c", "/a b", "//"] {
            assert!(is_pointer(good), "{good}");
        }
        for bad in ["a", "a/b", "/~", "/~2", "$.a", "~1"] {
            assert!(!is_pointer(bad), "{bad}");
        }
    }
}
