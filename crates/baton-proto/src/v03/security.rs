//! Authentication schemes and the common parts of a card.

use super::pb::{self, o_auth_flows::Flow};
use crate::{
    card::{card_pieces, same},
    fault::{ConversionError, ConversionResult, FieldContext, WireConvert, at_most_one, each_entry, maybe},
    scalar::{filled, object, read_object},
};
use baton_wire::a2a::v1 as wire;

card_pieces!(Security);

impl WireConvert<wire::OAuthFlows> for pb::OAuthFlows {
    fn convert(self) -> ConversionResult<wire::OAuthFlows> {
        let mut flows = wire::OAuthFlows::default();
        match self.flow {
            Some(Flow::AuthorizationCode(flow)) => flows.authorization_code = Some(flow.convert()?),
            Some(Flow::ClientCredentials(flow)) => flows.client_credentials = Some(flow.convert()?),
            Some(Flow::Implicit(flow)) => flows.implicit = Some(flow.convert()?),
            Some(Flow::Password(flow)) => flows.password = Some(flow.convert()?),
            None => {}
        }
        Ok(flows)
    }
}

impl WireConvert<pb::OAuthFlows> for wire::OAuthFlows {
    fn convert(self) -> ConversionResult<pb::OAuthFlows> {
        if self.device_code.is_some() {
            return Err(ConversionError::new("0.3 has no such flow")).at("deviceCode");
        }
        let flow = at_most_one([
            self.authorization_code.map(WireConvert::convert).transpose()?.map(Flow::AuthorizationCode),
            self.client_credentials.map(WireConvert::convert).transpose()?.map(Flow::ClientCredentials),
            self.implicit.map(WireConvert::convert).transpose()?.map(Flow::Implicit),
            self.password.map(WireConvert::convert).transpose()?.map(Flow::Password),
        ])?;
        Ok(pb::OAuthFlows { flow })
    }
}

impl WireConvert<wire::AuthorizationCodeFlow> for pb::AuthorizationCodeOAuthFlow {
    fn convert(self) -> ConversionResult<wire::AuthorizationCodeFlow> {
        Ok(wire::AuthorizationCodeFlow {
            authorization_url: self.authorization_url,
            token_url: self.token_url,
            refresh_url: filled(self.refresh_url),
            scopes: self.scopes,
            pkce_required: false,
        })
    }
}

impl WireConvert<pb::AuthorizationCodeOAuthFlow> for wire::AuthorizationCodeFlow {
    fn convert(self) -> ConversionResult<pb::AuthorizationCodeOAuthFlow> {
        Ok(pb::AuthorizationCodeOAuthFlow {
            authorization_url: self.authorization_url,
            token_url: self.token_url,
            refresh_url: self.refresh_url.unwrap_or_default(),
            scopes: self.scopes,
        })
    }
}
