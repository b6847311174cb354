//! Reads one server entry.

use super::{McpDialect, login, timing, tools, transport, value};
use baton_document::{DocumentNode, DocumentReader, Fields};
use baton_types::{McpEra, McpPermissions, McpServer};

/// Longer prefixes leave too few characters for the tool names.
const MAX_PREFIX: usize = 32;

/// The server with this name; `None` if the entry is invalid.
pub(super) fn read(
    reader: &mut DocumentReader,
    dialect: McpDialect,
    name: String,
    node: DocumentNode,
    base_directory: &str,
) -> Option<McpServer> {
    let mut fields = Fields::open(reader, format!("the server {name:?}"), node)?;
    let transport = transport::read(reader, dialect, &mut fields, base_directory);
    let tools = tools::read(reader, dialect, &mut fields);
    let timeouts = timing::read(reader, dialect, &mut fields);
    let oauth = login::read(reader, dialect, &mut fields);
    let enabled = value::flag(reader, &mut fields, "enabled").unwrap_or(true);
    let disabled = value::flag(reader, &mut fields, "disabled").unwrap_or(false);
    let required = value::flag(reader, &mut fields, "required").unwrap_or(false);
    let era = era(reader, &mut fields);
    let prefix = value::field(reader, dialect, &mut fields, &["prefix"]).and_then(|(node, prefix)| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let is_good = prefix.len() <= MAX_PREFIX && prefix.chars().all(allowed);
        if !is_good {
            let hint = format!("use letters, digits, dashes and underscores, at most {MAX_PREFIX}, or \"\" for none");
            reader.error(node.location, "the prefix cannot begin a tool's name", hint);
        }
        is_good.then_some(prefix)
    });
    if dialect == McpDialect::Shared {
        let _ = ["description", "gallery", "version"].map(|key| fields.take(key));
    }
    value::close(reader, dialect, fields);
    Some(McpServer {
        name,
        file: reader.file().to_owned(),
        transport: transport?,
        enabled: enabled && !disabled,
        era,
        timeouts,
        permissions: McpPermissions { default: tools.default, rules: tools.rules },
        include: tools.include,
        exclude: tools.exclude,
        modes: tools.modes,
        prefix,
        required,
        trusted: tools.trusted,
        oauth,
    })
}

fn era(reader: &mut DocumentReader, fields: &mut Fields) -> McpEra {
    let choices = [("auto", McpEra::Auto), ("legacy", McpEra::Legacy), ("modern", McpEra::Modern)];
    let node = fields.take_any(reader, &["era", "protocolEra"]);
    node.and_then(|node| reader.choice("era", &node, &choices)).unwrap_or_default()
}
