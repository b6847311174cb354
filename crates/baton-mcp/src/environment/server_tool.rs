//! Calls of tools of the agent's MCP servers, forwarded unchanged.

use super::{
    call::Call,
    relay::Relay,
    results,
    rounds::{Ended, Given, Rounds},
    view::ServerTool,
};
use baton_ports::BoxFuture;
use baton_toolhost::{CallOptions, ServerError, ServerReply};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ErrorCode, ResultType},
};

impl Call<'_> {
    pub(super) async fn server(
        &self,
        tool: &ServerTool,
        rounds: &Rounds<'_>,
        relay: &mut Relay,
        approved: bool,
        given: Option<Given>,
    ) -> Result<Ended<CallToolResult>, ErrorData> {
        let options = CallOptions { arguments: self.arguments.as_object().cloned(), ..self.options(relay) };
        let step = |given: Option<Given>| -> BoxFuture<'_, Result<ServerReply<CallToolResult>, ErrorData>> {
            Box::pin(self.server_step(tool, answering(&options, given)))
        };
        rounds.run(relay, approved, given, step).await
    }

    fn options(&self, relay: &mut Relay) -> CallOptions {
        self.environment.options(self.context, &self.caller, &self.capabilities, relay)
    }

    async fn server_step(
        &self,
        tool: &ServerTool,
        options: CallOptions,
    ) -> Result<ServerReply<CallToolResult>, ErrorData> {
        let agent = &self.environment.agent;
        match agent.ports.servers.call_tool(&agent.name, &tool.server, &tool.tool, options).await {
            Ok(reply) => Ok(completed(reply, |result| &mut result.result_type)),
            Err(ServerError::Refused { error, .. }) => Err(passed_on(*error)),
            Err(error) => Ok(ServerReply::Done(results::failure(error.to_string()))),
        }
    }
}

/// The call options with the answers of the client.
pub(super) fn answering(options: &CallOptions, given: Option<Given>) -> CallOptions {
    let mut options = options.clone();
    if let Some(Given { responses, state }) = given {
        options.input_responses = Some(responses);
        options.request_state = state;
    }
    options
}

/// Sets `resultType: complete`, which servers of older protocols omit and clients of the newest require; the transport
/// removes it for other clients.
pub(super) fn completed<T>(
    reply: ServerReply<T>,
    result_type: impl FnOnce(&mut T) -> &mut Option<ResultType>,
) -> ServerReply<T> {
    match reply {
        ServerReply::Done(mut result) => {
            result_type(&mut result).get_or_insert(ResultType::COMPLETE);
            ServerReply::Done(result)
        }
        asks @ ServerReply::Asks { .. } => asks,
    }
}

/// Error of a server, forwarded unchanged. "Method not found" becomes an internal error: it does not describe this
/// endpoint.
pub(super) fn passed_on(mut error: ErrorData) -> ErrorData {
    if error.code == ErrorCode::METHOD_NOT_FOUND {
        error.code = ErrorCode::INTERNAL_ERROR;
    }
    error
}
