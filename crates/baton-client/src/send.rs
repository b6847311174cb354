//! `SendMessage`: send a message and get its task.

use crate::{Client, ClientError, call::invalid_response};
use baton_types::{Json, Message, ToolExecution};
use baton_wire::a2a::v1::{
    self, SendMessageConfiguration, SendMessageRequest, SendMessageResponse, TOOL_EXECUTION, Task,
    TaskPushNotificationConfig, tool_execution_metadata,
};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use std::collections::BTreeMap;

/// A message with its delivery options.
#[derive(Clone, Debug)]
pub struct SendRequest {
    /// The message; its id is chosen by the caller.
    pub message: Message,
    /// Respond as soon as the task exists instead of when it ends or needs input.
    pub return_immediately: bool,
    /// Maximum messages of history in the response; all if not given.
    pub history_length: Option<i32>,
    /// Where tools run; the agent's setting if not given.
    pub tool_execution: Option<ToolExecution>,
    /// W3C trace context.
    pub traceparent: Option<String>,
    /// Push notification target for updates of the task.
    pub push: Option<TaskPushNotificationConfig<'static>>,
    /// Idempotency key: the same message with the same key is processed once.
    pub idempotency_key: Option<String>,
}

impl SendRequest {
    /// A request that waits until the task ends or needs input.
    pub fn new(message: Message) -> Self {
        Self {
            message,
            return_immediately: false,
            history_length: None,
            tool_execution: None,
            traceparent: None,
            push: None,
            idempotency_key: None,
        }
    }
}

impl Client {
    /// Sends and returns the task: when it ends or needs input, or immediately if requested.
    pub async fn send(&self, agent: &str, request: SendRequest) -> Result<Task<'static>, ClientError> {
        let request = self.send_request(agent, "SendMessage", request)?;
        let response: SendMessageResponse<'static> = self.unary(request).await?;
        response.task.ok_or_else(|| invalid_response("the agent answered without a task"))
    }

    pub(crate) fn send_request(
        &self,
        agent: &str,
        method: &str,
        mut request: SendRequest,
    ) -> Result<Request<Full<Bytes>>, ClientError> {
        if let Some(choice) = request.tool_execution {
            request.message.metadata = Some(with_tool_execution(request.message.metadata.as_ref(), choice)?);
        }
        let params = SendMessageRequest {
            message: Some(v1::Message::from(&request.message)),
            configuration: Some(SendMessageConfiguration {
                history_length: request.history_length,
                return_immediately: request.return_immediately,
                task_push_notification_config: request.push,
                ..SendMessageConfiguration::default()
            }),
            ..SendMessageRequest::default()
        };
        self.rpc_request(agent, method, &params, |mut headers| {
            if request.tool_execution.is_some() {
                headers = headers.header("a2a-extensions", TOOL_EXECUTION);
            }
            if let Some(trace) = &request.traceparent {
                headers = headers.header("traceparent", trace);
            }
            if let Some(key) = &request.idempotency_key {
                headers = headers.header("idempotency-key", key);
            }
            headers
        })
    }
}

fn with_tool_execution(metadata: Option<&Json>, choice: ToolExecution) -> Result<Json, ClientError> {
    let mut members: BTreeMap<String, Json> = match metadata {
        Some(metadata) => metadata.read().map_err(invalid_response)?,
        None => BTreeMap::new(),
    };
    let chosen: BTreeMap<String, Json> = tool_execution_metadata(choice).read().map_err(invalid_response)?;
    members.extend(chosen);
    Json::from_serializable(&members).map_err(invalid_response)
}
