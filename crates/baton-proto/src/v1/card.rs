//! Agent cards.

use super::pb;
use crate::{
    card::same,
    fault::{ConversionResult, FieldContext, WireConvert, convert, each, each_entry, maybe},
    scalar::filled,
};
use baton_wire::a2a::v1 as wire;

convert! { in_answer:
    pb::AgentCard, wire::AgentCard, wire::AgentCard;
}

impl WireConvert<wire::AgentCard> for pb::AgentCard {
    fn convert(self) -> ConversionResult<wire::AgentCard> {
        Ok(wire::AgentCard {
            name: self.name,
            description: self.description,
            supported_interfaces: each(self.supported_interfaces, "supportedInterfaces")?,
            provider: maybe(self.provider, "provider")?,
            version: self.version,
            documentation_url: self.documentation_url,
            capabilities: maybe(self.capabilities, "capabilities")?.unwrap_or_default(),
            security_schemes: each_entry(self.security_schemes, "securitySchemes")?,
            security_requirements: each(self.security_requirements, "securityRequirements")?,
            default_input_modes: self.default_input_modes,
            default_output_modes: self.default_output_modes,
            skills: each(self.skills, "skills")?,
            signatures: each(self.signatures, "signatures")?,
            icon_url: self.icon_url,
        })
    }
}

impl WireConvert<pb::AgentCard> for wire::AgentCard {
    fn convert(self) -> ConversionResult<pb::AgentCard> {
        Ok(pb::AgentCard {
            name: self.name,
            description: self.description,
            supported_interfaces: each(self.supported_interfaces, "supportedInterfaces")?,
            provider: maybe(self.provider, "provider")?,
            version: self.version,
            documentation_url: self.documentation_url,
            capabilities: Some(self.capabilities.convert().at("capabilities")?),
            security_schemes: each_entry(self.security_schemes, "securitySchemes")?,
            security_requirements: each(self.security_requirements, "securityRequirements")?,
            default_input_modes: self.default_input_modes,
            default_output_modes: self.default_output_modes,
            skills: each(self.skills, "skills")?,
            signatures: each(self.signatures, "signatures")?,
            icon_url: self.icon_url,
        })
    }
}

same!(AgentInterface, AgentInterface { url protocol_binding protocol_version } { tenant });

impl WireConvert<wire::AgentCapabilities> for pb::AgentCapabilities {
    fn convert(self) -> ConversionResult<wire::AgentCapabilities> {
        Ok(wire::AgentCapabilities {
            streaming: self.streaming,
            push_notifications: self.push_notifications,
            extensions: each(self.extensions, "extensions")?,
            extended_agent_card: self.extended_agent_card,
        })
    }
}

impl WireConvert<pb::AgentCapabilities> for wire::AgentCapabilities {
    fn convert(self) -> ConversionResult<pb::AgentCapabilities> {
        Ok(pb::AgentCapabilities {
            streaming: self.streaming,
            push_notifications: self.push_notifications,
            extensions: each(self.extensions, "extensions")?,
            extended_agent_card: self.extended_agent_card,
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
            security_requirements: each(self.security_requirements, "securityRequirements")?,
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
            security_requirements: each(self.security_requirements, "securityRequirements")?,
        })
    }
}
