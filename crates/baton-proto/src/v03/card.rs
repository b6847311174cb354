//! Agent cards: one address with a preferred transport, and additional interfaces.

use super::pb;
use crate::{
    fault::{ConversionError, ConversionResult, FieldContext, WireConvert, convert, each, each_entry, maybe},
    scalar::filled,
};
use baton_wire::a2a::{
    v1 as wire,
    v03::{INTERFACE_VERSION, PROTOCOL_VERSION},
};

/// Default transport of a card.
const DEFAULT_TRANSPORT: &str = "JSONRPC";

convert! { in_answer:
    pb::AgentCard, wire::AgentCard, wire::AgentCard;
}

impl WireConvert<wire::AgentCard> for pb::AgentCard {
    fn convert(self) -> ConversionResult<wire::AgentCard> {
        let mut capabilities: wire::AgentCapabilities = maybe(self.capabilities, "capabilities")?.unwrap_or_default();
        capabilities.extended_agent_card = Some(self.supports_authenticated_extended_card);
        let version = match filled(self.protocol_version) {
            Some(other) if !other.starts_with("0.3.") => other,
            _ => INTERFACE_VERSION.to_owned(),
        };
        let interface = |url: String, transport: String| wire::AgentInterface {
            url,
            protocol_binding: filled(transport).unwrap_or_else(|| DEFAULT_TRANSPORT.to_owned()),
            tenant: None,
            protocol_version: version.clone(),
        };
        let mut supported_interfaces = vec![interface(self.url, self.preferred_transport)];
        for other in self.additional_interfaces {
            let other = interface(other.url, other.transport);
            // Cards repeat the preferred interface among the additional ones.
            if !supported_interfaces.contains(&other) {
                supported_interfaces.push(other);
            }
        }
        Ok(wire::AgentCard {
            name: self.name,
            description: self.description,
            supported_interfaces,
            provider: maybe(self.provider, "provider")?,
            version: self.version,
            documentation_url: filled(self.documentation_url),
            capabilities,
            security_schemes: each_entry(self.security_schemes, "securitySchemes")?,
            security_requirements: each(self.security, "security")?,
            default_input_modes: self.default_input_modes,
            default_output_modes: self.default_output_modes,
            skills: each(self.skills, "skills")?,
            signatures: each(self.signatures, "signatures")?,
            icon_url: filled(self.icon_url),
        })
    }
}

impl WireConvert<pb::AgentCard> for wire::AgentCard {
    fn convert(self) -> ConversionResult<pb::AgentCard> {
        let old = |interface: &wire::AgentInterface| {
            interface.protocol_version == INTERFACE_VERSION || interface.protocol_version.starts_with("0.3.")
        };
        let mut interfaces = self.supported_interfaces.into_iter().filter(old);
        let Some(preferred) = interfaces.next() else {
            return Err(ConversionError::new("no interface supports 0.3")).at("supportedInterfaces");
        };
        let other =
            |other: wire::AgentInterface| pb::AgentInterface { url: other.url, transport: other.protocol_binding };
        Ok(pb::AgentCard {
            protocol_version: PROTOCOL_VERSION.to_owned(),
            name: self.name,
            description: self.description,
            url: preferred.url,
            preferred_transport: preferred.protocol_binding,
            additional_interfaces: interfaces.map(other).collect(),
            provider: maybe(self.provider, "provider")?,
            version: self.version,
            documentation_url: self.documentation_url.unwrap_or_default(),
            supports_authenticated_extended_card: self.capabilities.extended_agent_card.unwrap_or_default(),
            capabilities: Some(self.capabilities.convert().at("capabilities")?),
            security_schemes: each_entry(self.security_schemes, "securitySchemes")?,
            security: each(self.security_requirements, "security")?,
            default_input_modes: self.default_input_modes,
            default_output_modes: self.default_output_modes,
            skills: each(self.skills, "skills")?,
            signatures: each(self.signatures, "signatures")?,
            icon_url: self.icon_url.unwrap_or_default(),
        })
    }
}

impl WireConvert<wire::AgentCapabilities> for pb::AgentCapabilities {
    fn convert(self) -> ConversionResult<wire::AgentCapabilities> {
        Ok(wire::AgentCapabilities {
            streaming: Some(self.streaming),
            push_notifications: Some(self.push_notifications),
            extensions: each(self.extensions, "extensions")?,
            extended_agent_card: None,
        })
    }
}

impl WireConvert<pb::AgentCapabilities> for wire::AgentCapabilities {
    fn convert(self) -> ConversionResult<pb::AgentCapabilities> {
        Ok(pb::AgentCapabilities {
            streaming: self.streaming.unwrap_or_default(),
            push_notifications: self.push_notifications.unwrap_or_default(),
            extensions: each(self.extensions, "extensions")?,
        })
    }
}

impl WireConvert<wire::AgentSkill> for pb::AgentSkill {
    fn convert(self) -> ConversionResult<wire::AgentSkill> {
        Ok(wire::AgentSkill {
            id: self.id,
            name: self.name,
            description: self.description,
            tags: self.tags,
            examples: self.examples,
            input_modes: self.input_modes,
            output_modes: self.output_modes,
            security_requirements: each(self.security, "security")?,
        })
    }
}

impl WireConvert<pb::AgentSkill> for wire::AgentSkill {
    fn convert(self) -> ConversionResult<pb::AgentSkill> {
        Ok(pb::AgentSkill {
            id: self.id,
            name: self.name,
            description: self.description,
            tags: self.tags,
            examples: self.examples,
            input_modes: self.input_modes,
            output_modes: self.output_modes,
            security: each(self.security_requirements, "security")?,
        })
    }
}
