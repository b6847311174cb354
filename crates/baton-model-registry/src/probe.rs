//! Model servers on this machine.

use baton_ports::BoxFuture;
use baton_providers::{Provider, ProviderTimeouts};
use baton_types::ProviderKind;
use std::time::Duration;

/// Timeout for listing the models of a server on this machine.
pub const PROBE_TIMEOUT: Duration = Duration::from_millis(300);

/// A kind of local model server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalServer {
    /// Ollama.
    Ollama,
    /// The llama.cpp server, or another server on its port.
    LlamaServer,
    /// LM Studio.
    LmStudio,
}

impl LocalServer {
    /// All kinds, in order of preference.
    pub const ALL: [Self; 3] = [Self::Ollama, Self::LlamaServer, Self::LmStudio];

    /// Default address.
    pub fn default_address(self) -> &'static str {
        match self {
            Self::Ollama => "http://127.0.0.1:11434",
            Self::LlamaServer => "http://127.0.0.1:8080/v1",
            Self::LmStudio => "http://127.0.0.1:1234/v1",
        }
    }

    /// Protocol.
    pub fn kind(self) -> ProviderKind {
        match self {
            Self::Ollama => ProviderKind::Ollama,
            Self::LlamaServer | Self::LmStudio => ProviderKind::Compatible,
        }
    }

    /// Display name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::LlamaServer => "llama-server",
            Self::LmStudio => "LM Studio",
        }
    }
}

/// A model of a local server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedModel {
    /// Model id in requests.
    pub id: String,
}

/// Lists the models of local servers; replaceable in tests.
pub trait LocalServerProbe: Send + Sync + 'static {
    /// Models of the server; `None` if it does not respond in time.
    fn models(&self, server: LocalServer, url: String) -> BoxFuture<'_, Option<Vec<ServedModel>>>;
}

/// Probes the servers of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoopbackProbe;

impl LocalServerProbe for LoopbackProbe {
    fn models(&self, server: LocalServer, url: String) -> BoxFuture<'_, Option<Vec<ServedModel>>> {
        Box::pin(async move {
            let timeouts =
                ProviderTimeouts { first_byte: PROBE_TIMEOUT, idle: PROBE_TIMEOUT, ..ProviderTimeouts::default() };
            let provider = Provider::new(server.kind(), server.title()).with_base_url(&url).with_timeouts(timeouts);
            let listed = tokio::time::timeout(PROBE_TIMEOUT, provider.list()).await.ok()?.ok()?;
            Some(listed.into_iter().map(|model| ServedModel { id: model.id }).collect())
        })
    }
}
