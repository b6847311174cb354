//! `GetExtendedAgentCard`: the agent card for authenticated callers.

use crate::{
    call::A2aCall,
    cards::{self, CardDocument, CardForm},
    error_codes,
};
use baton_wire::a2a::v1::{AgentCard, Error, ErrorKind, GetExtendedAgentCardRequest};

/// Signed card in the given form.
pub(in super::super) fn extended_card(
    call: &A2aCall<'_>,
    request: &GetExtendedAgentCardRequest<'_>,
    form: CardForm,
) -> Result<CardDocument, Error> {
    let mut document = CardDocument::new(unsigned_extended_card(call, request)?, form);
    call.shared.signatures.sign(&mut document, &baton_http::base_url(&call.shared.http, call.headers));
    Ok(document)
}

/// Unsigned card with the interfaces of every version.
pub(in super::super) fn unsigned_extended_card(
    call: &A2aCall<'_>,
    request: &GetExtendedAgentCardRequest<'_>,
) -> Result<AgentCard, Error> {
    call.check_tenant(request.tenant.as_deref())?;
    let spec = call.spec()?;
    if !call.shared.options.extended_card {
        let message = "this agent has no extended card; use its public card";
        return Err(Error::new(ErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, message));
    }
    Ok(AgentCard::extended(&spec, &cards::card_options(call.shared, &spec, call.headers)))
}
