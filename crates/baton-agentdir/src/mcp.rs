//! MCP servers of an agent, from its definition file and from files shared with other programs.

mod entry;
mod login;
mod teamspark;
mod timing;
mod tools;
mod transport;
mod value;

pub(crate) use transport::{INTERNAL, KIND_WORDS, is_header};
pub(crate) use value::close;

use baton_document::{Diagnostic, DocumentNode, DocumentReader, Fields, SourceLocation, read_json};
use baton_types::McpServer;
use std::collections::BTreeMap;

/// Files with MCP servers next to `agent.yaml`, in order of precedence for servers of the same name.
pub const MCP_FILES: [&str; 3] = [SHARED_FILES[0], SHARED_FILES[1], TEAMSPARK_FILE];
/// Files that do not belong to a particular program.
pub(crate) const SHARED_FILES: [&str; 2] = ["mcp.json", ".mcp.json"];
pub(crate) const TEAMSPARK_FILE: &str = "tspark.json";
const MAX_SERVERS: usize = 64;
const MAX_NAME: usize = 64;

/// Parsing rules of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum McpDialect {
    /// `agent.yaml`: every problem is an error.
    Native,
    /// A file that several programs read: unknown keys are ignored with a warning, and an invalid entry is skipped.
    Shared,
    /// `tspark.json`: as for shared files, but a URL without a type means HTTP+SSE.
    TeamSpark,
}

impl McpDialect {
    fn is_strict(self) -> bool {
        self == Self::Native
    }
}

/// The servers of `agent.yaml`.
pub(crate) fn native_servers(
    reader: &mut DocumentReader,
    node: Option<DocumentNode>,
    base_directory: &str,
) -> Vec<McpServer> {
    let all = node.map(|node| read_servers(reader, McpDialect::Native, node, base_directory)).unwrap_or_default();
    all.into_iter().map(|(_, server)| server).collect()
}

/// The servers of a TeamSpark definition file; invalid ones are skipped.
pub(crate) fn teamspark_servers(
    reader: &mut DocumentReader,
    node: Option<DocumentNode>,
    base_directory: &str,
) -> Vec<McpServer> {
    let all = node.map(|node| read_servers(reader, McpDialect::TeamSpark, node, base_directory)).unwrap_or_default();
    all.into_iter().map(|(_, server)| server).collect()
}

/// The servers of the definition file, plus those of the other files with different names.
pub(crate) fn merge_servers(
    own: Vec<McpServer>,
    files: &BTreeMap<String, Vec<u8>>,
    shared_files: &[&str],
    base_directory: &str,
) -> (Vec<McpServer>, Vec<Diagnostic>) {
    let mut servers = own;
    let mut diagnostics = Vec::new();
    for &file in shared_files {
        let Some(bytes) = files.get(file) else { continue };
        let mut reader = DocumentReader::new(file);
        for (location, server) in shared(&mut reader, file, bytes, base_directory) {
            match servers.iter().find(|other| other.name == server.name) {
                Some(other) => {
                    let message = format!(
                        "the server {:?} is not used: {} has a server of the same name",
                        server.name, other.file
                    );
                    reader.warning(location, message, "rename or remove one of them");
                }
                None if servers.len() == MAX_SERVERS => {
                    let message = format!("the server {:?} is left out: there are too many servers", server.name);
                    reader.warning(location, message, format!("keep it to {MAX_SERVERS} servers"));
                }
                None => servers.push(server),
            }
        }
        diagnostics.extend(reader.finish());
    }
    (servers, diagnostics)
}

fn shared(
    reader: &mut DocumentReader,
    file: &str,
    bytes: &[u8],
    base_directory: &str,
) -> Vec<(SourceLocation, McpServer)> {
    const IGNORED_CONSEQUENCE: &str = "its servers are not used";
    let mut strict = DocumentReader::new(file);
    let fields = match read_json(file, bytes) {
        Ok(node) => Fields::open(&mut strict, "the file", node),
        Err(remark) => {
            strict.push(remark);
            None
        }
    };
    let dialect = if file == TEAMSPARK_FILE { McpDialect::TeamSpark } else { McpDialect::Shared };
    let maps = fields.map(|mut fields| {
        let maps = [fields.take("mcpServers"), fields.take("servers").filter(|_| dialect == McpDialect::Shared)];
        if dialect == McpDialect::Shared {
            let _ = [fields.take("inputs"), fields.take("$schema")];
            if maps.iter().all(Option::is_none) {
                reader.warning(
                    SourceLocation::START,
                    "the file names no servers",
                    "put them under \"mcpServers\", each under its own name",
                );
            }
            fields.finish_lenient(reader);
        }
        maps
    });
    for remark in strict.finish() {
        reader.push(remark.into_warning(IGNORED_CONSEQUENCE));
    }
    let maps = maps.into_iter().flatten().flatten();
    maps.flat_map(|node| read_servers(reader, dialect, node, base_directory)).collect()
}

/// The servers of one map, with the locations of their names.
fn read_servers(
    reader: &mut DocumentReader,
    dialect: McpDialect,
    node: DocumentNode,
    base_directory: &str,
) -> Vec<(SourceLocation, McpServer)> {
    let mut own = DocumentReader::new(reader.file());
    let location = node.location;
    let entries = Fields::open(&mut own, "mcpServers", node).map(Fields::into_entries).unwrap_or_default();
    if entries.len() > MAX_SERVERS {
        own.error(location, format!("there are {} servers", entries.len()), format!("keep it to {MAX_SERVERS}"));
    }
    absorb(reader, own, dialect, "not all servers are used");
    let mut servers = Vec::new();
    for entry in entries.into_iter().take(MAX_SERVERS) {
        let mut own = DocumentReader::new(reader.file());
        let consequence = format!("the server {:?} is left out", entry.key.chars().take(MAX_NAME).collect::<String>());
        let server = match is_server_name(&entry.key) {
            true => entry::read(&mut own, dialect, entry.key, entry.node, base_directory),
            false => {
                let hint = format!("use a name of 1 to {MAX_NAME} characters that can be printed, such as files");
                own.error(entry.location, "a server cannot have this name", hint);
                None
            }
        };
        let is_good = !own.has_errors();
        absorb(reader, own, dialect, &consequence);
        servers.extend(server.filter(|_| is_good).map(|server| (entry.location, server)));
    }
    servers
}

/// Passes diagnostics on; errors in files of other programs are downgraded, so they never prevent serving the agent.
fn absorb(reader: &mut DocumentReader, own: DocumentReader, dialect: McpDialect, consequence: &str) {
    for remark in own.finish() {
        let softens = remark.is_error() && !dialect.is_strict();
        reader.push(if softens { remark.into_warning(consequence) } else { remark });
    }
}

fn is_server_name(name: &str) -> bool {
    let printable = |c: char| !c.is_control() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}');
    (1..=MAX_NAME).contains(&name.chars().count()) && name.trim() == name && name.chars().all(printable)
}
