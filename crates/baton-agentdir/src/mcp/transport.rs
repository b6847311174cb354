//! Transport of a server: a program, a URL, or a part of Baton.

use super::{McpDialect, value};
use baton_document::{DocumentNode, DocumentReader, Fields, NodeValue, SourceLocation};
use baton_types::McpTransport;
use std::collections::BTreeMap;

const HEADER_HINT: &str = "use letters, digits and dashes, such as X-Api-Key";
pub(crate) const INTERNAL: [&str; 4] = ["rules", "references", "tools", "supervision"];
const KINDS: [(&str, McpTransportKind); 9] = [
    ("stdio", McpTransportKind::Stdio),
    ("http", McpTransportKind::Http),
    ("sse", McpTransportKind::Sse),
    ("internal", McpTransportKind::Internal),
    ("streamable-http", McpTransportKind::Http),
    ("streamableHttp", McpTransportKind::Http),
    ("streamable_http", McpTransportKind::Http),
    ("local", McpTransportKind::Stdio),
    ("remote", McpTransportKind::Remote),
];

/// Values of `type`.
pub(crate) const KIND_WORDS: [&str; 9] = {
    let mut names = [""; 9];
    let mut at = 0;
    while at < names.len() {
        names[at] = KINDS[at].0;
        at += 1;
    }
    names
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum McpTransportKind {
    Stdio,
    Http,
    Sse,
    Remote,
    Internal,
}

impl McpTransportKind {
    fn required_key(self) -> &'static str {
        match self {
            Self::Stdio => "command",
            Self::Internal => "tool",
            Self::Http | Self::Sse | Self::Remote => "url",
        }
    }
}

/// All transport keys of an entry.
struct TransportFields {
    location: SourceLocation,
    command: Option<(DocumentNode, String)>,
    url: Option<(DocumentNode, String)>,
    http_url: Option<(DocumentNode, String)>,
    tool: Option<(DocumentNode, String)>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    env_file: Option<String>,
    cwd: Option<String>,
    headers: BTreeMap<String, String>,
}

pub(super) fn read(
    reader: &mut DocumentReader,
    dialect: McpDialect,
    fields: &mut Fields,
    base_directory: &str,
) -> Option<McpTransport> {
    let kind = fields.take_any(reader, &["type", "transport"]).map(|node| reader.choice("type", &node, &KINDS));
    let mut field = |reader: &mut DocumentReader, keys: &[&'static str]| value::field(reader, dialect, fields, keys);
    let written = TransportFields {
        command: field(reader, &["command"]),
        url: field(reader, &["url", "serverUrl"]),
        http_url: field(reader, &["httpUrl"]),
        tool: field(reader, &["tool"]),
        env_file: field(reader, &["envFile", "env_file"]).map(|(_, text)| text),
        cwd: field(reader, &["cwd"]).map(|(_, text)| text),
        args: value::list(reader, dialect, fields, &["args"]).unwrap_or_default(),
        env: variables(reader, dialect, fields),
        headers: headers(reader, dialect, fields),
        location: fields.location,
    };
    let kind = match kind {
        Some(kind) => kind?,
        None => infer_kind(reader, dialect, &written)?,
    };
    build_transport(reader, kind, written, base_directory)
}

/// Infers the transport from the keys that are present.
fn infer_kind(reader: &mut DocumentReader, dialect: McpDialect, written: &TransportFields) -> Option<McpTransportKind> {
    let address = if dialect == McpDialect::TeamSpark { McpTransportKind::Sse } else { McpTransportKind::Remote };
    let candidates = [
        written.command.as_ref().map(|_| McpTransportKind::Stdio),
        written.http_url.as_ref().map(|_| McpTransportKind::Http),
        written.url.as_ref().filter(|_| written.http_url.is_none()).map(|_| address),
        written.tool.as_ref().map(|_| McpTransportKind::Internal),
    ];
    let mut candidates = candidates.into_iter().flatten();
    match (candidates.next(), candidates.next()) {
        (Some(kind), None) => Some(kind),
        (Some(_), Some(_)) => {
            let hint = "keep one of command, url and tool, or write a type";
            reader.error(written.location, "the server can be reached in several ways", hint);
            None
        }
        (None, _) => {
            let hint = "write \"command\" with \"args\" for a program, or \"url\" for an address";
            reader.error(written.location, "the server has neither a command nor a url", hint);
            None
        }
    }
}

fn build_transport(
    reader: &mut DocumentReader,
    kind: McpTransportKind,
    written: TransportFields,
    base_directory: &str,
) -> Option<McpTransport> {
    let TransportFields { location, command, url, http_url, tool, args, env, env_file, cwd, headers } = written;
    let required = match kind {
        McpTransportKind::Stdio => command,
        McpTransportKind::Http => http_url.or(url),
        McpTransportKind::Sse | McpTransportKind::Remote => url.or(http_url),
        McpTransportKind::Internal => tool,
    };
    let Some((node, text)) = required.filter(|(_, text)| !text.trim().is_empty()) else {
        let required_key = kind.required_key();
        reader.error(
            location,
            format!("the server has no {required_key}"),
            format!("write its {required_key}, or change the type"),
        );
        return None;
    };
    Some(match kind {
        McpTransportKind::Stdio => {
            let here = |text: String| expand_editor_variables(&text, base_directory);
            McpTransport::Stdio {
                command: here(text),
                args: args.into_iter().map(here).collect(),
                env: env.into_iter().map(|(name, value)| (name, here(value))).collect(),
                env_file: env_file.map(here),
                cwd: cwd.map(here),
                base: base_directory.to_owned(),
            }
        }
        McpTransportKind::Http => McpTransport::Http { url: address(reader, &node, text)?, headers },
        McpTransportKind::Sse => McpTransport::Sse { url: address(reader, &node, text)?, headers },
        McpTransportKind::Remote => McpTransport::Remote { url: address(reader, &node, text)?, headers },
        McpTransportKind::Internal => {
            let choices = INTERNAL.map(|name| (name, name));
            McpTransport::Internal { tool: reader.choice("tool", &node, &choices)?.to_owned() }
        }
    })
}

/// Replaces editor variables: `${workspaceFolder}` is the agent's directory.
fn expand_editor_variables(text: &str, base_directory: &str) -> String {
    if !text.contains("${") {
        return text.to_owned();
    }
    text.replace("${workspaceFolder}", base_directory).replace("${userHome}", "${HOME}")
}

/// The message does not repeat the URL, which may contain a secret.
fn address(reader: &mut DocumentReader, node: &DocumentNode, url: String) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_web = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#']));
    if (is_web || url.starts_with("${")) && !url.contains(char::is_whitespace) {
        return Some(url);
    }
    reader.error(node.location, "the url is not a web address", "write http://... or https://... without spaces");
    None
}

