//! The key `peers`: remote agents.

mod credential;

#[cfg(test)]
pub(in crate::config) use credential::KEY_PLACES;

use super::{
    auth::check_web_url,
    lists::{checked_texts, nodes},
};
use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue};
use baton_outbound::AddressPolicy;
use baton_peers::{BindingChoice, ClientIdentity, PeerConfig};
use baton_types::is_agent_name;
use std::{collections::BTreeSet, path::Path, time::Duration};

pub(in crate::config) const MAX_PEERS: usize = 256;
pub(in crate::config) const MAX_HOSTS: usize = 64;
pub(in crate::config) const MAX_SIGNERS: usize = 64;
const MIN_UNREACHABLE_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_UNREACHABLE_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// Names of bindings in the file.
pub(in crate::config) const BINDINGS: [(&str, BindingChoice); 3] =
    [("jsonrpc", BindingChoice::JsonRpc), ("http+json", BindingChoice::HttpJson), ("grpc", BindingChoice::Grpc)];

/// All peers of a file.
pub(super) fn read(reader: &mut DocumentReader, fields: &mut Fields) -> Vec<PeerConfig> {
    let mut seen = BTreeSet::new();
    let nodes = nodes(reader, fields, "peers", MAX_PEERS);
    nodes.into_iter().filter_map(|node| peer(reader, node, &mut seen)).collect()
}

fn peer(reader: &mut DocumentReader, node: DocumentNode, seen: &mut BTreeSet<String>) -> Option<PeerConfig> {
    let location = node.location;
    let mut fields = Fields::open(reader, "a peer", node)?;
    let name = fields.required_text(reader, "name", "write its local name, such as weather");
    let url =
        fields.required_text(reader, "url", "write the URL of its agent card, such as https://weather.example.com");
    let binding = fields.take("binding").and_then(|node| reader.choice("binding", &node, &BINDINGS));
    let credential = credential::read(reader, &mut fields);
    let client_identity = client_identity(reader, &mut fields);
    let hosts = checked_texts(reader, &mut fields, "hosts", MAX_HOSTS, check_host);
    let allow = checked_texts(reader, &mut fields, "allow", MAX_HOSTS, |entry| {
        AddressPolicy::allowing([entry]).map(drop).map_err(|error| error.problem.to_string())
    });
    let signers = checked_texts(reader, &mut fields, "signers", MAX_SIGNERS, |_| Ok(()));
    let mut switch = |key| fields.take(key).and_then(|node| reader.boolean(key, &node)).unwrap_or_default();
    let (require_signature, listed, push) = (switch("require_signature"), switch("listed"), switch("push"));
    let patience = fields
        .take("patience")
        .and_then(|node| reader.duration("patience", &node, MIN_UNREACHABLE_TIMEOUT, MAX_UNREACHABLE_TIMEOUT));
    fields.finish(reader);
    if require_signature && signers.is_empty() {
        let hint = "list the keys that you trust under signers; `baton agents show URL` shows the signer";
        reader.error(location, "a peer requires a signature but lists no signers", hint);
    }
    let (name, url) = (name?, url?);
    check_name(reader, &name, seen);
    if let Err(hint) = check_web_url(&url.value) {
        reader.error(url.location, format!("'{}' is not a web address", url.value.escape_debug()), hint);
    }
    let usual = PeerConfig::at(url.value);
    Some(PeerConfig {
        name: Some(name.value.into()),
        binding,
        credential,
        client_identity,
        hosts,
        allow,
        signers,
        require_signature,
        listed,
        push,
        patience: patience.unwrap_or(usual.patience),
        ..usual
    })
}

/// Certificate and key files (PEM) for peers that require client certificates.
fn client_identity(reader: &mut DocumentReader, fields: &mut Fields) -> Option<ClientIdentity> {
    let location = fields.location;
    let certificate = fields.text(reader, "client_cert").map(|text| text.value.into());
    let key = fields.text(reader, "client_key").map(|text| text.value.into());
    match (certificate, key) {
        (Some(certificate), Some(key)) => Some(ClientIdentity { certificate, key }),
        (None, None) => None,
        (Some(_), None) => {
            reader.error(location, "a peer has client_cert but no client_key", "add client_key");
            None
        }
        (None, Some(_)) => {
            reader.error(location, "a peer has client_key but no client_cert", "add client_cert");
            None
        }
    }
}

/// The peer with relative paths resolved against `base`.
pub(in crate::config) fn below(peer: PeerConfig, base: &Path) -> PeerConfig {
    let file =
        |files: ClientIdentity| ClientIdentity { certificate: base.join(files.certificate), key: base.join(files.key) };
    PeerConfig {
        credential: credential::below(peer.credential, base),
        client_identity: peer.client_identity.map(file),
        ..peer
    }
}

fn check_name(reader: &mut DocumentReader, name: &LocatedValue<String>, seen: &mut BTreeSet<String>) {
    if !is_agent_name(&name.value) {
        let message = format!("'{}' is not a name for an agent", name.value.escape_debug());
        reader.error(name.location, message, "use lower-case letters, digits and dashes, such as my-agent");
    }
    if !seen.insert(name.value.clone()) {
        reader.error(name.location, format!("the peer '{}' is listed twice", name.value), "rename one of them");
    }
}

/// Checks a host with an optional port.
fn check_host(text: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
    let good = !text.is_empty() && text.chars().all(plain) && check_web_url(&format!("https://{text}")).is_ok();
    if good { Ok(()) } else { Err("write a host, such as api.example.com or api.example.com:8443".to_owned()) }
}
