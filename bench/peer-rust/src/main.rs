//! An echo agent on the official Rust A2A server: JSON-RPC, HTTP+JSON and gRPC on one port, tasks in memory,
//! `TCP_NODELAY` on accept.
//!
//! Prints its URL on stdout and serves until it is killed. Every message becomes a task that is submitted, works, emits
//! one text artifact and completes, as Baton's echo agent does.

use a2a::{
    A2AError, AgentCapabilities, Artifact, Message, Part, Role, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskState, TaskStatus, TaskStatusUpdateEvent, new_artifact_id,
};
use a2a_grpc::GrpcHandler;
use a2a_pb::proto::a2a_service_server::A2aServiceServer;
use a2a_server::{
    AgentExecutor, DefaultRequestHandler, ExecutorContext, InMemoryTaskStore, jsonrpc::jsonrpc_router,
    rest::rest_router,
};
use axum::serve::ListenerExt;
use futures::stream::{self, BoxStream, StreamExt};
use std::{error::Error, sync::Arc};

struct EchoExecutor;

type EventStream = BoxStream<'static, Result<StreamResponse, A2AError>>;

#[async_trait::async_trait]
impl AgentExecutor for EchoExecutor {
    fn execute(&self, context: ExecutorContext) -> EventStream {
        let (task_id, context_id) = context.task_info();
        let said = context.message.as_ref().and_then(Message::text).unwrap_or_default();
        let text = format!("echo: {said}");
        let status = |state, message| TaskStatus { state, message, timestamp: Some(chrono::Utc::now()) };
        let update = |state, message| {
            StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
                task_id: task_id.clone(),
                context_id: context_id.clone(),
                status: status(state, message),
                metadata: None,
            })
        };
        let mut answer = Message::new(Role::Agent, vec![Part::text(text.clone())]);
        answer.task_id = Some(task_id.clone());
        answer.context_id = Some(context_id.clone());
        let events = [
            StreamResponse::Task(Task {
                id: task_id.clone(),
                context_id: context_id.clone(),
                status: status(TaskState::Submitted, None),
                artifacts: None,
                history: context.message.map(|message| vec![message]),
                metadata: None,
            }),
            update(TaskState::Working, None),
            StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
                task_id: task_id.clone(),
                context_id: context_id.clone(),
                artifact: Artifact {
                    artifact_id: new_artifact_id(),
                    name: None,
                    description: None,
                    parts: vec![Part::text(text)],
                    metadata: None,
                    extensions: None,
                },
                append: Some(false),
                last_chunk: Some(true),
                metadata: None,
            }),
            update(TaskState::Completed, Some(answer)),
        ];
        stream::iter(events.map(Ok)).boxed()
    }

    fn cancel(&self, _: ExecutorContext) -> EventStream {
        stream::empty().boxed()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let capabilities = AgentCapabilities { streaming: Some(true), ..AgentCapabilities::default() };
    let handler = DefaultRequestHandler::new(EchoExecutor, InMemoryTaskStore::new()).with_capabilities(capabilities);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/", listener.local_addr()?);
    let listener = listener.tap_io(|connection| {
        // Without it each short stream waits about 40 ms for the client's acknowledgement.
        let _ = connection.set_nodelay(true);
    });
    let handler = Arc::new(handler);
    let grpc = A2aServiceServer::new(GrpcHandler::new(handler.clone()));
    let app = jsonrpc_router(handler.clone())
        .merge(rest_router(handler))
        .route_service("/lf.a2a.v1.A2AService/{method}", grpc);
    axum::serve(listener, app).await?;
    Ok(())
}
