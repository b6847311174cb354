//! Saved queries: built-in ones, and those in `queries.yaml`.

use super::time_argument::{TimeArgument, parse_time};
use crate::{commands::connection_options::ConnectionOptions, error_codes, failure::CliError};
use baton_document::{Diagnostic, DocumentNode, DocumentReader, Fields, LocatedValue};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// File name, in the data directory or next to `baton.yaml`.
const QUERIES_FILE: &str = "queries.yaml";
const MAX_FILE_BYTES: u64 = 1 << 20;
const MAX_QUERIES: usize = 500;
const MAX_NAME_LEN: usize = 64;

/// Built-in queries.
const BUILT_IN_QUERIES: &str = include_str!("queries.yaml");

/// A named query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SavedQuery {
    /// Name, used as `@name`.
    pub(super) name: String,
    /// TraceQL text.
    pub(super) query: String,
    /// Purpose of the query.
    pub(super) description: String,
    /// Default start of the time range.
    pub(super) since: Option<TimeArgument>,
    /// Source file; `None` for built-in queries.
    pub(super) file: Option<PathBuf>,
}

/// All saved queries by name. Queries in `file`, or in the default files, override built-in ones.
pub(super) fn load_all(file: Option<&Path>, connection: &ConnectionOptions) -> Result<Vec<SavedQuery>, CliError> {
    let mut all = parse_queries("queries.yaml", BUILT_IN_QUERIES.as_bytes(), None)
        .map_err(|remarks| invalid_file(Path::new(QUERIES_FILE), remarks))?;
    let files = match file {
        Some(file) => vec![file.to_path_buf()],
        None => default_paths(connection),
    };
    for path in &files {
        let Some(bytes) = read_file(path)? else {
            if file.is_some() {
                let message = format!("no such file: {}", path.display());
                return Err(CliError::new(error_codes::USAGE, message).hint("Correct --queries."));
            }
            continue;
        };
        let own = parse_queries(&path.display().to_string(), &bytes, Some(path))
            .map_err(|remarks| invalid_file(path, remarks))?;
        all.retain(|saved| own.iter().all(|own| own.name != saved.name));
        all.extend(own);
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}

/// The query with this name.
pub(super) fn find(name: &str, file: Option<&Path>, connection: &ConnectionOptions) -> Result<SavedQuery, CliError> {
    let mut all = load_all(file, connection)?;
    if let Some(index) = all.iter().position(|saved| saved.name == name) {
        return Ok(all.swap_remove(index));
    }
    let names: Vec<&str> = all.iter().map(|saved| saved.name.as_str()).collect();
    let message = format!("no saved query is named '{}'", name.escape_debug());
    Err(CliError::new(error_codes::USAGE, message).hint(format!("Saved queries: {}.", names.join(", "))))
}

/// Default files in ascending precedence.
fn default_paths(connection: &ConnectionOptions) -> Vec<PathBuf> {
    let beside = connection.config.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).join(QUERIES_FILE);
    let within = connection.data.as_deref().unwrap_or(Path::new(".baton")).join(QUERIES_FILE);
    vec![beside, within]
}

fn read_file(file: &Path) -> Result<Option<Vec<u8>>, CliError> {
    let failed = |reason: String| CliError::new(error_codes::USAGE, format!("{}: {reason}", file.display()));
    match fs::metadata(file) {
        Ok(meta) if meta.len() > MAX_FILE_BYTES => Err(failed("the file is over 1 MB".to_owned())),
        Ok(_) => fs::read(file).map(Some).map_err(|error| failed(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error.to_string())),
    }
}

fn invalid_file(file: &Path, remarks: Vec<Diagnostic>) -> CliError {
    CliError::new(error_codes::USAGE, format!("{} has errors", file.display()))
        .hint("Fix the file at the line and column shown.")
        .with_diagnostics(remarks)
}

/// Parses a file; returns all its errors if it is invalid.
fn parse_queries(name: &str, bytes: &[u8], file: Option<&Path>) -> Result<Vec<SavedQuery>, Vec<Diagnostic>> {
    let node = baton_document::read(name, bytes).map_err(|remark| vec![remark])?;
    let mut reader = DocumentReader::new(name);
    let location = node.location;
    let nodes = reader.list("the file", node);
    if nodes.len() > MAX_QUERIES {
        reader.error(location, format!("the file has {} queries", nodes.len()), format!("use at most {MAX_QUERIES}"));
    }
    let mut all: Vec<SavedQuery> = Vec::new();
    for node in nodes.into_iter().take(MAX_QUERIES) {
        let location = node.location;
        if let Some(saved) = parse_query(&mut reader, node, file) {
            if all.iter().any(|other| other.name == saved.name) {
                reader.error(
                    location,
                    format!("the name '{}' is used twice", saved.name),
                    "give each query a unique name",
                );
            }
            all.push(saved);
        }
    }
    if reader.has_errors() { Err(reader.finish()) } else { Ok(all) }
}

