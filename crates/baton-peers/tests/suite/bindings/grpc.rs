//! gRPC servers that require credentials or close connections.

use super::requests::get;
use crate::loopback::{Keys, loopback_client};
use async_stream::stream;
use baton_peers::{A2aDialect, Binding, BindingChoice, CallError, ChosenInterface, RequestMetadata, connect};
use baton_proto::v1::pb::{
    self,
    a2a_service_server::{A2aService, A2aServiceServer},
};
use baton_wire::a2a::v1::{AgentInterface, SubscribeToTaskRequest};
use futures_util::StreamExt as _;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    service::TowerToHyperService,
};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::{
    net::TcpListener,
    task::{JoinHandle, JoinSet},
};
use tonic::{Request, Response, Status, codegen::BoxStream};

/// A service with one task that accepts one key and records the keys it gets.
#[derive(Clone, Default)]
struct AuthenticatedService(Arc<Mutex<Vec<String>>>);

macro_rules! operations {
    ($($name:ident($request:ty) -> $reply:ty { $body:expr })*) => {
        #[tonic::async_trait]
        impl A2aService for AuthenticatedService {
            type SendStreamingMessageStream = BoxStream<pb::StreamResponse>;
            type SubscribeToTaskStream = BoxStream<pb::StreamResponse>;

            $(async fn $name(&self, request: Request<$request>) -> Result<Response<$reply>, Status> {
                let shown = request.metadata().get("authorization").map(|value| value.to_str().unwrap().to_owned());
                let shown = shown.unwrap_or_default();
                self.0.lock().unwrap().push(shown.clone());
                if shown != "Bearer key-2" {
                    return Err(Status::unauthenticated(format!("I do not know {shown}")));
                }
                let answer: fn($request) -> Result<$reply, Status> = $body;
                answer(request.into_inner()).map(Response::new)
            })*
        }
    };
}

fn absent<T, U>(_: T) -> Result<U, Status> {
    Err(Status::unimplemented("not here"))
}

fn task() -> pb::Task {
    pb::Task {
        id: "t1".to_owned(),
        context_id: "c1".to_owned(),
        status: Some(pb::TaskStatus { state: pb::TaskState::Working.into(), ..pb::TaskStatus::default() }),
        ..pb::Task::default()
    }
}

operations! {
    send_message(pb::SendMessageRequest) -> pb::SendMessageResponse { absent }
    send_streaming_message(pb::SendMessageRequest) -> BoxStream<pb::StreamResponse> { absent }
    get_task(pb::GetTaskRequest) -> pb::Task { |_| Ok(task()) }
    list_tasks(pb::ListTasksRequest) -> pb::ListTasksResponse { absent }
    cancel_task(pb::CancelTaskRequest) -> pb::Task { absent }
    subscribe_to_task(pb::SubscribeToTaskRequest) -> BoxStream<pb::StreamResponse> { |_| {
        Ok(Box::pin(stream! {
            let payload = Some(pb::stream_response::Payload::Task(task()));
            yield Ok(pb::StreamResponse { payload });
            std::future::pending::<()>().await;
        }))
    } }
    create_task_push_notification_config(pb::TaskPushNotificationConfig) -> pb::TaskPushNotificationConfig { absent }
    get_task_push_notification_config(pb::GetTaskPushNotificationConfigRequest) -> pb::TaskPushNotificationConfig {
        absent
    }
    list_task_push_notification_configs(pb::ListTaskPushNotificationConfigsRequest)
        -> pb::ListTaskPushNotificationConfigsResponse { absent }
    delete_task_push_notification_config(pb::DeleteTaskPushNotificationConfigRequest) -> () { absent }
    get_extended_agent_card(pb::GetExtendedAgentCardRequest) -> pb::AgentCard { absent }
}

/// Serves every connection; aborting the task closes all of them.
async fn serve(service: AuthenticatedService) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let service = TowerToHyperService::new(A2aServiceServer::new(service.clone()));
            let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            connections.spawn(server.serve_connection(TokioIo::new(stream), service));
        }
    });
    (address, serving)
}

fn peer(address: SocketAddr, keys: Keys) -> Arc<dyn Binding> {
    let interface = AgentInterface {
        url: format!("http://{address}"),
        protocol_binding: "GRPC".to_owned(),
        tenant: None,
        protocol_version: "1.0".to_owned(),
    };
    let chosen = ChosenInterface { binding: BindingChoice::Grpc, dialect: A2aDialect::V1, interface };
    connect(&chosen, &loopback_client(), Arc::new(keys)).unwrap()
}

#[tokio::test]
async fn rejected_credential_is_replaced_once_and_redacted() {
    let service = AuthenticatedService::default();
    let (address, _serving) = serve(service.clone()).await;
    let client = peer(address, Keys::default());
    assert_eq!(client.get(get("t1"), &RequestMetadata::default()).await.unwrap().id, "t1");
    assert_eq!(*service.0.lock().unwrap(), ["Bearer key-1", "Bearer key-2"]);
    let refused = client.list(Default::default(), &RequestMetadata::default()).await.unwrap_err();
    assert!(matches!(refused, CallError::Refused { code: -32601, .. }), "{refused:?}");

    let stranger = peer(address, Keys::after(5));
    let expect = CallError::Refused {
        code: -32600,
        status: 401,
        message: "I do not know Bearer ...".to_owned(),
        retry_after: None,
    };
    assert_eq!(stranger.get(get("t1"), &RequestMetadata::default()).await.unwrap_err(), expect);
}

#[tokio::test]
async fn broken_stream_reports_connection_lost() {
    let (address, serving) = serve(AuthenticatedService::default()).await;
    let peer = peer(address, Keys::default());
    let subscribe = SubscribeToTaskRequest { id: "t1".into(), tenant: None };
    let mut stream = peer.subscribe(subscribe, &RequestMetadata::default()).await.unwrap();
    assert!(stream.next().await.unwrap().unwrap().item.task.is_some());
    serving.abort();
    let error = stream.next().await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::ConnectionLost(_)), "{error:?}");
    assert!(stream.next().await.is_none());
}
