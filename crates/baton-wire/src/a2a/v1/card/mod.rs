//! Agent cards.

mod make;
mod model;
mod payload;
mod security;

pub(in crate::a2a) use make::is_older;
pub use make::{CardBinding, CardOptions, GrpcEndpoint};
pub use model::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentProvider, AgentSkill,
};
pub use payload::candidate_payloads;
pub(in crate::a2a) use payload::{SIGNATURES, without_empty};
pub use security::{
    ApiKeySecurityScheme, AuthorizationCodeFlow, ClientCredentialsFlow, DeviceCodeFlow, HttpAuthSecurityScheme,
    ImplicitFlow, MutualTlsSecurityScheme, OAuth2SecurityScheme, OAuthFlows, OpenIdConnectSecurityScheme, PasswordFlow,
    Scopes, SecurityRequirement, SecurityScheme,
};

/// MIME types that every Baton agent produces, and accepts by default.
pub const INPUT_MODES: [&str; 2] = baton_types::AgentSpec::DEFAULT_INPUT_MODES;
