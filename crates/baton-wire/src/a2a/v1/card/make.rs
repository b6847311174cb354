//! Builds cards from an agent definition.

use super::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentProvider, AgentSkill, HttpAuthSecurityScheme,
    INPUT_MODES, OpenIdConnectSecurityScheme, Scopes, SecurityRequirement, SecurityScheme,
};
use crate::a2a::v1::{
    GENERATION, IDEMPOTENCY, PROTOCOL_VERSION, STREAM_TEXT, TOOL_CALLS, TOOL_EXECUTION,
    extension::environment_extension,
};
use baton_types::{AgentSpec, SkillSpec};

/// The older version that is served in parallel, at the same addresses.
const OLD_VERSION: &str = "0.3";

/// A protocol binding that cards can list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardBinding {
    /// JSON-RPC.
    JsonRpc,
    /// HTTP+JSON.
    Rest,
    /// gRPC.
    Grpc,
}

impl CardBinding {
    /// Bindings that a card lists by default. gRPC is excluded: its address is `host:port`, and widely used clients
    /// reject every card with an address that is not a URL.
    pub const DEFAULT: [Self; 2] = [Self::JsonRpc, Self::Rest];
    /// All bindings.
    pub const ALL: [Self; 3] = [Self::JsonRpc, Self::Rest, Self::Grpc];

    /// `protocolBinding` of an interface.
    const fn protocol_name(self) -> &'static str {
        match self {
            Self::JsonRpc => "JSONRPC",
            Self::Rest => "HTTP+JSON",
            Self::Grpc => "GRPC",
        }
    }
}

/// Endpoints of an agent and the features offered there.
#[derive(Clone, Debug, Default)]
pub struct CardOptions<'a> {
    /// Base URL of JSON-RPC and HTTP+JSON, without a trailing slash.
    pub url: String,
    /// Bindings that the card lists, preferred first.
    pub bindings: &'a [CardBinding],
    /// gRPC endpoint, if enabled.
    pub grpc: Option<GrpcEndpoint>,
    /// Whether streaming is supported.
    pub streaming: bool,
    /// Whether push notifications are supported.
    pub push: bool,
    /// Whether there is an extended card.
    pub extended_card: bool,
    /// Extensions in addition to Baton's own; an entry with the same URI replaces Baton's.
    pub extensions: &'a [AgentExtension],
    /// Issuers whose tokens are accepted in addition to local ones; `None` if no authentication is required.
    pub issuers: Option<Vec<String>>,
    /// URL of the agent's Environment, if it has one.
    pub environment: Option<String>,
}

/// gRPC endpoint of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrpcEndpoint {
    /// `host:port`.
    pub authority: String,
    /// Distinguishes the agents on one port.
    pub tenant: Option<String>,
    /// Whether the 0.3 service reaches this agent. Version 0.3 has no tenants, so it can serve only one agent.
    pub with_v03: bool,
}

impl AgentCard {
    /// The public card of an agent.
    pub fn from_spec(agent: &AgentSpec, options: &CardOptions<'_>) -> Self {
        Self {
            name: agent.title.clone(),
            description: agent.description.clone(),
            supported_interfaces: interfaces(options),
            provider: agent.about.provider.as_ref().map(|provider| AgentProvider {
                url: provider.url.clone(),
                organization: provider.organization.clone(),
            }),
            documentation_url: agent.about.documentation_url.clone(),
            icon_url: agent.about.icon_url.clone(),
            version: agent.version.clone(),
            capabilities: AgentCapabilities {
                streaming: Some(options.streaming),
                push_notifications: Some(options.push),
                extensions: extensions(options),
                extended_agent_card: Some(options.extended_card),
            },
            default_input_modes: agent.input_modes.clone(),
            default_output_modes: INPUT_MODES.map(str::to_owned).to_vec(),
            skills: agent.skills.iter().map(AgentSkill::from).collect(),
            ..Self::default()
        }
        .with_security(options.issuers.as_deref())
    }

    /// The same card with only the interfaces of 1.0.
    #[must_use]
    pub fn without_older_interfaces(mut self) -> Self {
        self.supported_interfaces.retain(|interface| !is_older(interface));
        self
    }

    /// Whether the card lists an interface of a version before 1.0.
    pub fn has_older_interface(&self) -> bool {
        self.supported_interfaces.iter().any(is_older)
    }

