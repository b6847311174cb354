//! Authentication schemes and the common parts of a card.

use super::pb::{self, o_auth_flows::Flow};
use crate::{
    card::{card_pieces, same},
    fault::{At, Carried, Carry, at_most_one, each_named, maybe},
    scalar::{filled, object, read_object},
};
use baton_wire::a2a::v1 as wire;

card_pieces!(SecurityRequirement);
same!(AuthorizationCodeOAuthFlow, AuthorizationCodeFlow {
    authorization_url token_url scopes pkce_required
} { refresh_url });
same!(DeviceCodeOAuthFlow, DeviceCodeFlow { device_authorization_url token_url scopes } { refresh_url });

impl Carry<wire::OAuthFlows> for pb::OAuthFlows {
    fn carry(self) -> Carried<wire::OAuthFlows> {
        let mut flows = wire::OAuthFlows::default();
        match self.flow {
            Some(Flow::AuthorizationCode(flow)) => flows.authorization_code = Some(flow.carry()?),
            Some(Flow::ClientCredentials(flow)) => flows.client_credentials = Some(flow.carry()?),
            Some(Flow::DeviceCode(flow)) => flows.device_code = Some(flow.carry()?),
            Some(Flow::Implicit(flow)) => flows.implicit = Some(flow.carry()?),
            Some(Flow::Password(flow)) => flows.password = Some(flow.carry()?),
            None => {}
        }
        Ok(flows)
    }
}

impl Carry<pb::OAuthFlows> for wire::OAuthFlows {
    fn carry(self) -> Carried<pb::OAuthFlows> {
        let flow = at_most_one([
            self.authorization_code.map(Carry::carry).transpose()?.map(Flow::AuthorizationCode),
            self.client_credentials.map(Carry::carry).transpose()?.map(Flow::ClientCredentials),
            self.device_code.map(Carry::carry).transpose()?.map(Flow::DeviceCode),
            self.implicit.map(Carry::carry).transpose()?.map(Flow::Implicit),
            self.password.map(Carry::carry).transpose()?.map(Flow::Password),
        ])?;
        Ok(pb::OAuthFlows { flow })
    }
}
