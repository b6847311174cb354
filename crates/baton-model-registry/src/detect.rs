//! Detection of models when none is configured: environment variables first, then servers on this machine.

use crate::{
    EnvironmentVariables, LocalServer, LocalServerProbe, ServedModel, keys::pair_sources, resolve::SettingSources,
};
use baton_types::{AgentResources, CredentialRule, KnownProvider, PROVIDERS, ProviderKind, ProviderSetting};
use futures_util::future::join_all;

/// Model families with reliable tool calling.
const TOOL_CALLING_FAMILIES: [&str; 12] = [
    "llama3.1",
    "llama3.2",
    "llama3.3",
    "llama4",
    "qwen2.5",
    "qwen3",
    "mistral",
    "gpt-oss",
    "command-r",
    "granite",
    "deepseek",
    "glm",
];

/// A model that can be selected automatically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCandidate {
    /// As `provider:model`.
    pub model: String,
    /// Source: names of variables or a server; never a value.
    pub source: String,
    /// Address of the server, if it runs on this machine and no variable names it.
    pub base_url: Option<String>,
}

/// Model servers that responded on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DetectedServers {
    servers: Vec<(LocalServer, String, Vec<ServedModel>)>,
}

/// Queries the model servers of this machine concurrently.
pub async fn detect_servers(environment: &EnvironmentVariables, probe: &dyn LocalServerProbe) -> DetectedServers {
    let probes = LocalServer::ALL.map(|server| async move {
        let url = match server {
            LocalServer::Ollama => environment.get("OLLAMA_HOST").map(|host| with_scheme(&host)),
            _ => None,
        };
        let url = url.unwrap_or_else(|| server.default_address().to_owned());
        let models = probe.models(server, url.clone()).await?;
        Some((server, url, models))
    });
    let answers = join_all(probes).await;
    let has_models = |(_, _, models): &(LocalServer, String, Vec<ServedModel>)| !models.is_empty();
    DetectedServers { servers: answers.into_iter().flatten().filter(has_models).collect() }
}

/// `OLLAMA_HOST` is often a bare host; a listen address is replaced by a loopback address.
fn with_scheme(host: &str) -> String {
    let host = host.trim_end_matches('/').replacen("0.0.0.0", "127.0.0.1", 1);
    if host.contains("://") {
        return host;
    }
    if host.contains(':') { format!("http://{host}") } else { format!("http://{host}:11434") }
}

/// Available models for an agent with these resources, in order of preference; excludes the playbook.
pub fn candidates(
    resources: &AgentResources,
    environment: &EnvironmentVariables,
    found: &DetectedServers,
) -> Vec<ModelCandidate> {
    let get = |name: &str| {
        let own = resources.variables.0.get(name).filter(|value| !value.trim().is_empty());
        own.cloned().or_else(|| environment.get(name))
    };
    let named = |known: &'static KnownProvider, setting| known.variables(setting).find(|name| get(name).is_some());
    let mut all = Vec::new();
    for known in &PROVIDERS {
        let Some(kind) = known.backend.protocol() else { continue };
        let source = match kind.rules().credentials {
            CredentialRule::KeyOrKeyPair => signer_source(known, kind, resources, environment),
            CredentialRule::Key => named(known, ProviderSetting::ApiKey).map(str::to_owned),
            CredentialRule::Optional => None,
        };
        if let (Some(source), Some(model)) = (source, known.model) {
            let address = named(known, ProviderSetting::BaseUrl);
            let source = address.map_or_else(|| source.clone(), |address| format!("{source}, {address}"));
            all.push(ModelCandidate { model: format!("{}:{model}", known.id), source, base_url: None });
        }
    }
    for (server, url, models) in &found.servers {
        let Some(model) = best_model(models) else { continue };
        let (provider, base_url) = match server {
            LocalServer::Ollama => ("ollama", Some(url.clone())),
            LocalServer::LlamaServer | LocalServer::LmStudio => ("docker", Some(url.clone())),
        };
        let source = format!("{} answers at {}", server.title(), without_login(url));
        all.push(ModelCandidate { model: format!("{provider}:{model}"), source, base_url });
    }
    all
}

/// The variables of a provider with signed requests: a key, or a key pair or profile together with a region. Without a
/// region, such a pair on a machine usually serves another purpose.
fn signer_source(
    known: &'static KnownProvider,
    kind: ProviderKind,
    resources: &AgentResources,
    environment: &EnvironmentVariables,
) -> Option<String> {
    let variables = SettingSources {
        known: Some(known),
        agent: None,
        baton_yaml: None,
        resources,
        environment,
        uses_environment: true,
    };
    let keys = variables.keys(kind).ok()?;
    if let Some(key) = keys.key {
        return Some(key.source);
    }
    let (pair, region) = (keys.pair?, variables.find(ProviderSetting::Region).ok()??);
    Some(format!("{}, {}", pair_sources(&pair).join(", "), region.source))
}

/// An address without user name and password.
fn without_login(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
            format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or_default())
        }
        None => url.to_owned(),
    }
}

/// The first model with reliable tool calling, otherwise the first chat model.
fn best_model(models: &[ServedModel]) -> Option<&str> {
    let is_for_chat = |id: &str| !["embed", "rerank", "whisper", "tts"].iter().any(|word| id.contains(word));
    let mut usable = models.iter().map(|model| model.id.as_str()).filter(|id| is_for_chat(&id.to_lowercase()));
    let calls = |id: &&str| TOOL_CALLING_FAMILIES.iter().any(|family| id.to_lowercase().contains(family));
    let first = usable.clone().next();
    usable.find(calls).or(first)
}
