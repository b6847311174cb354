//! Options of the A2A surface.

use baton_types::A2aSettings;
use baton_wire::a2a::v1::{AgentExtension, CardBinding};
use std::time::Duration;

/// Offered A2A features, as listed in cards.
#[derive(Clone, Debug)]
pub struct A2aOptions {
    /// Whether replies and tasks can be streamed.
    pub streaming: bool,
    /// Whether push notifications are supported.
    pub push: bool,
    /// Whether an extended card is available.
    pub extended_card: bool,
    /// Interpretation of a request without a version.
    pub version_rule: VersionRule,
    /// Bindings in cards, preferred first. All bindings are served.
    pub bindings: Vec<CardBinding>,
    /// Extensions in addition to Baton's own. Clients must name the required ones.
    pub extensions: Vec<AgentExtension>,
    /// Default reply settings for agents without their own.
    pub settings: A2aSettings,
    /// Whether Environments are served; cards then contain their addresses.
    pub environments: bool,
    /// Maximum wait for a task change.
    pub max_poll_wait: Duration,
}

impl Default for A2aOptions {
    fn default() -> Self {
        Self {
            streaming: true,
            push: true,
            extended_card: true,
            version_rule: VersionRule::default(),
            bindings: CardBinding::DEFAULT.to_vec(),
            extensions: Vec::new(),
            settings: A2aSettings::default(),
            environments: false,
            max_poll_wait: Duration::from_secs(30),
        }
    }
}

/// Interpretation of a request without the `A2A-Version` header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VersionRule {
    /// By method name: a 1.0 method name means 1.0, because hand-written requests often omit the header.
    #[default]
    ByMethod,
    /// Always 0.3, as the specification requires; 1.0 method names are rejected.
    Strict,
}
