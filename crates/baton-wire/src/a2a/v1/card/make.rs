//! The cards of a definition.

use super::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentProvider, AgentSkill, HttpAuthSecurityScheme,
    INPUT_MODES, OpenIdConnectSecurityScheme, Scopes, SecurityRequirement, SecurityScheme,
};
use crate::a2a::v1::{
    GENERATION, IDEMPOTENCY, PROTOCOL_VERSION, STREAM_TEXT, TOOL_CALLS, TOOL_EXECUTION, extension::environment,
};
use baton_types::{AgentSpec, SkillSpec};

/// The older version that is served beside the current one, at the same places.
const OLD_VERSION: &str = "0.3";

/// A binding that cards can list.
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
    /// The bindings that a card lists unless the configuration says otherwise. gRPC is not among them: its address is
    /// `host:port`, and widely used clients refuse every card with an address that is not a URL.
    pub const DEFAULT: [Self; 2] = [Self::JsonRpc, Self::Rest];
    /// Every binding.
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

/// Where an agent is served and what is offered there.
#[derive(Clone, Debug, Default)]
pub struct CardPlace<'a> {
    /// The base of JSON-RPC and HTTP+JSON, without a slash at its end.
    pub url: String,
    /// The bindings that the card lists, preferred first.
    pub bindings: &'a [CardBinding],
    /// Where gRPC is spoken, when it is.
    pub grpc: Option<GrpcPlace>,
    /// Whether the agent streams.
    pub streaming: bool,
    /// Whether the agent pushes.
    pub push: bool,
    /// Whether there is an extended card.
    pub extended_card: bool,
    /// Extensions beside Baton's own; one with the URI of an own one replaces it.
    pub extensions: &'a [AgentExtension],
    /// Issuers whose tokens callers may show besides those made here; nobody shows anything when not given.
    pub issuers: Option<Vec<String>>,
    /// Where the agent's Environment is, when it has one.
    pub environment: Option<String>,
}

/// Where gRPC is spoken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrpcPlace {
    /// `host:port`.
    pub authority: String,
    /// What tells the agents of one port apart.
    pub tenant: Option<String>,
    /// Whether the 0.3 service reaches this agent; it knows no tenants, so it can serve one agent only.
    pub with_v03: bool,
}

impl AgentCard {
    /// The public card of a definition.
    pub fn of(agent: &AgentSpec, place: &CardPlace<'_>) -> Self {
        Self {
            name: agent.title.clone(),
            description: agent.description.clone(),
            supported_interfaces: interfaces(place),
            provider: agent.about.provider.as_ref().map(|provider| AgentProvider {
                url: provider.url.clone(),
                organization: provider.organization.clone(),
            }),
            documentation_url: agent.about.documentation_url.clone(),
            icon_url: agent.about.icon_url.clone(),
            version: agent.version.clone(),
            capabilities: AgentCapabilities {
                streaming: Some(place.streaming),
                push_notifications: Some(place.push),
                extensions: extensions(place),
                extended_agent_card: Some(place.extended_card),
            },
            default_input_modes: agent.input_modes.clone(),
            default_output_modes: INPUT_MODES.map(str::to_owned).to_vec(),
            skills: agent.skills.iter().map(AgentSkill::from).collect(),
            ..Self::default()
        }
        .secured(place.issuers.as_deref())
    }

    /// The same card with the interfaces of 1.0 only.
    #[must_use]
    pub fn without_older_interfaces(mut self) -> Self {
        self.supported_interfaces.retain(|interface| !is_older(interface));
        self
    }

    /// Whether the card lists an interface of a version before 1.0.
    pub fn has_older_interface(&self) -> bool {
        self.supported_interfaces.iter().any(is_older)
    }

    /// Says what callers have to show: a token made here, or one of an issuer.
    fn secured(mut self, issuers: Option<&[String]>) -> Self {
        let Some(issuers) = issuers else { return self };
        let bearer = HttpAuthSecurityScheme {
            description: Some("A token of `baton token create`, or of one of the issuers.".to_owned()),
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

    /// The public card, with a skill for each tool of the agent and for each agent that it may hand work to.
    pub fn extended(agent: &AgentSpec, place: &CardPlace<'_>) -> Self {
        let tools = agent.tools.iter().map(|tool| skill("tool", &tool.name, &tool.description));
        let handoffs = agent.handoffs.iter().map(|to| skill("handoff", to.agent.as_str(), &to.description));
        let mut card = Self::of(agent, place);
        card.skills.extend(tools.chain(handoffs));
        card
    }
}

/// Whether an interface speaks 0.3 or something older.
pub(in crate::a2a) fn is_older(interface: &AgentInterface) -> bool {
    interface.protocol_version.is_empty() || interface.protocol_version.starts_with("0.")
}

fn interfaces(place: &CardPlace<'_>) -> Vec<AgentInterface> {
    let versions = [PROTOCOL_VERSION, OLD_VERSION];
    let listed = versions.into_iter().flat_map(|version| place.bindings.iter().map(move |binding| (version, *binding)));
    listed.filter_map(|(version, binding)| interface(place, version, binding)).collect()
}

/// The interface of one binding in one version, if the agent is reached that way.
fn interface(place: &CardPlace<'_>, version: &str, binding: CardBinding) -> Option<AgentInterface> {
    let (url, tenant) = match binding {
        CardBinding::JsonRpc | CardBinding::Rest => (&place.url, None),
        CardBinding::Grpc => {
            let grpc = place.grpc.as_ref()?;
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

fn extensions(place: &CardPlace<'_>) -> Vec<AgentExtension> {
    let added = place.extensions;
    let own = [
        (
            TOOL_EXECUTION,
            "The caller chooses who runs tools: message metadata {\"<this uri>\": {\"toolExecution\": \"caller\"}} \
             returns tool calls as input-required data parts.",
        ),
        (
            IDEMPOTENCY,
            "A send that is repeated has no second effect: message metadata {\"<this uri>\": {\"key\": \"...\"}}, or \
             the message's own id as the key.",
        ),
        (
            GENERATION,
            "Tasks and events say how often the task changed, in metadata {\"<this uri>\": {\"generation\": 5}}; \
             message metadata {\"<this uri>\": {\"ifGenerationMatch\": 5}} sends only if nothing changed since.",
        ),
        (STREAM_TEXT, "Streams show text while it is written, as artifact chunks, and then the whole artifact."),
        (
            TOOL_CALLS,
            "Streams show tool calls that the agent runs itself, as a tool_calls data part in the message of a \
             working status.",
        ),
    ];
    let own = own.into_iter().map(|(uri, description)| AgentExtension {
        uri: uri.to_owned(),
        description: description.to_owned(),
        ..AgentExtension::default()
    });
    let own = own.chain(place.environment.as_deref().map(environment));
    let own = own.filter(|own| added.iter().all(|extension| extension.uri != own.uri));
    own.chain(added.iter().cloned()).collect()
}

/// A skill for something that the agent can reach; a card must not say nothing about it.
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
