//! Values survive encoding to bytes.

use crate::sample;
use baton_proto::{v1, v03};
use baton_wire::a2a::v1 as wire;
use proptest::prelude::*;
use prost::Message;

/// Encodes `value` as `P` and decodes it again.
fn round_trip<P, W>(value: W) -> W
where
    P: Message + Default + TryFrom<W, Error = wire::Error>,
    W: TryFrom<P, Error = wire::Error>,
{
    let written = P::try_from(value).unwrap().encode_to_vec();
    W::try_from(P::decode(written.as_slice()).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn responses_of_1_0_round_trip(item in sample::item(), task in sample::task(), push in sample::push()) {
        prop_assert_eq!(round_trip::<v1::pb::StreamResponse, _>(item.clone()), item);
        let sent = wire::SendMessageResponse { task: Some(task.clone()), message: None };
        prop_assert_eq!(round_trip::<v1::pb::SendMessageResponse, _>(sent.clone()), sent);
        let listed = wire::ListTasksResponse {
            tasks: vec![task.clone()],
            next_page_token: "next".into(),
            page_size: 50,
            total_size: 7,
        };
        prop_assert_eq!(round_trip::<v1::pb::ListTasksResponse, _>(listed.clone()), listed);
        prop_assert_eq!(round_trip::<v1::pb::Task, _>(task.clone()), task);
        let listed = wire::ListTaskPushNotificationConfigsResponse { configs: vec![push], next_page_token: "".into() };
        prop_assert_eq!(round_trip::<v1::pb::ListTaskPushNotificationConfigsResponse, _>(listed.clone()), listed);
    }

    #[test]
    fn requests_of_1_0_round_trip(send in sample::send(), list in sample::list(), text in sample::text()) {
        prop_assert_eq!(round_trip::<v1::pb::SendMessageRequest, _>(send.clone()), send.clone());
        prop_assert_eq!(round_trip::<v1::pb::ListTasksRequest, _>(list.clone()), list.clone());
        let get = wire::GetTaskRequest {
            tenant: list.tenant.clone(),
            id: text.clone(),
            history_length: list.history_length,
            current_generation: None,
        };
        prop_assert_eq!(round_trip::<v1::pb::GetTaskRequest, _>(get.clone()), get);
        let cancel = wire::CancelTaskRequest { tenant: list.tenant.clone(), id: text.clone(), metadata: send.metadata };
        prop_assert_eq!(round_trip::<v1::pb::CancelTaskRequest, _>(cancel.clone()), cancel);
        let subscribe = wire::SubscribeToTaskRequest { tenant: list.tenant.clone(), id: text.clone() };
        prop_assert_eq!(round_trip::<v1::pb::SubscribeToTaskRequest, _>(subscribe.clone()), subscribe);
        let push = wire::TaskPushNotificationConfigRequest { tenant: list.tenant, task_id: text.clone(), id: text };
        prop_assert_eq!(round_trip::<v1::pb::GetTaskPushNotificationConfigRequest, _>(push.clone()), push.clone());
        prop_assert_eq!(round_trip::<v1::pb::DeleteTaskPushNotificationConfigRequest, _>(push.clone()), push);
    }

    #[test]
    fn responses_of_0_3_round_trip(
        mut item in sample::item(), mut task in sample::task(), mut push in sample::push(), last: bool
    ) {
        to_v03_item(&mut item);
        let written = v03::pb::StreamResponse::from_wire(item.clone(), last).unwrap();
        let ended = item.status_update.as_ref().is_some_and(|update| {
            last || update.status.state.to_task_state().is_some_and(baton_types::TaskState::is_terminal)
        });
        prop_assert_eq!(written.is_final(), ended || item.message.is_some());
        let read = v03::pb::StreamResponse::decode(written.encode_to_vec().as_slice()).unwrap();
        prop_assert_eq!(wire::StreamResponse::try_from(read).unwrap(), item);
        to_v03_task(&mut task);
        prop_assert_eq!(round_trip::<v03::pb::Task, _>(task.clone()), task);
        push.tenant = None;
        prop_assert_eq!(round_trip::<v03::pb::TaskPushNotificationConfig, _>(push.clone()), push.clone());
        let listed = wire::ListTaskPushNotificationConfigsResponse { configs: vec![push], next_page_token: "n".into() };
        prop_assert_eq!(round_trip::<v03::pb::ListTaskPushNotificationConfigResponse, _>(listed.clone()), listed);
    }

    #[test]
    fn requests_of_0_3_round_trip(mut send in sample::send(), mut push in sample::push(), id in "[a-z0-9-]{1,8}") {
        send.tenant = None;
        let configuration = send.configuration.get_or_insert_default();
        configuration.history_length = configuration.history_length.filter(|length| *length != 0);
        if let Some(push) = &mut configuration.task_push_notification_config {
            push.tenant = None;
            push.task_id = "".into();
        }
        send.message.iter_mut().for_each(to_v03_message);
        prop_assert_eq!(round_trip::<v03::pb::SendMessageRequest, _>(send.clone()), send);
        push.tenant = None;
        prop_assert_eq!(round_trip::<v03::pb::CreateTaskPushNotificationConfigRequest, _>(push.clone()), push);
        let get = wire::GetTaskRequest { id: id.clone().into(), history_length: Some(3), ..wire::GetTaskRequest::default() };
        prop_assert_eq!(round_trip::<v03::pb::GetTaskRequest, _>(get.clone()), get);
        let cancel = wire::CancelTaskRequest { id: id.clone().into(), ..wire::CancelTaskRequest::default() };
        prop_assert_eq!(round_trip::<v03::pb::CancelTaskRequest, _>(cancel.clone()), cancel);
        let subscribe = wire::SubscribeToTaskRequest { tenant: None, id: id.clone().into() };
        prop_assert_eq!(round_trip::<v03::pb::TaskSubscriptionRequest, _>(subscribe.clone()), subscribe);
        let push = wire::TaskPushNotificationConfigRequest { tenant: None, task_id: id.clone().into(), id: id.into() };
        prop_assert_eq!(round_trip::<v03::pb::GetTaskPushNotificationConfigRequest, _>(push.clone()), push.clone());
        prop_assert_eq!(round_trip::<v03::pb::DeleteTaskPushNotificationConfigRequest, _>(push.clone()), push);
    }
}

/// Removes fields that 0.3 does not have.
fn to_v03_message(message: &mut wire::Message<'static>) {
    message.reference_task_ids.clear();
    message.parts.iter_mut().for_each(to_v03_part);
}

fn to_v03_part(part: &mut wire::Part<'static>) {
    if part.text.is_some() || part.data.is_some() {
        part.filename = None;
        part.media_type = None;
    }
    // The marker of non-object data is removed completely, including an empty object.
    let object = part.data.as_ref().is_none_or(baton_types::Json::is_object);
    part.metadata = part.metadata.take().filter(|metadata| object || metadata.as_str() != "{}");
}

fn to_v03_status(status: &mut wire::TaskStatus<'static>) {
    status.message.iter_mut().for_each(to_v03_message);
}

fn to_v03_task(task: &mut wire::Task<'static>) {
    to_v03_status(&mut task.status);
    task.history.iter_mut().flatten().for_each(to_v03_message);
    task.artifacts.iter_mut().flatten().flat_map(|artifact| &mut artifact.parts).for_each(to_v03_part);
}

fn to_v03_item(item: &mut wire::StreamResponse<'static>) {
    item.task.iter_mut().for_each(to_v03_task);
    item.message.iter_mut().for_each(to_v03_message);
    item.status_update.iter_mut().for_each(|update| to_v03_status(&mut update.status));
    item.artifact_update.iter_mut().flat_map(|update| &mut update.artifact.parts).for_each(to_v03_part);
}

#[test]
fn cards_round_trip_in_1_0_and_as_far_as_0_3_allows() {
    let card = serde_json::json!({
        "name": "Weather",
        "description": "Knows the weather",
        "supportedInterfaces": [
            {"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": "a.example:443", "protocolBinding": "GRPC", "tenant": "weather", "protocolVersion": "1.0"},
            {"url": "a.example:443", "protocolBinding": "GRPC", "protocolVersion": "0.3"},
            {"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        ],
        "provider": {"url": "https://a.example", "organization": "A"},
        "version": "2",
        "documentationUrl": "https://a.example/docs",
        "capabilities": {
            "streaming": true,
            "pushNotifications": false,
            "extensions": [{"uri": "urn:x", "description": "x", "required": true, "params": {"n": 42}}],
            "extendedAgentCard": true,
        },
        "securitySchemes": {
            "key": {"apiKeySecurityScheme": {"description": "a key", "location": "header", "name": "X-Key"}},
            "http": {"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": "JWT"}},
            "oidc": {"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://a.example/oidc"}},
            "mtls": {"mtlsSecurityScheme": {"description": "certificates"}},
            "code": {"oauth2SecurityScheme": {"oauth2MetadataUrl": "https://a.example/meta", "flows": {
                "authorizationCode": {"authorizationUrl": "https://a.example/auth",
                    "tokenUrl": "https://a.example/token", "refreshUrl": "https://a.example/refresh",
                    "scopes": {"read": "to read"}}}}},
            "program": {"oauth2SecurityScheme": {"flows": {
                "clientCredentials": {"tokenUrl": "https://a.example/token", "scopes": {}}}}},
            "implicit": {"oauth2SecurityScheme": {"flows": {
                "implicit": {"authorizationUrl": "https://a.example/auth", "scopes": {}}}}},
            "password": {"oauth2SecurityScheme": {"flows": {
                "password": {"tokenUrl": "https://a.example/token", "scopes": {}}}}},
        },
        "securityRequirements": [{"schemes": {"key": {"list": []}, "code": {"list": ["read"]}}}],
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": [{"id": "s", "name": "S", "description": "does s", "tags": ["t"], "examples": ["e"],
            "inputModes": ["text/plain"], "outputModes": ["text/csv"],
            "securityRequirements": [{"schemes": {"key": {"list": []}}}]}],
        "signatures": [{"protected": "cA", "signature": "cw", "header": {"kid": "1"}}],
        "iconUrl": "https://a.example/icon",
    });
    let mut card: wire::AgentCard = serde_json::from_value(card).unwrap();
    let mut old = card.clone();
    old.supported_interfaces.drain(..2);
    assert_eq!(round_trip::<v03::pb::AgentCard, _>(card.clone()), old);

    let code = card.security_schemes.get_mut("code").unwrap().oauth2_security_scheme.as_mut().unwrap();
    code.flows.authorization_code.as_mut().unwrap().pkce_required = true;
    let device = serde_json::json!({"deviceCode": {"deviceAuthorizationUrl": "https://a.example/device",
        "tokenUrl": "https://a.example/token", "scopes": {"read": "to read"}}});
    let device = wire::OAuth2SecurityScheme {
        flows: serde_json::from_value(device).unwrap(),
        ..wire::OAuth2SecurityScheme::default()
    };
    let device = wire::SecurityScheme { oauth2_security_scheme: Some(device), ..wire::SecurityScheme::default() };
    card.security_schemes.insert("device".to_owned(), device);
    assert_eq!(round_trip::<v1::pb::AgentCard, _>(card.clone()), card);
    let refusal = v03::pb::AgentCard::try_from(card).unwrap_err();
    assert!(refusal.message.contains("securitySchemes.device.flows.deviceCode: 0.3 has no such flow"), "{refusal}");
}
