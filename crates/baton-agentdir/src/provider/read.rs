//! Reads the key `providers`.

use baton_document::{
    DocumentNode, DocumentReader, Fields, LocatedValue, NodeEntry, NodeValue, SourceLocation, duration,
};
use baton_types::{
    COMMON_PROVIDER_KEYS, KnownProvider, PROVIDER_HEADER_PREFIX, PROVIDER_KINDS, PROVIDERS, ProviderBackend,
    ProviderEntry, ProviderKind, ProviderSetting,
};
use std::{collections::BTreeMap, ops::RangeInclusive, time::Duration};

const MAX_PROVIDERS: usize = 64;
const MAX_HEADERS: usize = 32;
const MAX_VALUE: usize = 16 << 10;
const MAX_COUNT: u64 = 100_000;
/// Valid range of provider timeouts.
pub const PROVIDER_TIMEOUT_LIMIT: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(60 * 60);

/// Reads the providers of a Baton file: unknown keys are errors.
pub fn read_all(reader: &mut DocumentReader, node: Option<DocumentNode>) -> Vec<ProviderEntry> {
    read(reader, node, ProviderStrictness::Strict)
}

/// Reads the providers of a file of another program: unknown keys are ignored with a warning.
pub fn read_lenient(reader: &mut DocumentReader, node: Option<DocumentNode>) -> Vec<ProviderEntry> {
    read(reader, node, ProviderStrictness::Lenient)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProviderStrictness {
    Strict,
    Lenient,
}

fn read(reader: &mut DocumentReader, node: Option<DocumentNode>, strictness: ProviderStrictness) -> Vec<ProviderEntry> {
    let Some(node) = node else { return Vec::new() };
    let location = node.location;
    let Some(fields) = Fields::open(reader, "providers", node) else { return Vec::new() };
    let entries = fields.into_entries();
    if entries.len() > MAX_PROVIDERS {
        let message = format!("providers has {} entries", entries.len());
        reader.error(location, message, format!("keep it to {MAX_PROVIDERS}"));
        return Vec::new();
    }
    let mut all: Vec<ProviderEntry> = Vec::with_capacity(entries.len());
    for entry in entries {
        let location = entry.location;
        let Some(provider) = one(reader, entry, strictness) else { continue };
        if all.iter().any(|other| other.id == provider.id) {
            let message = format!("the provider {:?} is defined twice, possibly under an alias", provider.id);
            reader.error(location, message, "keep one of them");
        } else {
            all.push(provider);
        }
    }
    all
}

fn one(reader: &mut DocumentReader, entry: NodeEntry, strictness: ProviderStrictness) -> Option<ProviderEntry> {
    let NodeEntry { key, location, node } = entry;
    if !is_id(&key) {
        let known: Vec<&str> = PROVIDERS.iter().map(|known| known.id).collect();
        let message = format!("there is no provider {:?}", key.chars().take(60).collect::<String>());
        reader.error(location, message, format!("known ones: {}", known.join(", ")));
        return None;
    }
    let known = KnownProvider::find(&key);
    let subject = format!("the provider {key}");
    let mut keys = BTreeMap::new();
    for field in Fields::open(reader, subject.as_str(), node)?.into_entries() {
        setting(reader, known, &subject, field, strictness, &mut keys);
    }
    match known {
        Some(known) if known.backend == ProviderBackend::WeightFiles => {
            let message = "Baton does not run models in its own process, so models of 'local' are not available";
            let hint = "serve the file with llama-server, and add the provider docker with its BASE_URL";
            reader.warning(location, message, hint);
        }
        Some(_) => {}
        None if !has_address(&keys) => {
            unknown(reader, location, &key, strictness);
            return None;
        }
        None => {}
    }
    let id = known.map_or(key, |known| known.id.to_owned());
    Some(ProviderEntry { id, keys })
}

fn has_address(keys: &BTreeMap<String, String>) -> bool {
    keys.contains_key("base_url") || keys.contains_key("BASE_URL")
}

fn unknown(reader: &mut DocumentReader, location: SourceLocation, id: &str, strictness: ProviderStrictness) {
    let ids: Vec<&str> = PROVIDERS.iter().map(|known| known.id).collect();
    let message = format!("there is no provider {id:?}");
    let hint = format!("known ones: {}; any other name needs base_url, the address of its server", ids.join(", "));
    match strictness {
        ProviderStrictness::Strict => reader.error(location, message, hint),
        ProviderStrictness::Lenient => reader.warning(location, message, hint),
    }
}

fn setting(
    reader: &mut DocumentReader,
    known: Option<&KnownProvider>,
    subject: &str,
    field: NodeEntry,
    strictness: ProviderStrictness,
    keys: &mut BTreeMap<String, String>,
) {
    let NodeEntry { key, location, node } = field;
    if node.value == NodeValue::Null {
        return;
    }
    if key == "headers" {
        headers(reader, node, keys);
        return;
    }
    let common = || COMMON_PROVIDER_KEYS.iter().find(|common| common.name == key).map(|common| common.setting);
    let own = || PROVIDERS.iter().find(|known| known.id == "docker").and_then(|docker| docker.setting(&key));
    let Some(setting) = known.map_or_else(|| common().or_else(own), |known| known.setting(&key)) else {
        let short: String = key.chars().take(60).collect();
        let names = known.map_or(&[][..], |known| known.keys).iter().chain(&COMMON_PROVIDER_KEYS);
        let hint = format!("known keys: {}, headers", names.map(|key| key.name).collect::<Vec<_>>().join(", "));
        match strictness {
            ProviderStrictness::Strict => reader.error(location, format!("{subject} has no key '{short}'"), hint),
            ProviderStrictness::Lenient => {
                reader.warning(location, format!("the key '{short}' of {subject} is not used"), hint);
            }
        }
        return;
    };
    if let Some(value) = checked(reader, &key, setting, &node) {
        keys.insert(key, value);
    }
}

fn headers(reader: &mut DocumentReader, node: DocumentNode, keys: &mut BTreeMap<String, String>) {
    let location = node.location;
    let entries = Fields::open(reader, "headers", node).map(Fields::into_entries).unwrap_or_default();
    if entries.len() > MAX_HEADERS {
        reader.error(location, format!("headers has {} entries", entries.len()), format!("keep it to {MAX_HEADERS}"));
        return;
    }
    for entry in entries {
        if !crate::mcp::is_header(&entry.key) {
            let hint = "use letters, digits and dashes, such as X-Team";
            reader.error(entry.location, format!("a header cannot be named {:?}", entry.key), hint);
        } else if let Some(LocatedValue { value, .. }) = text(reader, "a header", &entry.node) {
            keys.insert(format!("{PROVIDER_HEADER_PREFIX}{}", entry.key), value);
        }
    }
}

/// The value as text, if it is valid for this setting.
fn checked(reader: &mut DocumentReader, key: &str, setting: ProviderSetting, node: &DocumentNode) -> Option<String> {
    let LocatedValue { location, value } = match setting {
        ProviderSetting::Concurrency | ProviderSetting::PerMinute => {
            return reader.integer(key, node, 1, MAX_COUNT).map(|count| count.to_string());
        }
        _ => text(reader, key, node)?,
    };
    match setting {
        ProviderSetting::Kind if ProviderKind::parse(&value, None).is_none() => {
            let kinds = PROVIDER_KINDS.map(|kind| kind.rules().name);
            reader.error(location, "kind is not a supported protocol", format!("choose one of: {}", kinds.join(", ")));
            None
        }
        ProviderSetting::FirstByteTimeout | ProviderSetting::IdleTimeout | ProviderSetting::ConnectTimeout => {
            let good = duration(&value).is_some_and(|time| PROVIDER_TIMEOUT_LIMIT.contains(&time));
            if !good {
                reader.error(location, format!("{key} is not a time from 10ms to 1h"), "write it as 500ms, 30s or 5m");
            }
            good.then_some(value)
        }
        _ => Some(value),
    }
}

/// Text that may be a secret or a reference to one.
fn text(reader: &mut DocumentReader, subject: &str, node: &DocumentNode) -> Option<LocatedValue<String>> {
    let location = node.location;
    let value = match &node.value {
        NodeValue::Text(text) => text.trim().to_owned(),
        NodeValue::Number(_) | NodeValue::Bool(_) => node.to_json().to_string(),
        _ => return reader.report_expected(subject, "text", node),
    };
    if value.len() > MAX_VALUE || value.contains(char::is_control) {
        reader.error(location, format!("{subject} is too long or has control characters"), "write it on one line");
        return None;
    }
    if value.starts_with("op://") {
        let hint = "put the secret into a variable, as `op run` does, and write env://NAME";
        reader.error(location, format!("{subject} is in a vault that Baton cannot open"), hint);
        return None;
    }
    if value.strip_prefix("env://").is_some_and(|name| !super::variables::is_variable(name)) {
        reader.error(
            location,
            format!("{subject} does not name a variable"),
            "write env://NAME with letters, digits and _",
        );
        return None;
    }
    Some(LocatedValue { location, value })
}

fn is_id(id: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&id.len()) && id.chars().all(allowed)
}
