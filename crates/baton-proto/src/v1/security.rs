//! Authentication schemes and the common parts of a card.

use super::pb::{self, o_auth_flows::Flow};
use crate::{
    card::{card_pieces, same},
    fault::{ConversionResult, FieldContext, WireConvert, at_most_one, each_entry, maybe},
    scalar::{filled, object, read_object},
};
use baton_wire::a2a::v1 as wire;

card_pieces!(SecurityRequirement);
same!(AuthorizationCodeOAuthFlow, AuthorizationCodeFlow {
    authorization_url token_url scopes pkce_required
} { refresh_url });
same!(DeviceCodeOAuthFlow, DeviceCodeFlow { device_authorization_url token_url scopes } { refresh_url });

impl WireConvert<wire::OAuthFlows> for pb::OAuthFlows {
    fn convert(self) -> ConversionResult<wire::OAuthFlows> {
        let mut flows = wire::OAuthFlows::default();
        match self.flow {
            Some(Flow::AuthorizationCode(flow)) => flows.authorization_code = Some(flow.convert()?),
            Some(Flow::ClientCredentials(flow)) => flows.client_credentials = Some(flow.convert()?),
            Some(Flow::DeviceCode(flow)) => flows.device_code = Some(flow.convert()?),
            Some(Flow::Implicit(flow)) => flows.implicit = Some(flow.convert()?),
            Some(Flow::Password(flow)) => flows.password = Some(flow.convert()?),
            None => {}
        }
        Ok(flows)
    }
}

impl WireConvert<pb::OAuthFlows> for wire::OAuthFlows {
    fn convert(self) -> ConversionResult<pb::OAuthFlows> {
        let flow = at_most_one([
            self.authorization_code.map(WireConvert::convert).transpose()?.map(Flow::AuthorizationCode),
            self.client_credentials.map(WireConvert::convert).transpose()?.map(Flow::ClientCredentials),
            self.device_code.map(WireConvert::convert).transpose()?.map(Flow::DeviceCode),
            self.implicit.map(WireConvert::convert).transpose()?.map(Flow::Implicit),
            self.password.map(WireConvert::convert).transpose()?.map(Flow::Password),
        ])?;
        Ok(pb::OAuthFlows { flow })
    }
}