fn parse_query(reader: &mut DocumentReader, node: DocumentNode, file: Option<&Path>) -> Option<SavedQuery> {
    let mut fields = Fields::open(reader, "a saved query", node)?;
    let name = fields.required_text(reader, "name", "add a name, such as name: errors");
    let query = fields.required_text(reader, "query", "add TraceQL, such as query: '{ status = error }'");
    let description = fields.text(reader, "description").map(|text| text.value).unwrap_or_default();
    let since = fields.text(reader, "since");
    fields.finish(reader);
    let since = since.and_then(|LocatedValue { location, value }| {
        parse_time(&value)
            .map_err(|hint| reader.error(location, format!("'{}' is not a valid time", value.escape_debug()), hint))
            .ok()
    });
    let (name, query) = (name?, query?);
    let is_name = |text: &str| {
        let sign = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !text.is_empty() && text.len() <= MAX_NAME_LEN && text.chars().all(sign)
    };
    if !is_name(&name.value) {
        let hint = format!("use up to {MAX_NAME_LEN} letters, digits, '-', '_' and '.'");
        reader.error(name.location, format!("'{}' is not a valid name", name.value.escape_debug()), hint);
        return None;
    }
    let file = file.map(Path::to_path_buf);
    Some(SavedQuery { name: name.value, query: query.value, description, since, file })
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_traceql::{Mode, parse};

    /// Built-in queries are valid in strict mode.
    #[test]
    fn built_in_queries_are_canonical() {
        let shipped = parse_queries("queries.yaml", BUILT_IN_QUERIES.as_bytes(), None).unwrap();
        assert!(shipped.len() > 8);
        for saved in shipped {
            parse(&saved.query, Mode::Strict).unwrap_or_else(|error| panic!("{}: {error}", saved.name));
            assert!(!saved.description.is_empty(), "{}", saved.name);
        }
    }

    #[test]
    fn files_override_built_in_queries() {
        let home = tempfile::tempdir().unwrap();
        let connection = ConnectionOptions {
            data: Some(home.path().join("data")),
            config: Some(home.path().join("baton.yaml")),
            ..ConnectionOptions::default()
        };
        let query = |name: &str| find(name, None, &connection).map(|saved| saved.query).ok();
        let shipped = query("errors").unwrap();
        assert_eq!(query("mine"), None);
        fs::create_dir(home.path().join("data")).unwrap();
        fs::write(
            home.path().join(QUERIES_FILE),
            "- { name: mine, query: '{ }' }\n- { name: errors, query: '{ true }' }\n",
        )
        .unwrap();
        assert_eq!((query("mine").as_deref(), query("errors").as_deref()), (Some("{ }"), Some("{ true }")));
        fs::write(home.path().join("data").join(QUERIES_FILE), "- { name: mine, query: '{ false }' }\n").unwrap();
        assert_eq!((query("mine").as_deref(), query("errors").as_deref()), (Some("{ false }"), Some("{ true }")));
        let named = home.path().join("data").join(QUERIES_FILE);
        assert_eq!(find("errors", Some(&named), &connection).unwrap().query, shipped, "only the named file is read");
        assert!(load_all(Some(&home.path().join("missing.yaml")), &connection).is_err());
    }

    #[test]
    fn errors_have_a_location() {
        let text = "- { name: a, query: '{ }', since: soon }\n- { name: a b, query: '{ }' }\n- { query: '{ }' }\n\
                    - { name: c, quarry: '{ }' }\n- { name: d, query: '{ }' }\n- { name: d, query: '{ }' }\n- word\n";
        let remarks = parse_queries("q.yaml", text.as_bytes(), None).unwrap_err();
        let lines: Vec<u32> = remarks.iter().map(|remark| remark.line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 4, 6, 7], "{remarks:#?}");
        assert!(parse_queries("q.yaml", b"queries: {}", None).is_err());
        assert_eq!(parse_queries("q.yaml", b"", None), Ok(Vec::new()));
    }
}
