//! `baton.yaml` as written: typed values, unknown keys reported, no defaults yet.

mod a2a;
mod auth;
mod export;
mod limits;
mod lists;
mod models;
mod money;
mod peer;
mod push;
mod responses;
mod secret;
mod telemetry;
mod tempo;

pub(crate) use a2a::Extension;
#[cfg(test)]
pub(super) use a2a::MAX_EXTENSIONS;
pub(super) use a2a::{MissingVersionPolicy, RawA2a};
#[cfg(test)]
pub(super) use auth::{ALGORITHMS, MAX_ISSUERS, MAX_ORIGINS, MAX_SCOPES};
pub(crate) use auth::{CardAccess, MetricsAccess};
pub(super) use auth::{RawAuth, RawTls};
#[cfg(test)]
pub(super) use export::MAX_TARGETS;
pub(super) use export::{RawExport, RawTarget};
#[cfg(test)]
pub(super) use limits::{MAX_BODY_BYTES, MAX_CONNECTIONS, MAX_REQUEST_RATE, MAX_RETENTION_DAYS};
pub(super) use limits::{RawLimits, RawRetention};
#[cfg(test)]
pub(super) use models::MAX_FALLBACKS;
pub(super) use models::{RawModels, is_model_name};
pub(crate) use money::{Budgets, Price};
#[cfg(test)]
pub(super) use money::{MAX_BUDGET, MAX_ENTRIES, MAX_PRICE};
pub(super) use peer::below as peer_below;
#[cfg(test)]
pub(super) use peer::{BINDINGS, KEY_PLACES, MAX_HOSTS, MAX_PEERS, MAX_SIGNERS};
#[cfg(test)]
pub(super) use push::MAX_ALLOW_ENTRIES;
pub(super) use push::RawPush;
pub(super) use responses::RawResponses;
pub(crate) use secret::resolve_secret_path;
#[cfg(test)]
pub(super) use telemetry::MAX_STORE_BYTES;
pub(super) use telemetry::RawTelemetry;
pub(super) use tempo::RawTempo;
#[cfg(test)]
pub(super) use tempo::TEMPO_MODES;

use self::lists::texts;
use baton_document::{Diagnostic, DocumentNode, DocumentReader, Fields};
use baton_peers::PeerConfig;
use baton_types::ToolExecution;

/// The file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RawConfig {
    pub(super) port: Option<u16>,
    pub(super) host: Option<String>,
    pub(super) data: Option<String>,
    pub(super) public_url: Option<String>,
    pub(super) allow_hosts: Vec<String>,
    pub(super) tools: Option<ToolExecution>,
    pub(super) agents: Vec<String>,
    pub(super) new_agents: Option<String>,
    pub(super) limits: RawLimits,
    pub(super) retention: RawRetention,
    pub(super) a2a: RawA2a,
    pub(super) push: RawPush,
    pub(super) auth: RawAuth,
    pub(super) tls: RawTls,
    pub(super) cors: Vec<String>,
    pub(super) peers: Vec<PeerConfig>,
    pub(super) telemetry: RawTelemetry,
    pub(super) prices: Vec<Price>,
    pub(super) budgets: Budgets,
    pub(super) models: RawModels,
    pub(super) responses: RawResponses,
}

impl RawConfig {
    /// Parses the whole file, or returns all its errors.
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Self, Vec<Diagnostic>> {
        let node = baton_document::read(file, bytes).map_err(|diagnostic| vec![diagnostic])?;
        let mut reader = DocumentReader::new(file);
        let config = Self::read(&mut reader, node).unwrap_or_default();
        let failed = reader.has_errors();
        let diagnostics = reader.finish();
        if failed { Err(diagnostics) } else { Ok(config) }
    }

    fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "the configuration", node)?;
        let execution = [("agent", ToolExecution::Agent), ("caller", ToolExecution::Caller)];
        let port = fields.take("port").and_then(|node| reader.integer("port", &node, 0, u64::from(u16::MAX)));
        let text =
            |fields: &mut Fields, reader: &mut DocumentReader, key| fields.text(reader, key).map(|text| text.value);
        let config = Self {
            port: port.and_then(|port| u16::try_from(port).ok()),
            host: text(&mut fields, reader, "host"),
            data: text(&mut fields, reader, "data"),
            public_url: text(&mut fields, reader, "public_url"),
            allow_hosts: texts(reader, &mut fields, "allow_hosts"),
            tools: fields.take("tools").and_then(|node| reader.choice("tools", &node, &execution)),
            agents: texts(reader, &mut fields, "agents"),
            new_agents: text(&mut fields, reader, "new_agents"),
            limits: fields.take("limits").and_then(|node| RawLimits::read(reader, node)).unwrap_or_default(),
            retention: fields.take("retention").and_then(|node| RawRetention::read(reader, node)).unwrap_or_default(),
            a2a: fields.take("a2a").and_then(|node| RawA2a::read(reader, node)).unwrap_or_default(),
            push: fields.take("push").and_then(|node| RawPush::read(reader, node)).unwrap_or_default(),
            auth: fields.take("auth").and_then(|node| RawAuth::read(reader, node)).unwrap_or_default(),
            tls: fields.take("tls").and_then(|node| RawTls::read(reader, node)).unwrap_or_default(),
            cors: fields.take("cors").map(|node| auth::cors(reader, node)).unwrap_or_default(),
            peers: peer::read(reader, &mut fields),
            telemetry: fields.take("telemetry").and_then(|node| RawTelemetry::read(reader, node)).unwrap_or_default(),
            prices: fields.take("prices").map(|node| money::prices(reader, node)).unwrap_or_default(),
            budgets: fields.take("budgets").and_then(|node| Budgets::read(reader, node)).unwrap_or_default(),
            models: RawModels::read(reader, &mut fields),
            responses: fields.take("responses").and_then(|node| RawResponses::read(reader, node)).unwrap_or_default(),
        };
        fields.finish(reader);
        Some(config)
    }
}

/// A file that uses every key.
#[cfg(test)]
pub(super) const FULL_FILE: &str = "port: 9000\nhost: 127.0.0.2\ndata: state\n\
    public_url: https://agents.example.com\nallow_hosts: [studio.local]\ntools: caller\nagents: [a, b]\nnew_agents: made\n\
    limits: { body_bytes: 1MB, max_connections: 10, max_streams: 5, principal_share: 40, requests_per_second: 20, burst: 40 }\n\
    retention: { days: 30, keep: 1000 }\n\
    responses: { default_agent: weather, strict_model: true, mcp_servers: false, mcp_allow: [10.0.0.0/8] }\n\
    a2a: { streaming: false, push: false, extended_card: false, version: strict, answer: both, stream_text: chunks, \
    bindings: [grpc, rest], \
    extensions: [{ uri: \"urn:example:audit\", description: Leaves a trail., required: true }] }\n\
    push: { allow: [\"127.0.0.0/8\", \"*.corp.example\"], deadline: 2h }\n\
    auth: { required: true, cards: private, metrics: public, \
    issuers: [{ issuer: \"https://login.example.com\", audience: baton, \
    jwks_url: \"https://login.example.com/keys\", tenant: acme, algorithms: [ES256], scopes: [\"call:weather\"], \
    scope_claim: scp }] }\n\
    tls: { cert: cert.pem, key: key.pem, client_ca: ca.pem }\ncors: { origins: [\"https://app.example.com\"] }\n\
    telemetry: { enabled: false, service_name: team, project: checkout, emit_mode: otel, schema: latest, \
    capture_content: true, \
    retention: { age: 7d, bytes: 2GB }, tempo: { url: \"http://tempo.internal:3200\", mode: tempo, hot: 30m, \
    tenant: team-a, bearer: \"env://TEMPO_TOKEN\", basic: null, headers: { X-Team: a, X-Key: \"file://key\" } }, \
    export: { enabled: true, bytes: 1GB, targets: [{ name: collector, endpoint: \"https://c.example.com:4318\", \
    protocol: http/json, compression: none, headers: { X-Key: \"env://KEY\" }, timeout: 5s, certificate: ca.pem, \
    client_cert: me.pem, client_key: me.key, signals: [traces, logs], content: true }] } }\n\
    prices: { sonnet: { input: 3.0, output: 15, cached: 0.3, cache_write: 3.75 }, local: { input: 0, output: 0 } }\n\
    model: openai:gpt-5-mini\nfallbacks: [\"ollama:llama3.2\", playbook]\nembeddings: openai:text-embedding-3-small\n\
    production: true\nproviders: { openai: { api_key: \"env://KEY\", rpm: 60 } }\n\
    budgets: { day: 5.0, month: 100, agents: { planner: 20 }, projects: { checkout: 12.5 } }\n\
    peers:\n\
    - { name: everything, url: \"https://weather.example.com\", binding: grpc, bearer: \"env://TOKEN\", \
    client_cert: me.pem, client_key: me.key, hosts: [\"api.example.com:8443\"], allow: [\"10.0.0.0/8\"], \
    signers: [k1], require_signature: true, listed: true, push: true, patience: 5m }\n\
    - { name: keyed, url: \"https://a.example.com\", api_key: { in: query, name: key, secret: \"file://key.txt\" } }\n\
    - { name: named, url: \"https://b.example.com\", basic: { user: me, secret: \"env://PASSWORD\" } }\n\
    - { name: asked, url: \"https://c.example.com\", oauth2: { token_url: \"https://login.example.com/token\", \
    client_id: baton, secret: \"env://CLIENT_SECRET\", scopes: [agents], audience: agents } }\n";

