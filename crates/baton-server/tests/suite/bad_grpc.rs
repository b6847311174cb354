//! Invalid gRPC requests: each gets its status, and the server keeps serving.

use crate::{
    bindings::{Binding, Headers, Op, Reply, ask, framed, headers, raw},
    world::configured,
    world::{engine, options, weather},
};
use axum::Router;
use baton_proto::v1::pb;
use baton_server::app;
use http::{HeaderValue, StatusCode, header};
use proptest::prelude::*;
use prost::Message as _;
use serde_json::json;

const GRPC: Headers<'static> = &[("content-type", "application/grpc"), ("te", "trailers")];
const SEND: &str = "/lf.a2a.v1.A2AService/SendMessage";

fn hello() -> pb::SendMessageRequest {
    let part = pb::Part { content: Some(pb::part::Content::Text("Hello".to_owned())), ..pb::Part::default() };
    let message = pb::Message { message_id: "m".to_owned(), role: 1, parts: vec![part], ..pb::Message::default() };
    pb::SendMessageRequest { message: Some(message), ..pb::SendMessageRequest::default() }
}

fn message(change: impl FnOnce(&mut pb::Message)) -> Vec<u8> {
    let mut request = hello();
    change(request.message.as_mut().unwrap());
    framed(&request.encode_to_vec())
}

/// A length-delimited field with these bytes.
fn field(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![tag];
    prost::encode_length_delimiter(bytes.len(), &mut field).unwrap();
    [field, bytes.to_vec()].concat()
}

/// A send with data of `times` nested lists.
fn lists(times: usize) -> Vec<u8> {
    let value = (0..times).fold(Vec::new(), |inner, _| field(0x32, &field(0x0a, &inner)));
    framed(&field(0x12, &field(0x2a, &field(0x22, &value))))
}

async fn check_still_serves(app: &Router) {
    for binding in [Binding::Grpc, Binding::OldGrpc] {
        let params = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}});
        let sent = ask(app, binding, Op::Send, &params, &[]).await.unwrap();
        assert_eq!(sent.task()["status"]["state"], "TASK_STATE_COMPLETED");
    }
}

