//! JSON values in gRPC: numbers are doubles, and members of objects have no order.

use super::{
    bindings::Binding,
    operation::{AnswerBody, ClientRequest, Operation, Result},
    run_isolated,
    world::{Place, Setup, World},
};
use baton_types::{JournalEvent, Json, PartContent, TaskEvent};
use baton_wire::a2a::v1::{ErrorKind, GetTaskRequest, Message, Part, Role, SendMessageRequest};

const INPUT: &str = r#"{"b":42.0,"a":[9007199254740993,1e2,1.50,-0],"a":[18446744073709551615,0.1]}"#;
const GRPC_OUTPUT: &str = r#"{"a":[1.8446744073709552e+19,0.1],"b":42}"#;

const ALL_BINDINGS: [Binding; 6] =
    [Binding::JsonRpc, Binding::Rest, Binding::Grpc, Binding::OldJsonRpc, Binding::OldRest, Binding::OldGrpc];

#[test]
fn numbers_are_exact_but_for_grpc() {
    for binding in ALL_BINDINGS {
        let expect = if binding.is_grpc() { GRPC_OUTPUT } else { INPUT };
        run_isolated(async {
            let world = world();
            let Result::Sent(sent) = unary_result(binding, &world, send_data(INPUT)).await else {
                panic!("{binding:?}")
            };
            let task = sent.task.unwrap();
            assert_eq!(data(&task.history.unwrap()[0]).as_str(), expect, "sent and returned by {binding:?}");
            let stored = &world.record().await.events[0].fact;
            let JournalEvent::Task(TaskEvent::Submitted { message, .. }) = stored else { panic!("{stored:?}") };
            let PartContent::Data(stored) = &message.parts[1].content else { panic!("{message:?}") };
            assert_eq!(stored.as_str(), expect, "sent by {binding:?}");
        });
    }
}

#[test]
fn json_numbers_are_preserved_as_far_as_the_binding_allows() {
    for binding in ALL_BINDINGS {
        run_isolated(async {
            let world = world();
            unary_result(Binding::MODEL, &world, send_data(INPUT)).await;
            unary_result(Binding::MODEL, &world, send_data(r#"{"huge":1e400}"#)).await;
            let expect = if binding.is_grpc() { GRPC_OUTPUT } else { INPUT };
            let (first, second) = ("id-0", "id-4");
            let Result::Task(task) = unary_result(binding, &world, get(first)).await else { panic!("{binding:?}") };
            assert_eq!(data(&task.history.unwrap()[0]).as_str(), expect, "returned by {binding:?}");
            match unary_result(binding, &world, get(second)).await {
                Result::Task(task) => {
                    assert!(!binding.is_grpc());
                    assert_eq!(data(&task.history.unwrap()[0]).as_str(), r#"{"huge":1e400}"#);
                }
                Result::Refused(refusal) => {
                    assert!(binding.is_grpc(), "{binding:?}: {refusal:?}");
                    assert_eq!(refusal.kind, ErrorKind::InvalidAgentResponse);
                    assert!(refusal.message.contains("number out of range"), "{}", refusal.message);
                }
                other => panic!("{other:?}"),
            }
        });
    }
}

fn world() -> World {
    World::new(Setup { place: Place::Sole, bare_replies: false })
}

fn ask(operation: Operation) -> ClientRequest {
    ClientRequest { operation, extensions: Vec::new(), headers: Vec::new(), disconnect_after: None, alternate: false }
}

fn send_data(data: &str) -> ClientRequest {
    let data = Part { data: Some(Json::parse(data).unwrap()), ..Part::default() };
    let parts = vec![Part::text("Hello"), data];
    let message = Message { message_id: "m".into(), role: Role::User, parts, ..Message::default() };
    ask(Operation::Send(SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }))
}

fn get(id: &'static str) -> ClientRequest {
    ask(Operation::Get(GetTaskRequest { id: id.into(), ..GetTaskRequest::default() }))
}

async fn unary_result(binding: Binding, world: &World, ask: ClientRequest) -> Result {
    match binding.ask(world, &ask).await.unwrap().body {
        AnswerBody::Unary(result) => *result,
        AnswerBody::Stream(_) => panic!("a stream"),
    }
}

fn data<'a>(message: &'a Message<'_>) -> &'a Json {
    message.parts[1].data.as_ref().unwrap()
}