#[cfg(test)]
mod tests {
    use super::*;
    use baton_peers::{
        ApiKeyLocation, BindingChoice, ClientCredentials, ClientIdentity, ClientSecretLocation, Credential, SecretRef,
    };
    use baton_server::{HeaderText, TempoMode};
    use baton_types::{A2aSettings, AnswerPlacement, TextDelivery};
    use baton_wire::a2a::v1::CardBinding;
    use std::time::Duration;

    fn dollars(dollars: f64) -> crate::money::Money {
        crate::money::Money::from_dollars(dollars, MAX_BUDGET).expect("an amount")
    }

    fn secret(text: &str) -> SecretRef {
        text.parse().expect("a reference")
    }

    fn peers() -> Vec<PeerConfig> {
        let plain = |name: &str, url: &str, credential| PeerConfig {
            name: Some(name.into()),
            credential,
            ..PeerConfig::at(url)
        };
        let keyed = Credential::ApiKey {
            place: ApiKeyLocation::Query,
            name: "key".to_owned(),
            secret: secret("file://key.txt"),
        };
        let named = Credential::Basic { user: "me".to_owned(), secret: secret("env://PASSWORD") };
        let asked = Credential::OAuth2(ClientCredentials {
            token_url: "https://login.example.com/token".to_owned(),
            client_id: "baton".to_owned(),
            secret: secret("env://CLIENT_SECRET"),
            scopes: vec!["agents".to_owned()],
            audience: Some("agents".to_owned()),
            secret_place: ClientSecretLocation::Header,
        });
        let everything = PeerConfig {
            binding: Some(BindingChoice::Grpc),
            client_identity: Some(ClientIdentity { certificate: "me.pem".into(), key: "me.key".into() }),
            hosts: vec!["api.example.com:8443".to_owned()],
            allow: vec!["10.0.0.0/8".to_owned()],
            signers: vec!["k1".to_owned()],
            require_signature: true,
            listed: true,
            push: true,
            patience: Duration::from_secs(300),
            ..plain("everything", "https://weather.example.com", Credential::Bearer(secret("env://TOKEN")))
        };
        vec![
            everything,
            plain("keyed", "https://a.example.com", keyed),
            plain("named", "https://b.example.com", named),
            plain("asked", "https://c.example.com", asked),
        ]
    }

