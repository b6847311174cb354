//! Clients that answer questions and record the notifications they receive.

use super::world::World;
use crate::mcp_client::{Era, connect_with_body_edit};
use baton_types::Principal;
use bytes::Bytes;
use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
        CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult, ElicitationAction,
        ElicitationCapability, ErrorCode, Implementation, JsonObject, LoggingMessageNotificationParam,
        ProgressNotificationParam, ResourceUpdatedNotificationParam, SamplingCapability,
    },
    service::{NotificationContext, PeerRequestOptions, RequestContext, RequestHandle, RunningService},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::sync::mpsc;

/// How a client answers requests of the server.
#[derive(Clone, Debug)]
pub(crate) enum Answers {
    /// Declares no capability for questions.
    Never,
    /// Accepts with this content.
    Yes(Value),
    /// Declines.
    No,
    /// Accepts, declares the handoff extension and answers sampling with this result. A string is returned as an
    /// error message.
    Sampled(Value),
    /// The same, without the handoff extension.
    Ordinary(Value),
}

/// A notification sent by the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Notification {
    Progress(f64, Option<f64>, Option<String>),
    Log(String),
    Tools,
    Prompts,
    Resources,
    Updated(String),
}

pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, RecordingHandler>,
    pub(crate) notifications: mpsc::Receiver<Notification>,
    pub(crate) questions: Arc<Mutex<Vec<String>>>,
}

pub(crate) struct RecordingHandler {
    answers: Answers,
    sender: mpsc::Sender<Notification>,
    questions: Arc<Mutex<Vec<String>>>,
}

impl World {
    pub(crate) async fn client(&self, principal: &Principal, era: Era, answers: Answers) -> Client {
        self.client_edited(principal, era, answers, Bytes::clone).await
    }

    /// A client with an edit of every request body.
    pub(crate) async fn client_edited(
        &self,
        principal: &Principal,
        era: Era,
        answers: Answers,
        edit: fn(&Bytes) -> Bytes,
    ) -> Client {
        let (sender, notifications) = mpsc::channel(64);
        let questions = Arc::<Mutex<Vec<String>>>::default();
        let handler = RecordingHandler { answers, sender, questions: Arc::clone(&questions) };
        let service = connect_with_body_edit(&self.service(), principal, era, "", handler, edit).await;
        Client { service, notifications, questions }
    }
}

impl Client {
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.service.call_tool(params(tool, arguments)).await.unwrap()
    }

    /// Starts a call that can be cancelled and reports progress.
    pub(crate) async fn begin(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params(tool, arguments)));
        self.service.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }

    /// The next notification other than a list change.
    pub(crate) async fn next_notification(&mut self) -> Notification {
        loop {
            match self.notifications.recv().await.unwrap() {
                Notification::Tools | Notification::Prompts | Notification::Resources => {}
                notification => return notification,
            }
        }
    }

    pub(crate) fn questions(&self) -> Vec<String> {
        std::mem::take(&mut *self.questions.lock().unwrap())
    }
}

pub(crate) fn params(tool: &str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool.to_owned()).with_arguments(object(arguments))
}

pub(crate) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

impl RecordingHandler {
    async fn record(&self, notification: Notification) {
        let _ = self.sender.send(notification).await;
    }
}

impl ClientHandler for RecordingHandler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if !matches!(self.answers, Answers::Never) {
            capabilities.elicitation = Some(ElicitationCapability::default());
            capabilities.sampling = Some(SamplingCapability::default());
        }
        if matches!(self.answers, Answers::Sampled(_)) {
            let handoff = BTreeMap::from([("dev.baton/handoff".to_owned(), JsonObject::new())]);
            capabilities.extensions = Some(handoff);
        }
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = &request else {
            return Err(ErrorData::invalid_params("only forms", None));
        };
        self.questions.lock().unwrap().push(message.clone());
        Ok(match &self.answers {
            Answers::Yes(content) => {
                let mut result = ElicitResult::new(ElicitationAction::Accept);
                result.content = Some(content.clone());
                result
            }
            Answers::Sampled(_) | Answers::Ordinary(_) => {
                let mut result = ElicitResult::new(ElicitationAction::Accept);
                result.content = Some(json!({"allow": true}));
                result
            }
            _ => ElicitResult::new(ElicitationAction::Decline),
        })
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        if let Answers::Sampled(answer) | Answers::Ordinary(answer) = &self.answers {
            self.questions.lock().unwrap().push(serde_json::to_string(&request).unwrap());
            return match answer {
                Value::Null => std::future::pending().await,
                Value::String(words) => Err(ErrorData::new(ErrorCode(-1), words.clone(), None)),
                answer => Ok(serde_json::from_value(answer.clone()).unwrap()),
            };
        }
        self.questions.lock().unwrap().push(format!("sample {}", request.max_tokens));
        let said = json!({
            "role": "assistant", "content": {"type": "text", "text": "a model's words"}, "model": "test-model",
        });
        Ok(serde_json::from_value(said).unwrap())
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.record(Notification::Progress(progress.progress, progress.total, progress.message)).await;
    }

    async fn on_logging_message(&self, log: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        self.record(Notification::Log(log.data.as_str().unwrap_or_default().to_owned())).await;
    }

    async fn on_resource_updated(&self, updated: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        self.record(Notification::Updated(updated.uri)).await;
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.record(Notification::Resources).await;
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.record(Notification::Tools).await;
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.record(Notification::Prompts).await;
    }
}
