//! Merges command line, environment and file into the effective settings.

use super::{
    access::{AccessOverrides, Auth, rate_limit},
    export::export_settings,
    find,
    models::ModelOverrides,
    raw::{Budgets, Extension, MissingVersionPolicy, Price, RawA2a, RawConfig, RawTelemetry, peer_below},
    tempo::tempo_server,
};
use crate::{error_codes, failure::CliError};
use baton_outbound::AddressPolicy;
use baton_peers::PeerConfig;
use baton_server::{
    CorsOrigins, ListenerLimits, LostJournal, ModelSettings, PushOptions, RateLimit, ResponsesOptions,
    RetentionOptions, TelemetryOptions, TlsFiles,
};
use baton_types::{A2aSettings, ErrorCode, ToolExecution};
use baton_wire::a2a::v1::CardBinding;
use std::{
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    time::Duration,
};

/// Default port of the server.
const DEFAULT_PORT: u16 = 8700;
const DEFAULT_DATA: &str = ".baton";

/// Values of flags and environment variables; `None` means: use the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfigOverrides {
    pub(crate) config: Option<PathBuf>,
    pub(crate) port: Option<u16>,
    pub(crate) host: Option<String>,
    pub(crate) data: Option<PathBuf>,
    pub(crate) public_url: Option<String>,
    pub(crate) allow_hosts: Vec<String>,
    pub(crate) tools: Option<ToolExecution>,
    pub(crate) agents: Vec<PathBuf>,
    pub(crate) push_allow: Vec<String>,
    pub(crate) access: AccessOverrides,
    pub(crate) models: ModelOverrides,
}

/// The effective settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatonSettings {
    pub(crate) host: IpAddr,
    pub(crate) port: u16,
    pub(crate) data: PathBuf,
    /// Treatment of a lost journal.
    pub(crate) lost_journal: LostJournal,
    pub(crate) public_url: Option<String>,
    pub(crate) allow_hosts: Vec<String>,
    /// Where tools run, for all agents; the setting of each agent if not given.
    pub(crate) tools: Option<ToolExecution>,
    pub(crate) agents: Vec<PathBuf>,
    /// The folder for agents that are created at runtime.
    pub(crate) new_agents: Option<PathBuf>,
    pub(crate) limits: ListenerLimits,
    pub(crate) retention: Option<RetentionOptions>,
    pub(crate) a2a: A2a,
    pub(crate) responses: ResponsesOptions,
    /// Private addresses allowed for MCP servers of requests; `None` disables such servers.
    pub(crate) caller_server_allow: Option<Vec<String>>,
    pub(crate) push: PushOptions,
    pub(crate) auth: Auth,
    pub(crate) tls: Option<TlsFiles>,
    /// Origins of web pages that may call the server.
    pub(crate) cors: CorsOrigins,
    /// Rate limit per caller; unlimited if not given.
    pub(crate) rate: Option<RateLimit>,
    /// Remote agents.
    pub(crate) peers: Vec<PeerConfig>,
    /// Telemetry of this server.
    pub(crate) telemetry: TelemetryOptions,
    /// Model prices.
    pub(crate) prices: Vec<Price>,
    /// Spending budgets.
    pub(crate) budgets: Budgets,
    /// Default model, fallbacks and providers.
    pub(crate) models: ModelSettings,
}

/// A2A features that are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct A2a {
    pub(crate) streaming: bool,
    pub(crate) push: bool,
    pub(crate) extended_card: bool,
    /// Whether a request without a version means 0.3, regardless of its method.
    pub(crate) strict_version: bool,
    /// The bindings that cards list, preferred first.
    pub(crate) bindings: Vec<CardBinding>,
    pub(crate) extensions: Vec<Extension>,
    /// Placement of answers, for agents without a setting.
    pub(crate) settings: A2aSettings,
}

impl ConfigOverrides {
    /// Reads the file, if there is one, and merges it with these values.
    pub(crate) fn resolve(self) -> Result<BatonSettings, CliError> {
        let (file, raw) = find::load_config(self.config.as_deref(), &self.agents)?;
        let base = file.parent().unwrap_or(Path::new("")).to_path_buf();
        self.merge(raw, &base)
    }