    /// Adds the authentication schemes: a local token, or a token of an issuer.
    fn with_security(mut self, issuers: Option<&[String]>) -> Self {
        let Some(issuers) = issuers else { return self };
        let bearer = HttpAuthSecurityScheme {
            description: Some("A token from `baton token create` or from one of the issuers.".to_owned()),
            scheme: "Bearer".to_owned(),
            bearer_format: None,
        };
        let bearer = SecurityScheme { http_auth_security_scheme: Some(bearer), ..SecurityScheme::default() };
        let connect = issuers.iter().enumerate().map(|(index, issuer)| {
            let discovery = OpenIdConnectSecurityScheme {
                description: None,
                open_id_connect_url: format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/')),
            };
            let scheme =
                SecurityScheme { open_id_connect_security_scheme: Some(discovery), ..SecurityScheme::default() };
            (format!("issuer{}", index + 1), scheme)
        });
        self.security_schemes = std::iter::once(("bearer".to_owned(), bearer)).chain(connect).collect();
        let needs = |name: &String| SecurityRequirement {
            schemes: [(name.clone(), Scopes { list: vec!["call".to_owned()] })].into(),
        };
        self.security_requirements = self.security_schemes.keys().map(needs).collect();
        self
    }

    /// The public card, with an additional skill per tool and per handoff target.
    pub fn extended(agent: &AgentSpec, options: &CardOptions<'_>) -> Self {
        let tools = agent.tools.iter().map(|tool| skill("tool", &tool.name, &tool.description));
        let handoffs = agent.handoffs.iter().map(|to| skill("handoff", to.agent.as_str(), &to.description));
        let mut card = Self::from_spec(agent, options);
        card.skills.extend(tools.chain(handoffs));
        card
    }
}

/// Whether an interface uses version 0.3 or older.
pub(in crate::a2a) fn is_older(interface: &AgentInterface) -> bool {
    interface.protocol_version.is_empty() || interface.protocol_version.starts_with("0.")
}

fn interfaces(options: &CardOptions<'_>) -> Vec<AgentInterface> {
    let versions = [PROTOCOL_VERSION, OLD_VERSION];
    let listed =
        versions.into_iter().flat_map(|version| options.bindings.iter().map(move |binding| (version, *binding)));
    listed.filter_map(|(version, binding)| interface(options, version, binding)).collect()
}

/// The interface of one binding in one version, if available.
fn interface(options: &CardOptions<'_>, version: &str, binding: CardBinding) -> Option<AgentInterface> {
    let (url, tenant) = match binding {
        CardBinding::JsonRpc | CardBinding::Rest => (&options.url, None),
        CardBinding::Grpc => {
            let grpc = options.grpc.as_ref()?;
            match version {
                PROTOCOL_VERSION => (&grpc.authority, grpc.tenant.clone()),
                _ if grpc.with_v03 => (&grpc.authority, None),
                _ => return None,
            }
        }
    };
    Some(AgentInterface {
        url: url.clone(),
        protocol_binding: binding.protocol_name().to_owned(),
        tenant,
        protocol_version: version.to_owned(),
    })
}

fn extensions(options: &CardOptions<'_>) -> Vec<AgentExtension> {
    let added = options.extensions;
    let own = [
        (
            TOOL_EXECUTION,
            "The caller selects where tools run: message metadata {\"<this uri>\": {\"toolExecution\": \"caller\"}} \
             returns tool calls as input-required data parts.",
        ),
        (
            IDEMPOTENCY,
            "Idempotent send: message metadata {\"<this uri>\": {\"key\": \"...\"}}, or the message id as the key.",
        ),
        (
            GENERATION,
            "Tasks and events carry the task's number of changes in metadata {\"<this uri>\": {\"generation\": 5}}; \
             message metadata {\"<this uri>\": {\"ifGenerationMatch\": 5}} makes a send conditional on it.",
        ),
        (STREAM_TEXT, "Streams contain text while it is generated, as artifact chunks, then the complete artifact."),
        (
            TOOL_CALLS,
            "Streams contain the tool calls that the agent runs, as a tool_calls data part in the message of a \
             working status.",
        ),
    ];
    let own = own.into_iter().map(|(uri, description)| AgentExtension {
        uri: uri.to_owned(),
        description: description.to_owned(),
        ..AgentExtension::default()
    });
    let own = own.chain(options.environment.as_deref().map(environment_extension));
    let own = own.filter(|own| added.iter().all(|extension| extension.uri != own.uri));
    own.chain(added.iter().cloned()).collect()
}

/// A skill for a tool or handoff target. The description must not be empty.
fn skill(noun: &str, name: &str, description: &str) -> AgentSkill {
    AgentSkill {
        id: format!("{noun}:{name}"),
        name: name.to_owned(),
        description: if description.is_empty() { name } else { description }.to_owned(),
        tags: vec![noun.to_owned()],
        ..AgentSkill::default()
    }
}

impl From<&SkillSpec> for AgentSkill {
    fn from(skill: &SkillSpec) -> Self {
        Self {
            id: skill.id.clone(),
            name: skill.name.clone(),
            description: skill.description.clone(),
            tags: skill.tags.clone(),
            examples: skill.examples.clone(),
            ..Self::default()
        }
    }
}
