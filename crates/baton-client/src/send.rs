//! `SendMessage`: say something and get the task.

use crate::{Client, ClientError, call::unintelligible};
use baton_types::{Json, Message, ToolExecution};
use baton_wire::a2a::v1::{
    self, SendMessageConfiguration, SendMessageRequest, SendMessageResponse, TOOL_EXECUTION, Task,
    TaskPushNotificationConfig, tool_execution_metadata,
};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use std::collections::BTreeMap;

/// What to say, and how to be answered.
#[derive(Clone, Debug)]
pub struct SendRequest {
    /// What to say; its id is the caller's choice.
    pub message: Message,
    /// Answer as soon as the task exists instead of when it ends or needs input.
    pub return_immediately: bool,
    /// Most messages of history in the answer; all when not given.
    pub history_length: Option<i32>,
    /// Who runs tools; the agent's own setting when not given.
    pub tool_execution: Option<ToolExecution>,
    /// W3C trace context.
    pub traceparent: Option<String>,
    /// Where to be told of everything that happens to the task.
    pub push: Option<TaskPushNotificationConfig<'static>>,
    /// The same message under the same key is said once, however often it is sent.
    pub idempotency_key: Option<String>,
}

impl SendRequest {
    /// Says `message`, and waits until the task ends or needs input.
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
    /// Sends and returns the task: when it ends or needs input, or at once if that was asked for.
    pub async fn send(&self, agent: &str, request: SendRequest) -> Result<Task<'static>, ClientError> {
        let request = self.send_request(agent, "SendMessage", request)?;
        let response: SendMessageResponse<'static> = self.answered(request).await?;
        response.task.ok_or_else(|| unintelligible("the agent answered without a task"))
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
        Some(metadata) => metadata.read().map_err(unintelligible)?,
        None => BTreeMap::new(),
    };
    let chosen: BTreeMap<String, Json> = tool_execution_metadata(choice).read().map_err(unintelligible)?;
    members.extend(chosen);
    Json::of(&members).map_err(unintelligible)
}