#[tokio::test]
async fn each_wrong_message_has_its_status() {
    let sent = framed(&hello().encode_to_vec());
    let list = |id: &str| framed(&pb::GetTaskRequest { id: id.to_owned(), ..Default::default() }.encode_to_vec());
    let page = |request: pb::ListTasksRequest| framed(&request.encode_to_vec());
    let get = "/lf.a2a.v1.A2AService/GetTask";
    let all = "/lf.a2a.v1.A2AService/ListTasks";
    let old = "/a2a.v1.A2AService/GetTask";
    let named = |name: &str| {
        framed(&baton_proto::v03::pb::GetTaskRequest { name: name.to_owned(), history_length: 0 }.encode_to_vec())
    };
    let cases: Vec<(&str, &str, Headers<'_>, Vec<u8>)> = vec![
        ("no message", SEND, GRPC, Vec::new()),
        ("half a head", SEND, GRPC, vec![0, 0, 0]),
        ("cut off", SEND, GRPC, sent[..sent.len() - 1].to_vec()),
        ("shorter than it says", SEND, GRPC, vec![0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]),
        ("two messages", SEND, GRPC, [sent.clone(), sent.clone()].concat()),
        ("something behind", SEND, GRPC, [sent.clone(), vec![0]].concat()),
        ("compressed, without saying how", SEND, GRPC, [&[1], &sent[1..]].concat()),
        ("unknown flag", SEND, GRPC, [&[7], &sent[1..]].concat()),
        (
            "compressed in a way that is not known",
            SEND,
            &[("content-type", "application/grpc"), ("grpc-encoding", "gzip")],
            [&[1], &sent[1..]].concat(),
        ),
        ("JSON", SEND, GRPC, b"{\"message\":{}}".to_vec()),
        ("framed JSON", SEND, GRPC, framed(b"{\"message\":{}}")),
        ("field of another type", SEND, GRPC, framed(&[0x08, 1])),
        ("field number 0", SEND, GRPC, framed(&[0x00, 1])),
        ("length beyond the message", SEND, GRPC, framed(&[0x12, 0x7f, 1])),
        ("number that does not end", SEND, GRPC, framed(&[0xff; 16])),
        ("text that is not UTF-8", get, GRPC, framed(&[0x12, 2, 0xff, 0xfe])),
        ("group that does not end", get, GRPC, framed(&[0x0b])),
        ("10,000 groups deep", SEND, GRPC, framed(&[vec![0x7b; 10_000], vec![0x7c; 10_000]].concat())),
        ("10,000 lists deep", SEND, GRPC, lists(10_000)),
        ("60 lists deep", SEND, GRPC, lists(60)),
        ("nothing said", SEND, GRPC, framed(&[])),
        ("no message id", SEND, GRPC, message(|message| message.message_id.clear())),
        ("no parts", SEND, GRPC, message(|message| message.parts.clear())),
        ("part of nothing", SEND, GRPC, message(|message| message.parts[0].content = None)),
        ("unknown role", SEND, GRPC, message(|message| message.role = 9)),
        ("no role", SEND, GRPC, message(|message| message.role = 0)),
        ("role below nothing", SEND, GRPC, message(|message| message.role = -1)),
        ("speaking as the agent", SEND, GRPC, message(|message| message.role = 2)),
        ("huge message id", SEND, GRPC, message(|message| message.message_id = "i".repeat(100_000))),
        ("control in a message id", SEND, GRPC, message(|message| message.message_id = "a\0b\n".to_owned())),
        ("huge context id", SEND, GRPC, message(|message| message.context_id = "i".repeat(100_000))),
        ("another tenant", SEND, GRPC, {
            framed(&pb::SendMessageRequest { tenant: "acme".to_owned(), ..hello() }.encode_to_vec())
        }),
        ("huge tenant", SEND, GRPC, {
            framed(&pb::SendMessageRequest { tenant: "t".repeat(100_000), ..hello() }.encode_to_vec())
        }),
        ("huge media type", SEND, GRPC, {
            message(|message| {
                message.parts[0].content = Some(pb::part::Content::Url("https://example.com".to_owned()));
                message.parts[0].media_type = "m".repeat(100_000);
            })
        }),
        ("no task id", get, GRPC, list("")),
        ("huge task id", get, GRPC, list(&"t".repeat(100_000))),
        ("task id of dots", get, GRPC, list("../../etc/passwd")),
        ("page of 1000", all, GRPC, page(pb::ListTasksRequest { page_size: Some(1000), ..Default::default() })),
        ("page below nothing", all, GRPC, page(pb::ListTasksRequest { page_size: Some(-1), ..Default::default() })),
        ("unknown state", all, GRPC, page(pb::ListTasksRequest { status: 99, ..Default::default() })),
        ("bad token", all, GRPC, page(pb::ListTasksRequest { page_token: "x".to_owned(), ..Default::default() })),
        (
            "moment out of range",
            all,
            GRPC,
            page(pb::ListTasksRequest {
                status_timestamp_after: Some(prost_types::Timestamp { seconds: i64::MAX, nanos: -1 }),
                ..Default::default()
            }),
        ),
        ("name that is none", old, GRPC, named("task-1")),
        ("name of nothing", old, GRPC, named("tasks/")),
        ("name with too much", old, GRPC, named("tasks/a/b/c")),
        ("unknown method", "/lf.a2a.v1.A2AService/DoMagic", GRPC, framed(&[])),
        ("unknown method of 0.3", "/a2a.v1.A2AService/ListTasks", GRPC, framed(&[])),
        ("method in lower case", "/lf.a2a.v1.A2AService/sendMessage", GRPC, sent.clone()),
        ("unknown service", "/lf.a2a.v2.A2AService/SendMessage", GRPC, sent.clone()),
        ("no method", "/lf.a2a.v1.A2AService/", GRPC, sent.clone()),
        ("unknown path", "/nowhere", GRPC, sent.clone()),
        ("wrong version", SEND, &[("content-type", "application/grpc"), ("a2a-version", "99.0")], sent.clone()),
        (
            "cursor that is no number",
            "/lf.a2a.v1.A2AService/SubscribeToTask",
            &[("content-type", "application/grpc"), ("last-event-id", "x")],
            list("t"),
        ),
    ];
    let app = weather();
    let grpc = HeaderValue::from_static("application/grpc");
    let mut seen = String::new();
    for (name, path, given, body) in cases {
        let response = raw(&app, "POST", path, headers(given), body).await;
        assert_eq!((response.status(), &response.headers()[header::CONTENT_TYPE]), (StatusCode::OK, &grpc), "{name}");
        let reply = Reply::read(Binding::Grpc, Op::Send, response).await;
        let refused = reply.refused();
        assert!(refused.message.len() < 1100, "{name}: the message of a status is a header");
        let message: String = refused.message.chars().take(120).collect();
        seen.push_str(&format!("{name}: {} {} {} {message:?}\n", refused.code, refused.reason, refused.baton_code));
    }
    insta::assert_snapshot!(seen);
    check_still_serves(&app).await;
}