    /// Like `resolve`, without a file.
    pub(crate) fn without_file(self) -> Result<BatonSettings, CliError> {
        self.merge(RawConfig::default(), Path::new(""))
    }

    /// Paths of the file are relative to its directory `base`.
    fn merge(self, raw: RawConfig, base: &Path) -> Result<BatonSettings, CliError> {
        let count = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
        let agents = match (self.agents.is_empty(), raw.agents.is_empty()) {
            (false, _) => self.agents,
            (true, false) => raw.agents.iter().map(|path| base.join(path)).collect(),
            (true, true) => vec![PathBuf::from(".")],
        };
        let retention = match (raw.retention.days, raw.retention.keep) {
            (None, None) => None,
            (days, keep) => {
                Some(RetentionOptions { age: days.map(|days| Duration::from_secs(days * 24 * 60 * 60)), keep })
            }
        };
        let auth = self.access.auth(raw.auth);
        Ok(BatonSettings {
            host: match self.host.or(raw.host) {
                Some(host) => parse_host(&host)?,
                None => IpAddr::V4(Ipv4Addr::LOCALHOST),
            },
            port: self.port.or(raw.port).unwrap_or(DEFAULT_PORT),
            data: self.data.or(raw.data.map(|data| base.join(data))).unwrap_or_else(|| DEFAULT_DATA.into()),
            lost_journal: LostJournal::Reject,
            public_url: match self.public_url.or(raw.public_url) {
                Some(url) => Some(parse_public_url(&url)?),
                None => None,
            },
            allow_hosts: if self.allow_hosts.is_empty() { raw.allow_hosts } else { self.allow_hosts },
            tools: self.tools.or(raw.tools),
            agents,
            new_agents: raw.new_agents.map(|folder| base.join(folder)),
            limits: ListenerLimits {
                body_bytes: raw.limits.body_bytes,
                max_connections: count(raw.limits.max_connections),
                max_streams: count(raw.limits.max_streams),
                principal_share: raw.limits.principal_share.and_then(|share| u8::try_from(share).ok()),
            },
            retention,
            a2a: a2a(raw.a2a),
            responses: ResponsesOptions {
                default_agent: raw.responses.default_agent.map(Into::into),
                strict_model: raw.responses.strict_model.unwrap_or_default(),
            },
            caller_server_allow: raw.responses.mcp_servers.unwrap_or(true).then_some(raw.responses.mcp_allow),
            push: PushOptions {
                allow: if self.push_allow.is_empty() { raw.push.allow } else { check_push_allow(self.push_allow)? },
                deadline: raw.push.deadline,
            },
            rate: rate_limit(&raw.limits, &auth),
            tls: self.access.tls(raw.tls, base)?,
            cors: self.access.cors(raw.cors, &auth)?,
            telemetry: telemetry(raw.telemetry, base),
            prices: raw.prices,
            budgets: raw.budgets,
            models: self.models.merge(raw.models, |name| std::env::var(name).ok())?,
            auth,
            peers: raw.peers.into_iter().map(|peer| peer_below(peer, base)).collect(),
        })
    }
}

fn telemetry(mut raw: RawTelemetry, base: &Path) -> TelemetryOptions {
    let tempo = tempo_server(std::mem::take(&mut raw.tempo), base, |name| std::env::var(name).ok());
    let export = export_settings(std::mem::take(&mut raw.export), base, |name| std::env::var(name).ok());
    let (age, bytes) = (raw.retention.age, raw.retention.bytes);
    let mut settings = baton_telemetry::TelemetrySettings::default();
    raw.apply_to(&mut settings);
    for remark in settings.apply_variables(|name| std::env::var(name).ok()) {
        tracing::warn!("{remark}");
    }
    let max_bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
    TelemetryOptions { settings, max_age: age, max_bytes, tempo, export }
}

