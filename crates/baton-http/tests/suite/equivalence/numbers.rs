//! The one thing that gRPC changes: its numbers are doubles, and the members of its objects have no order.

use super::{
    ask::{Arriving, Ask, Operation, Result},
    bindings::Binding,
    on_its_own,
    world::{Place, Setup, World},
};
use baton_types::{JournalEvent, Json, PartContent, TaskEvent};
use baton_wire::a2a::v1::{ErrorKind, GetTaskRequest, Message, Part, Role, SendMessageRequest};

const SAID: &str = r#"{"b":42.0,"a":[9007199254740993,1e2,1.50,-0],"a":[18446744073709551615,0.1]}"#;
const HEARD_BY_GRPC: &str = r#"{"a":[1.8446744073709552e+19,0.1],"b":42}"#;

const EVERYWHERE: [Binding; 6] =
    [Binding::JsonRpc, Binding::Rest, Binding::Grpc, Binding::OldJsonRpc, Binding::OldRest, Binding::OldGrpc];

#[test]
fn numbers_are_exact_but_for_grpc() {
    for binding in EVERYWHERE {
        let expect = if binding.is_grpc() { HEARD_BY_GRPC } else { SAID };
        on_its_own(async {
            let world = world();
            let Result::Sent(sent) = whole(binding, &world, said(SAID)).await else { panic!("{binding:?}") };
            let task = sent.task.unwrap();
            assert_eq!(data(&task.history.unwrap()[0]).as_str(), expect, "said and shown by {binding:?}");
            let stored = &world.record().await.events[0].fact;
            let JournalEvent::Task(TaskEvent::Submitted { message, .. }) = stored else { panic!("{stored:?}") };
            let PartContent::Data(stored) = &message.parts[1].content else { panic!("{message:?}") };
            assert_eq!(stored.as_str(), expect, "said by {binding:?}");
        });
    }
}

#[test]
fn numbers_that_were_said_over_json_are_shown_as_far_as_possible() {
    for binding in EVERYWHERE {
        on_its_own(async {
            let world = world();
            whole(Binding::MODEL, &world, said(SAID)).await;
            whole(Binding::MODEL, &world, said(r#"{"huge":1e400}"#)).await;
            let expect = if binding.is_grpc() { HEARD_BY_GRPC } else { SAID };
            let (first, second) = ("id-0", "id-4");
            let Result::Task(task) = whole(binding, &world, get(first)).await else { panic!("{binding:?}") };
            assert_eq!(data(&task.history.unwrap()[0]).as_str(), expect, "shown by {binding:?}");
            match whole(binding, &world, get(second)).await {
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

fn ask(operation: Operation) -> Ask {
    Ask { operation, extensions: Vec::new(), headers: Vec::new(), leaves_after: None, otherwise: false }
}

fn said(data: &str) -> Ask {
    let data = Part { data: Some(Json::parse(data).unwrap()), ..Part::default() };
    let parts = vec![Part::text("Hello"), data];
    let message = Message { message_id: "m".into(), role: Role::User, parts, ..Message::default() };
    ask(Operation::Send(SendMessageRequest { message: Some(message), ..SendMessageRequest::default() }))
}

fn get(id: &'static str) -> Ask {
    ask(Operation::Get(GetTaskRequest { id: id.into(), ..GetTaskRequest::default() }))
}

async fn whole(binding: Binding, world: &World, ask: Ask) -> Result {
    match binding.ask(world, &ask).await.unwrap().arriving {
        Arriving::Whole(result) => *result,
        Arriving::Piecemeal(_) => panic!("a stream"),
    }
}

fn data<'a>(message: &'a Message<'_>) -> &'a Json {
    message.parts[1].data.as_ref().unwrap()
}
