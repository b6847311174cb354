//! Paths, headers and bodies of outgoing requests.

use crate::{
    loopback::loopback_client,
    scripted_server::{Answer, ScriptedServer},
};
use baton_peers::{
    A2aDialect, Anonymous, Authorize, Binding, BindingChoice, ChosenInterface, RequestMetadata, connect,
};
use baton_wire::a2a::v1::{
    AgentInterface, CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageRequest,
    SubscribeToTaskRequest, TaskPushNotificationConfig,
};
use std::sync::Arc;

/// A binding to the scripted server.
pub(super) fn binding_for(
    server: &ScriptedServer,
    (binding, dialect): (BindingChoice, A2aDialect),
    authorize: Arc<dyn Authorize>,
) -> Arc<dyn Binding> {
    binding_for_tenant(server, binding, dialect, None, authorize)
}

fn binding_for_tenant(
    server: &ScriptedServer,
    binding: BindingChoice,
    dialect: A2aDialect,
    tenant: Option<&str>,
    authorize: Arc<dyn Authorize>,
) -> Arc<dyn Binding> {
    let interface = AgentInterface {
        url: server.url("/base"),
        protocol_binding: binding.card_name().to_owned(),
        tenant: tenant.map(str::to_owned),
        protocol_version: dialect.to_string(),
    };
    connect(&ChosenInterface { binding, dialect, interface }, &loopback_client(), authorize).unwrap()
}

pub(super) fn send_request(text: &str) -> SendMessageRequest<'static> {
    let message = Message {
        message_id: "m1".into(),
        role: Role::User,
        parts: vec![Part { text: Some(text.to_owned().into()), ..Part::default() }],
        ..Message::default()
    };
    SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }
}

pub(super) fn get(id: &str) -> GetTaskRequest<'static> {
    GetTaskRequest { id: id.to_owned().into(), ..GetTaskRequest::default() }
}

/// Calls every operation once and returns the request lines.
async fn request_lines(binding: BindingChoice, dialect: A2aDialect, tenant: Option<&str>) -> Vec<String> {
    let server = ScriptedServer::start(|_| Answer::json("{}")).await;
    let peer = binding_for_tenant(&server, binding, dialect, tenant, Arc::new(Anonymous));
    let with = RequestMetadata {
        trace: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into()),
        extensions: vec!["https://one.example".to_owned(), "https://two.example".to_owned()],
        idempotency_key: Some("key".to_owned()),
        depth: 3,
        last_event: Some("41".to_owned()),
    };
    let id = "a task/1";
    let _ = peer.send(send_request("Hello"), &with).await;
    let _ = peer.stream(send_request("Hello"), &with).await.map(drop);
    let _ = peer.subscribe(SubscribeToTaskRequest { id: id.into(), tenant: None }, &with).await.map(drop);
    let _ = peer.get(GetTaskRequest { history_length: Some(2), ..get(id) }, &with).await;
    let list = ListTasksRequest {
        context_id: Some("c&1".into()),
        page_size: Some(5),
        include_artifacts: Some(true),
        ..ListTasksRequest::default()
    };
    let _ = peer.list(list, &with).await;
    let _ = peer
        .cancel(CancelTaskRequest { id: id.into(), ..CancelTaskRequest::default() }, &RequestMetadata::default())
        .await;
    let push = TaskPushNotificationConfig {
        task_id: id.into(),
        url: "https://hooks.example".into(),
        ..TaskPushNotificationConfig::default()
    };
    let _ = peer.create_push(push, &RequestMetadata::default()).await;
    let _ = peer.extended_card(Default::default(), &RequestMetadata::default()).await;
    let mut lines = Vec::new();
    for request in server.received() {
        lines.push(format!("{} {}", request.method, request.path));
        let mut headers: Vec<String> = request
            .headers
            .iter()
            .filter(|(name, _)| !["host", "content-length", "user-agent", "connection"].contains(&name.as_str()))
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        headers.sort();
        lines.push(format!("  {}", headers.join(" | ")));
        if !request.body.is_empty() {
            lines.push(format!("  {}", request.body));
        }
    }
    lines
}

#[tokio::test]
async fn requests_of_every_json_binding_match_the_snapshots() {
    for (binding, name) in [(BindingChoice::JsonRpc, "jsonrpc"), (BindingChoice::HttpJson, "rest")] {
        for dialect in [A2aDialect::V1, A2aDialect::V03] {
            let lines = request_lines(binding, dialect, Some("tenant-1")).await;
            insta::assert_snapshot!(format!("{name}_{}", dialect.to_string().replace('.', "_")), lines.join("\n"));
        }
    }
}