fn a2a(raw: RawA2a) -> A2a {
    A2a {
        streaming: raw.streaming.unwrap_or(true),
        push: raw.push.unwrap_or(true),
        extended_card: raw.extended_card.unwrap_or(true),
        strict_version: raw.version == Some(MissingVersionPolicy::Strict),
        bindings: raw.bindings.unwrap_or_else(|| CardBinding::DEFAULT.to_vec()),
        extensions: raw.extensions,
        settings: raw.settings,
    }
}

/// Validates entries of the command line; those of the file are validated when it is parsed.
fn check_push_allow(entries: Vec<String>) -> Result<Vec<String>, CliError> {
    match AddressPolicy::allowing(&entries) {
        Ok(_) => Ok(entries),
        Err(error) => Err(CliError::new(error_codes::USAGE, format!("--push-allow: {error}"))),
    }
}

fn parse_host(host: &str) -> Result<IpAddr, CliError> {
    if host.eq_ignore_ascii_case("localhost") {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    host.trim_matches(['[', ']']).parse().map_err(|_| {
        CliError::new(ErrorCode::CONFIG_INVALID, format!("'{host}' is not an address to listen on"))
            .hint("Give an IP address such as 127.0.0.1 as --host; names belong in --allow-host or --public-url.")
    })
}

fn parse_public_url(url: &str) -> Result<String, CliError> {
    if url.starts_with("http://") || url.starts_with("https://") {
        return Ok(url.trim_end_matches('/').to_owned());
    }
    Err(CliError::new(ErrorCode::CONFIG_INVALID, format!("the public URL '{url}' is not a web address"))
        .hint("Write the full URL, such as https://agents.example.com."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_peers::{ClientIdentity, Credential};

    fn settings(chosen: ConfigOverrides, yaml: &str) -> BatonSettings {
        let raw = RawConfig::parse("baton.yaml", yaml.as_bytes()).expect("valid");
        chosen.merge(raw, Path::new("etc")).expect("resolves")
    }

    #[test]
    fn the_conformance_profiles() {
        let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/conformance");
        let profile = |file: &str| {
            let text = std::fs::read_to_string(Path::new(examples).join(file)).expect("the profile exists");
            settings(ConfigOverrides::default(), &text)
        };
        let (main, plain) = (profile("baton.yaml"), profile("no-streaming.yaml"));
        assert_eq!((main.a2a.streaming, main.a2a.push, main.push.allow.is_empty()), (true, true, false));
        assert_eq!((plain.a2a.streaming, plain.a2a.push), (false, false));
        // Conformance suites use all three bindings and find them in the card.
        for file in ["baton.yaml", "no-streaming.yaml", "required-extension.yaml"] {
            assert_eq!(profile(file).a2a.bindings, CardBinding::ALL, "{file}");
        }
        let required = profile("required-extension.yaml").a2a.extensions;
        let named: Vec<_> = required.iter().map(|extension| (extension.uri.as_str(), extension.required)).collect();
        assert_eq!(named, [("urn:a2a:tck:required-extension", true)]);
    }

    #[test]
    fn flag_over_file_over_default() {
        let defaults = settings(ConfigOverrides::default(), "");
        assert_eq!((defaults.port, defaults.data.as_path()), (8700, Path::new(".baton")));
        assert_eq!((defaults.agents, defaults.retention), (vec![PathBuf::from(".")], None));

        let offered = A2a {
            streaming: true,
            push: true,
            extended_card: true,
            strict_version: false,
            extensions: Vec::new(),
            settings: A2aSettings::default(),
            bindings: vec![CardBinding::JsonRpc, CardBinding::Rest],
        };
        assert_eq!((defaults.a2a, defaults.push), (offered, PushOptions::default()));

        let yaml = "port: 9000\ndata: state\nagents: [one]\ntools: caller\nretention: { days: 2 }\n\
            a2a: { push: false, version: strict }\npush: { allow: [hooks.internal], deadline: 90s }\n";
        let file = settings(ConfigOverrides::default(), yaml);
        assert_eq!((file.port, file.data.as_path()), (9000, Path::new("etc/state")));
        assert_eq!((file.agents, file.tools), (vec![PathBuf::from("etc/one")], Some(ToolExecution::Caller)));
        assert_eq!(file.retention, Some(RetentionOptions { age: Some(Duration::from_secs(172_800)), keep: None }));
        assert_eq!((file.a2a.streaming, file.a2a.push, file.a2a.strict_version), (true, false, true));
        let push = PushOptions { allow: vec!["hooks.internal".to_owned()], deadline: Some(Duration::from_secs(90)) };
        assert_eq!(file.push, push);

        let flags = ConfigOverrides {
            port: Some(0),
            data: Some("here".into()),
            agents: vec!["two".into()],
            tools: Some(ToolExecution::Agent),
            push_allow: vec!["127.0.0.1".to_owned(), "::1".to_owned()],
            ..ConfigOverrides::default()
        };
        let flags = settings(flags, yaml);
        assert_eq!((flags.port, flags.data.as_path()), (0, Path::new("here")));
        assert_eq!((flags.agents, flags.tools), (vec![PathBuf::from("two")], Some(ToolExecution::Agent)));
        assert_eq!(flags.push.allow, ["127.0.0.1", "::1"]);
        let wrong = ConfigOverrides { push_allow: vec!["http://127.0.0.1".to_owned()], ..ConfigOverrides::default() };
        assert!(wrong.merge(RawConfig::default(), Path::new("")).is_err());
    }

    #[test]
    fn authentication_sets_the_default_rate_limit() {
        let chosen = |access| ConfigOverrides { access, ..ConfigOverrides::default() };
        let rate = |per_second, burst| Some(RateLimit { per_second, burst });
        for (flag, yaml, required, expect) in [
            (None, "", false, None),
            (None, "limits: { requests_per_second: 5 }\n", false, rate(5, 20)),
            (None, "auth: { required: true }\n", true, rate(50, 200)),
            (Some(true), "", true, rate(50, 200)),
            (Some(true), "limits: { requests_per_second: 5, burst: 6 }\n", true, rate(5, 6)),
            (Some(true), "limits: { burst: 6 }\n", true, rate(50, 6)),
            (Some(false), "auth: { required: true }\n", false, None),
        ] {
            let held = settings(chosen(AccessOverrides { auth: flag, ..AccessOverrides::default() }), yaml);
            assert_eq!((held.auth.required, held.rate), (required, expect), "{flag:?} {yaml}");
        }

        let yaml = "tls: { cert: c.pem, key: k.pem, client_ca: ca.pem }\ncors: { origins: [\"https://a.example\"] }\n\
            peers: [{ name: p, url: \"https://p.example\", bearer: \"file://t\", client_cert: c, client_key: /k }]\n";
        let file = settings(ConfigOverrides::default(), yaml);
        let tls = |cert: &str, key: &str, ca: &str| {
            Some(TlsFiles { cert: cert.into(), key: key.into(), client_ca: Some(ca.into()) })
        };
        assert_eq!(file.tls, tls("etc/c.pem", "etc/k.pem", "etc/ca.pem"));
        let cors = |origin: &str| CorsOrigins::parse(&[origin], false).expect("an origin");
        assert_eq!(file.cors, cors("https://a.example"));
        let peer = &file.peers[0];
        assert_eq!(peer.credential, Credential::Bearer("file://etc/t".parse().expect("a reference")));
        let files = ClientIdentity { certificate: "etc/c".into(), key: "/k".into() };
        assert_eq!(peer.client_identity, Some(files));
        let flags = AccessOverrides {
            tls_key: Some("mine.pem".into()),
            cors_origins: vec!["http://localhost:5173".to_owned()],
            ..AccessOverrides::default()
        };
        let flags = settings(chosen(flags), yaml);
        assert_eq!(flags.tls, tls("etc/c.pem", "mine.pem", "etc/ca.pem"));
        assert_eq!(flags.cors, cors("http://localhost:5173"));
        let half = AccessOverrides { tls_cert: Some("c.pem".into()), ..AccessOverrides::default() };
        let page = AccessOverrides { cors_origins: vec!["*".to_owned()], ..AccessOverrides::default() };
        for wrong in [half, page] {
            assert!(chosen(wrong).merge(RawConfig::default(), Path::new("")).is_err());
        }
    }
}
