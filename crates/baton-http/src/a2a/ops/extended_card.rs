//! `GetExtendedAgentCard`: what the agent says of itself to those it knows.

use crate::{a2a::call::Call, cards};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{AgentCard, Error, ErrorKind, GetExtendedAgentCardRequest};

pub(in super::super) fn extended_card(
    call: &Call<'_>,
    request: &GetExtendedAgentCardRequest<'_>,
) -> Result<AgentCard, Error> {
    call.check_tenant(request.tenant.as_deref())?;
    let spec = call.spec()?;
    if !call.shared.options.a2a.extended_card {
        let message = "this agent has no extended card; its public card says everything";
        return Err(Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message));
    }
    let mut card = AgentCard::extended(&spec, &cards::place(call.shared, &spec, call.headers));
    call.shared.signatures.sign(&mut card, &cards::base_url(call.shared, call.headers));
    Ok(card)
}