#[tokio::test]
async fn messages_over_the_limit_and_those_just_below() {
    let app = app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.http.max_body = 4096;
        }),
    );
    let of = |length: usize| {
        let mut request = hello();
        request.message.as_mut().unwrap().parts[0].content = Some(pb::part::Content::Text("x".repeat(length)));
        framed(&request.encode_to_vec())
    };
    for (body, code) in
        [(of(4000), None), (of(4200), Some("InvalidArgument")), (vec![0; 50 << 20], Some("InvalidArgument"))]
    {
        let reply = Reply::read(Binding::Grpc, Op::Send, raw(&app, "POST", SEND, headers(GRPC), body).await).await;
        assert_eq!(reply.refusal.as_ref().map(|refusal| refusal.code.as_str()), code, "{:?}", reply.refusal);
        assert!(reply.refusal.is_none_or(|refusal| refusal.baton_code == "BTN-1002"));
    }
    check_still_serves(&app).await;
}

#[tokio::test]
async fn non_grpc_request_gets_an_http_error() {
    let app = weather();
    let sent = framed(&hello().encode_to_vec());
    for given in ["", "application/json", "text/plain", "application/grpc-web", "application/grpcfoo"] {
        let response = raw(&app, "POST", SEND, headers(&[("content-type", given)]), sent.clone()).await;
        assert_eq!(response.status(), 415, "{given}");
        let refused = Reply::read(Binding::Rest, Op::Send, response).await;
        assert_eq!(refused.refused().reason, "CONTENT_TYPE_NOT_SUPPORTED");
    }
    for given in ["application/grpc", "application/grpc+proto", "application/grpc;foo=bar"] {
        // Proxies remove the `te` header, so it is not required.
        let response = raw(&app, "POST", SEND, headers(&[("content-type", given)]), sent.clone()).await;
        assert_eq!(Reply::read(Binding::Grpc, Op::Send, response).await.refusal, None, "{given}");
    }
    for method in ["GET", "PUT", "DELETE"] {
        assert_eq!(raw(&app, method, SEND, headers(&[]), sent.clone()).await.status(), 405);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn anything_to_any_method_is_answered(
        service in "(lf\\.a2a\\.v1\\.A2AService|a2a\\.v1\\.A2AService|[a-z.]{1,12})",
        method in prop_oneof![
            proptest::sample::select(Op::ALL.to_vec()).prop_map(|op| op.method().to_owned()),
            "(TaskSubscription|GetAgentCard|ListTaskPushNotificationConfig|[A-Za-z]{1,12})".prop_map(String::from),
        ],
        body in body(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let response = raw(&weather(), "POST", &format!("/{service}/{method}"), headers(GRPC), body).await;
            assert_eq!(response.status(), 200);
            let status = tonic::Status::from_header_map(response.headers());
            if let Some(status) = status.filter(|status| status.code() != tonic::Code::Ok) {
                assert!(!matches!(status.code(), tonic::Code::Internal | tonic::Code::Unknown), "{status:?}");
                assert!(!status.details().is_empty(), "{status:?}");
            }
        });
    }
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let bytes = proptest::collection::vec(any::<u8>(), 0..48);
    let damaged = (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(index, byte)| {
        let mut bytes = hello().encode_to_vec();
        let place = index.index(bytes.len());
        bytes[place] = byte;
        framed(&bytes)
    });
    prop_oneof![bytes.clone(), bytes.prop_map(|bytes| framed(&bytes)), damaged]
}