    #[test]
    fn a_full_file() {
        let expect = RawConfig {
            port: Some(9000),
            host: Some("127.0.0.2".to_owned()),
            data: Some("state".to_owned()),
            public_url: Some("https://agents.example.com".to_owned()),
            allow_hosts: vec!["studio.local".to_owned()],
            tools: Some(ToolExecution::Caller),
            agents: vec!["a".to_owned(), "b".to_owned()],
            new_agents: Some("made".to_owned()),
            limits: RawLimits {
                body_bytes: Some(1 << 20),
                max_connections: Some(10),
                max_streams: Some(5),
                principal_share: Some(40),
                requests_per_second: Some(20),
                burst: Some(40),
            },
            retention: RawRetention { days: Some(30), keep: Some(1000) },
            a2a: RawA2a {
                streaming: Some(false),
                push: Some(false),
                extended_card: Some(false),
                version: Some(MissingVersionPolicy::Strict),
                settings: A2aSettings { answer: Some(AnswerPlacement::Both), stream_text: Some(TextDelivery::Chunks) },
                bindings: Some(vec![CardBinding::Grpc, CardBinding::Rest]),
                extensions: vec![Extension {
                    uri: "urn:example:audit".to_owned(),
                    description: "Leaves a trail.".to_owned(),
                    required: true,
                }],
            },
            push: RawPush {
                allow: vec!["127.0.0.0/8".to_owned(), "*.corp.example".to_owned()],
                deadline: Some(Duration::from_secs(7200)),
            },
            auth: RawAuth {
                required: Some(true),
                cards: Some(CardAccess::Private),
                metrics: Some(MetricsAccess::Public),
                issuers: vec![baton_server::IssuerConfig {
                    issuer: "https://login.example.com".to_owned(),
                    audience: vec!["baton".to_owned()],
                    jwks_url: Some("https://login.example.com/keys".to_owned()),
                    tenant: Some("acme".to_owned()),
                    algorithms: vec![baton_server::Algorithm::Es256],
                    scopes: vec!["call:weather".to_owned()],
                    scope_claim: Some("scp".to_owned()),
                }],
            },
            tls: RawTls {
                cert: Some("cert.pem".to_owned()),
                key: Some("key.pem".to_owned()),
                client_ca: Some("ca.pem".to_owned()),
            },
            cors: vec!["https://app.example.com".to_owned()],
            peers: peers(),
            telemetry: RawTelemetry {
                enabled: Some(false),
                service_name: Some("team".to_owned()),
                project: Some("checkout".to_owned()),
                emit_mode: Some(baton_telemetry::EmitMode::Otel),
                schema: Some(baton_telemetry::Schema::Latest),
                capture_content: Some(true),
                retention: telemetry::RawSpanRetention {
                    age: Some(Duration::from_secs(7 * 24 * 60 * 60)),
                    bytes: Some(2 << 30),
                },
                tempo: RawTempo {
                    url: Some("http://tempo.internal:3200".to_owned()),
                    mode: Some(TempoMode::Tempo),
                    hot: Some(Duration::from_secs(30 * 60)),
                    tenant: Some("team-a".to_owned()),
                    credential: baton_peers::Credential::Bearer("env://TEMPO_TOKEN".parse().expect("a reference")),
                    headers: vec![
                        ("X-Team".to_owned(), HeaderText::Plain("a".to_owned())),
                        ("X-Key".to_owned(), HeaderText::Secret("file://key".parse().expect("a reference"))),
                    ],
                },
                export: RawExport {
                    enabled: Some(true),
                    bytes: Some(1 << 30),
                    targets: vec![RawTarget {
                        name: "collector".to_owned(),
                        endpoint: "https://c.example.com:4318".to_owned(),
                        protocol: Some(baton_server::export::OtlpProtocol::Json),
                        compression: Some(baton_server::export::Compression::None),
                        headers: vec![("X-Key".to_owned(), HeaderText::Secret("env://KEY".parse().expect("one")))],
                        timeout: Some(Duration::from_secs(5)),
                        certificate: Some("ca.pem".to_owned()),
                        client: Some(("me.pem".to_owned(), "me.key".to_owned())),
                        signals: vec![baton_server::export::Signal::Traces, baton_server::export::Signal::Logs],
                        content: Some(true),
                    }],
                },
            },
            prices: vec![
                Price {
                    model: "sonnet".to_owned(),
                    input: dollars(3.0),
                    output: dollars(15.0),
                    cached: Some(dollars(0.3)),
                    cache_write: Some(dollars(3.75)),
                },
                Price {
                    model: "local".to_owned(),
                    input: dollars(0.0),
                    output: dollars(0.0),
                    cached: None,
                    cache_write: None,
                },
            ],
            budgets: Budgets {
                day: Some(dollars(5.0)),
                month: Some(dollars(100.0)),
                agents: vec![("planner".to_owned(), dollars(20.0))],
                projects: vec![("checkout".to_owned(), dollars(12.5))],
            },
            models: RawModels {
                model: Some("openai:gpt-5-mini".to_owned()),
                fallbacks: vec!["ollama:llama3.2".to_owned(), "playbook".to_owned()],
                providers: vec![baton_types::ProviderEntry {
                    id: "openai".to_owned(),
                    keys: [("api_key", "env://KEY"), ("rpm", "60")]
                        .map(|(key, value)| (key.to_owned(), value.to_owned()))
                        .into(),
                }],
                embeddings: Some("openai:text-embedding-3-small".to_owned()),
                production: Some(true),
            },
            responses: RawResponses {
                default_agent: Some("weather".to_owned()),
                strict_model: Some(true),
                mcp_servers: Some(false),
                mcp_allow: vec!["10.0.0.0/8".to_owned()],
            },
        };
        assert_eq!(RawConfig::parse("baton.yaml", FULL_FILE.as_bytes()), Ok(expect));
        assert_eq!(RawConfig::parse("baton.yaml", b"# nothing yet\n"), Ok(RawConfig::default()));
    }
}
