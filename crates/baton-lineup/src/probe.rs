//! Servers of models on this machine.

use baton_ports::BoxFuture;
use baton_providers::{Patience, Provider, ProviderKind};
use std::time::Duration;

/// How long a server on this machine may take to say what it has.
pub const PROBE_LIMIT: Duration = Duration::from_millis(300);

/// A kind of server that people run on their machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Server {
    /// Ollama.
    Ollama,
    /// llama.cpp's, or another one at its port.
    LlamaServer,
    /// LM Studio's.
    LmStudio,
}

impl Server {
    /// Every kind, in the order in which they are preferred.
    pub const ALL: [Self; 3] = [Self::Ollama, Self::LlamaServer, Self::LmStudio];

    /// Where it is unless somebody says otherwise.
    pub fn usual(self) -> &'static str {
        match self {
            Self::Ollama => "http://127.0.0.1:11434",
            Self::LlamaServer => "http://127.0.0.1:8080/v1",
            Self::LmStudio => "http://127.0.0.1:1234/v1",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::LlamaServer => "llama-server",
            Self::LmStudio => "LM Studio",
        }
    }
}

/// A model that such a server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedModel {
    /// What it is asked for by.
    pub id: String,
}

/// Looks whether a server is there; a test brings its own answers.
pub trait Probe: Send + Sync + 'static {
    /// Its models; none when nobody answers in time.
    fn models(&self, server: Server, url: String) -> BoxFuture<'_, Option<Vec<ServedModel>>>;
}

/// Looks at this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loopback;

impl Probe for Loopback {
    fn models(&self, server: Server, url: String) -> BoxFuture<'_, Option<Vec<ServedModel>>> {
        Box::pin(async move {
            let kind = if server == Server::Ollama { ProviderKind::Ollama } else { ProviderKind::Compatible };
            let patience = Patience { first: PROBE_LIMIT, next: PROBE_LIMIT, ..Patience::default() };
            let provider = Provider::new(kind, server.title()).with_base_url(&url).with_patience(patience);
            let listed = tokio::time::timeout(PROBE_LIMIT, provider.list()).await.ok()?.ok()?;
            Some(listed.into_iter().map(|model| ServedModel { id: model.id }).collect())
        })
    }
}
