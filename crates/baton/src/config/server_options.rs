//! Options of the server from the effective settings.

use super::{
    BatonSettings,
    access::Auth,
    export::without_own_routes,
    raw::{CardAccess, Extension, MetricsAccess, Price},
    resolve::A2a,
};
use crate::{commands::reap, log};
use baton_server::{
    A2aOptions, AgentOptions, CardRefresh, IdentityOptions, IssuerConfig, ListenerOptions, Management, ModelOptions,
    PeerOptions, Persistence, PlaybookMode, ServerOptions, TelemetryOptions, TokenRates, ToolOptions, VersionRule,
    process_environment,
};
use baton_wire::a2a::v1::AgentExtension;
use std::net::SocketAddr;

/// Default scope of callers with a token of an issuer.
const DEFAULT_SCOPE: &str = "call";

impl BatonSettings {
    /// A server with all agents, and all data in the data directory.
    pub(crate) fn server_options(&self) -> ServerOptions {
        ServerOptions {
            persistence: Persistence::Directory(self.data.clone()),
            lost_journal: self.lost_journal,
            agents: self.agent_options(),
            management: Management::Enabled,
            peers: self.peer_options(),
            models: self.model_options(),
            tools: ToolOptions {
                functions: None,
                reaper: reap::command(),
                caller_servers: self.caller_server_allow.clone(),
            },
            push: self.push.clone(),
            telemetry: TelemetryOptions {
                export: without_own_routes(&self.telemetry.export, SocketAddr::new(self.host, self.port)),
                ..self.telemetry.clone()
            },
            log_queue: Some(log::log_queue().clone()),
            retention: self.retention,
            listener: ListenerOptions {
                public_url: self.public_url.clone(),
                allow_hosts: self.allow_hosts.clone(),
                cors_origins: self.cors.clone(),
                tls: self.tls.clone(),
                identity: IdentityOptions { rate_limit: self.rate, ..identity(&self.auth) },
                limits: self.limits,
                a2a: a2a_options(&self.a2a),
                responses: self.responses.clone(),
            },
        }
    }

    /// All local agents.
    pub(crate) fn agent_options(&self) -> AgentOptions {
        AgentOptions { folder: self.new_agents.clone(), ..self.named_agent_options() }
    }

    /// The agents of the paths in the settings, without the folder for new agents.
    pub(crate) fn named_agent_options(&self) -> AgentOptions {
        AgentOptions {
            paths: self.agents.clone(),
            names: Some(self.data.clone()),
            tool_execution: self.tools,
            ..AgentOptions::default()
        }
    }

    /// Configured and added peers.
    pub(crate) fn peer_options(&self) -> PeerOptions {
        PeerOptions {
            configured: self.peers.clone(),
            directory: Some(self.data.clone()),
            card_refresh: CardRefresh::Periodic,
        }
    }

    /// Models, with keys from the environment.
    pub(crate) fn model_options(&self) -> ModelOptions {
        ModelOptions {
            settings: self.models.clone(),
            prices: self.prices.iter().map(|price| (price.model.clone(), rates(price))).collect(),
            environment: process_environment(),
            playbook: PlaybookMode::Lenient,
        }
    }
}

fn rates(price: &Price) -> TokenRates {
    TokenRates {
        input: price.input.dollars(),
        output: price.output.dollars(),
        cached: price.cached.unwrap_or(price.input).dollars(),
        cache_write: price.cache_write.unwrap_or(price.input).dollars(),
    }
}

fn identity(auth: &Auth) -> IdentityOptions {
    IdentityOptions {
        required: auth.required,
        issuers: auth.issuers.iter().map(with_scopes).collect(),
        private_cards: auth.cards == CardAccess::Private,
        public_metrics: auth.metrics == MetricsAccess::Public,
        ..IdentityOptions::default()
    }
}

fn with_scopes(config: &IssuerConfig) -> IssuerConfig {
    let scopes = match config.scopes.is_empty() {
        true => vec![DEFAULT_SCOPE.to_owned()],
        false => config.scopes.clone(),
    };
    IssuerConfig { scopes, ..config.clone() }
}

fn a2a_options(a2a: &A2a) -> A2aOptions {
    let extension = |configured: &Extension| AgentExtension {
        uri: configured.uri.clone(),
        description: configured.description.clone(),
        required: configured.required,
        ..AgentExtension::default()
    };
    A2aOptions {
        streaming: a2a.streaming,
        push: a2a.push,
        extended_card: a2a.extended_card,
        version_rule: if a2a.strict_version { VersionRule::Strict } else { VersionRule::ByMethod },
        bindings: a2a.bindings.clone(),
        extensions: a2a.extensions.iter().map(extension).collect(),
        settings: a2a.settings,
        ..A2aOptions::default()
    }
}
