//! One client per binding and dialect, all with the types of 1.0.

mod credential;
mod events;
mod grpc;
mod headers;
mod http;
mod jsonrpc;
mod read;
mod refusal;
mod rest;

use crate::{A2aDialect, Authorize, Binding, BindingChoice, CallError, ChosenInterface};
use baton_outbound::{GuardedClient, Target};
use credential::RequestCredential;
use std::sync::Arc;

/// Maximum size of a reply in bytes.
const MAX_REPLY: usize = 32 * 1024 * 1024;
/// Maximum size of a stream event in bytes.
const MAX_EVENT: usize = 8 * 1024 * 1024;

/// Creates a client of the chosen interface; sends nothing.
pub fn connect(
    chosen: &ChosenInterface,
    client: &GuardedClient,
    authorize: Arc<dyn Authorize>,
) -> Result<Arc<dyn Binding>, CallError> {
    let interface = &chosen.interface;
    let target = Target::parse(&interface.url)?;
    let tenant = interface.tenant.clone().filter(|tenant| !tenant.is_empty());
    let credential = Arc::new(RequestCredential::new(authorize));
    if chosen.binding == BindingChoice::Grpc {
        let channel = grpc::Channel::open(client, &target, credential)?;
        return Ok(match chosen.dialect {
            A2aDialect::V1 => Arc::new(grpc::GrpcV1::new(channel, tenant)),
            A2aDialect::V03 => Arc::new(grpc::GrpcV03::new(channel)),
        });
    }
    let line = http::PeerHttpTransport::new(client.clone(), credential, chosen.dialect);
    let url = interface.url.clone();
    Ok(match (chosen.binding, chosen.dialect) {
        (BindingChoice::JsonRpc, A2aDialect::V1) => Arc::new(jsonrpc::JsonRpcV1::new(line, url, tenant)),
        (BindingChoice::JsonRpc, A2aDialect::V03) => Arc::new(jsonrpc::JsonRpcV03::new(line, url)),
        (_, A2aDialect::V1) => Arc::new(rest::RestV1::new(line, &url, tenant)),
        (_, A2aDialect::V03) => Arc::new(rest::RestV03::new(line, &url)),
    })
}
