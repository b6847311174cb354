//! Authentication schemes and the common parts of a card.

use super::pb::{self, o_auth_flows::Flow};
use crate::{
    card::{card_pieces, same},
    fault::{At, Carried, Carry, Fault, at_most_one, each_named, maybe},
    scalar::{filled, object, read_object},
};
use baton_wire::a2a::v1 as wire;

card_pieces!(Security);

impl Carry<wire::OAuthFlows> for pb::OAuthFlows {
    fn carry(self) -> Carried<wire::OAuthFlows> {
        let mut flows = wire::OAuthFlows::default();
        match self.flow {
            Some(Flow::AuthorizationCode(flow)) => flows.authorization_code = Some(flow.carry()?),
            Some(Flow::ClientCredentials(flow)) => flows.client_credentials = Some(flow.carry()?),
            Some(Flow::Implicit(flow)) => flows.implicit = Some(flow.carry()?),
            Some(Flow::Password(flow)) => flows.password = Some(flow.carry()?),
            None => {}
        }
        Ok(flows)
    }
}

impl Carry<pb::OAuthFlows> for wire::OAuthFlows {
    fn carry(self) -> Carried<pb::OAuthFlows> {
        if self.device_code.is_some() {
            return Err(Fault::new("0.3 has no such flow")).at("deviceCode");
        }
        let flow = at_most_one([
            self.authorization_code.map(Carry::carry).transpose()?.map(Flow::AuthorizationCode),
            self.client_credentials.map(Carry::carry).transpose()?.map(Flow::ClientCredentials),
            self.implicit.map(Carry::carry).transpose()?.map(Flow::Implicit),
            self.password.map(Carry::carry).transpose()?.map(Flow::Password),
        ])?;
        Ok(pb::OAuthFlows { flow })
    }
}

impl Carry<wire::AuthorizationCodeFlow> for pb::AuthorizationCodeOAuthFlow {
    fn carry(self) -> Carried<wire::AuthorizationCodeFlow> {
        Ok(wire::AuthorizationCodeFlow {
            authorization_url: self.authorization_url,
            token_url: self.token_url,
            refresh_url: filled(self.refresh_url),
            scopes: self.scopes,
            pkce_required: false,
        })
    }
}

impl Carry<pb::AuthorizationCodeOAuthFlow> for wire::AuthorizationCodeFlow {
    fn carry(self) -> Carried<pb::AuthorizationCodeOAuthFlow> {
        Ok(pb::AuthorizationCodeOAuthFlow {
            authorization_url: self.authorization_url,
            token_url: self.token_url,
            refresh_url: self.refresh_url.unwrap_or_default(),
            scopes: self.scopes,
        })
    }
}