/// Variables with values, and variables passed on from Baton's environment.
fn variables(reader: &mut DocumentReader, dialect: McpDialect, fields: &mut Fields) -> BTreeMap<String, String> {
    let mut env = value::map(reader, dialect, fields, &["env"]);
    let node = fields.take("env_vars");
    for node in node.map(|node| reader.list("env_vars", node)).unwrap_or_default() {
        let named = match node.value {
            NodeValue::Map(_) => Fields::open(reader, "env_vars", node).and_then(|mut fields| fields.take("name")),
            _ => Some(node),
        };
        let Some(node) = named else { continue };
        if let Some(name) = variable(reader, "each entry of env_vars", &node) {
            // An unset variable is not an error: the list permits variables, it does not require them.
            env.entry(name.clone()).or_insert_with(|| format!("${{{name}:-}}"));
        }
    }
    env
}

fn headers(reader: &mut DocumentReader, dialect: McpDialect, fields: &mut Fields) -> BTreeMap<String, String> {
    let mut headers = value::map(reader, dialect, fields, &["headers", "http_headers"]);
    for name in headers.keys().filter(|name| !is_header(name)) {
        reader.error(fields.location, format!("a header cannot be named {name:?}"), HEADER_HINT);
    }
    let mut more = Vec::new();
    if let Some(node) = fields.take("env_http_headers") {
        for entry in Fields::open(reader, "env_http_headers", node).map(Fields::into_entries).unwrap_or_default() {
            let variable = variable(reader, "each value of env_http_headers", &entry.node);
            more.extend(variable.map(|variable| (entry.key, entry.location, format!("${{{variable}}}"))));
        }
    }
    if let Some(node) = fields.take("bearer_token_env_var") {
        let variable = variable(reader, "bearer_token_env_var", &node);
        more.extend(variable.map(|name| ("Authorization".to_owned(), node.location, format!("Bearer ${{{name}}}"))));
    }
    for (name, location, value) in more {
        if !is_header(&name) {
            reader.error(location, format!("a header cannot be named {name:?}"), HEADER_HINT);
        } else if headers.keys().any(|there| there.eq_ignore_ascii_case(&name)) {
            reader.error(location, format!("the header {name:?} is given twice"), "keep one of them");
        } else {
            headers.insert(name, value);
        }
    }
    headers
}

/// Name of an environment variable.
fn variable(reader: &mut DocumentReader, subject: &str, node: &DocumentNode) -> Option<String> {
    let name = match &node.value {
        NodeValue::Text(name) => name.clone(),
        _ => return reader.report_expected(subject, "text", node),
    };
    let is_good = value::is_variable(&name);
    if !is_good {
        let message = format!("{subject} must name an environment variable");
        reader.error(
            node.location,
            message,
            "write the name, such as API_TOKEN, and keep the value in the environment",
        );
    }
    is_good.then_some(name)
}

/// Whether this is a valid header name.
pub(crate) fn is_header(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    (1..=256).contains(&name.len()) && name.chars().all(allowed)
}
