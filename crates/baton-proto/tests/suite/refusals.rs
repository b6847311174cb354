//! Values that cannot be converted are rejected with their path.

use baton_proto::{error_from_status, status, v1, v03};
use baton_types::{ErrorCode, Json, Timestamp};
use baton_wire::{
    a2a::v1::{self as wire, ErrorKind},
    error_codes,
};
use prost::Message as _;
use prost_types::{ListValue, Struct, Value, value::Kind};

/// The codes that the wire types raise.
fn known_codes() -> impl Iterator<Item = &'static ErrorCode> {
    ErrorCode::SHARED_CODES.iter().chain(baton_wire::error_codes::ALL)
}

fn refused_request<T: std::fmt::Debug>(result: Result<T, wire::Error>) -> (String, ErrorCode) {
    let error = result.unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidParams);
    (error.violations.first().map(|one| format!("{}: {}", one.field, one.description)).unwrap_or_default(), error.code)
}

fn asked(part: v1::pb::Part) -> v1::pb::SendMessageRequest {
    let message = v1::pb::Message { role: 1, parts: vec![v1::pb::Part::default(), part], ..v1::pb::Message::default() };
    v1::pb::SendMessageRequest { message: Some(message), ..v1::pb::SendMessageRequest::default() }
}

fn with_data(kind: Option<Kind>) -> Result<wire::SendMessageRequest<'static>, wire::Error> {
    let content = Some(v1::pb::part::Content::Data(Value { kind }));
    asked(v1::pb::Part { content, ..v1::pb::Part::default() }).try_into()
}

#[test]
fn invalid_fields_of_requests_are_named() {
    let invalid = ErrorCode::INVALID_REQUEST;
    let at = |text: &str| format!("message.parts[1].data: {text}");
    for (kind, expect) in [
        (None, "has a value without a kind"),
        (Some(Kind::NumberValue(f64::NAN)), "numbers must be finite"),
        (Some(Kind::NumberValue(f64::INFINITY)), "numbers must be finite"),
    ] {
        assert_eq!(refused_request(with_data(kind)), (at(expect), invalid));
    }
    let deep = (0..101)
        .fold(Kind::NullValue(0), |inner, _| Kind::ListValue(ListValue { values: vec![Value { kind: Some(inner) }] }));
    let expect = (at("nested deeper than gRPC allows"), ErrorCode::TOO_DEEP);
    assert_eq!(refused_request(with_data(Some(deep))), expect);

    let mut request = asked(v1::pb::Part::default());
    request.message.as_mut().unwrap().role = 9;
    let refused = refused_request(wire::SendMessageRequest::try_from(request));
    assert_eq!(refused, ("message.role: unknown role 9".to_owned(), invalid));
    let list = v1::pb::ListTasksRequest { status: -1, ..v1::pb::ListTasksRequest::default() };
    let refused = refused_request(wire::ListTasksRequest::try_from(list));
    assert_eq!(refused, ("status: unknown task state -1".to_owned(), invalid));
    for (seconds, nanos) in [(i64::MAX, 0), (0, -1), (0, 1_000_000_000), (-62_135_596_801, 0)] {
        let after = Some(prost_types::Timestamp { seconds, nanos });
        let list = v1::pb::ListTasksRequest { status_timestamp_after: after, ..v1::pb::ListTasksRequest::default() };
        let (refused, _) = refused_request(wire::ListTasksRequest::try_from(list));
        assert_eq!(refused, "statusTimestampAfter: must be a timestamp in the years 1 to 9999");
    }
    let get = v03::pb::GetTaskRequest { name: "t1".to_owned(), history_length: 0 };
    let refused = refused_request(wire::GetTaskRequest::try_from(get));
    assert_eq!(refused, ("name: must be tasks/{id}".to_owned(), invalid));
}

#[test]
fn requests_without_a_grpc_form_are_rejected() {
    let generation = wire::GetTaskRequest { current_generation: Some(3), ..wire::GetTaskRequest::default() };
    let (refused, _) = refused_request(v1::pb::GetTaskRequest::try_from(generation));
    assert_eq!(refused, "currentGeneration: gRPC has no field for it");
    let tenant = wire::CancelTaskRequest { tenant: Some("a".into()), ..wire::CancelTaskRequest::default() };
    let (refused, _) = refused_request(v03::pb::CancelTaskRequest::try_from(tenant));
    assert_eq!(refused, "tenant: 0.3 has no tenants");
    let none = wire::GetTaskRequest { history_length: Some(0), ..wire::GetTaskRequest::default() };
    let (refused, _) = refused_request(v03::pb::GetTaskRequest::try_from(none));
    assert_eq!(refused, "historyLength: 0.3 cannot request an empty history");
}

fn written(part: wire::Part<'static>) -> Result<v1::pb::Task, wire::Error> {
    let artifact = wire::Artifact { parts: vec![part], ..wire::Artifact::default() };
    wire::Task { artifacts: Some(vec![artifact]), ..wire::Task::default() }.try_into()
}

fn data(json: &str) -> wire::Part<'static> {
    wire::Part { data: Some(Json::parse(json).unwrap()), ..wire::Part::default() }
}

#[test]
fn responses_without_a_grpc_form_are_rejected() {
    let objects = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    let arrays = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for (part, expect, code) in [
        (data("1e400"), "data: number out of range", ErrorCode::INVALID_REQUEST),
        (data("\"\\ud800\""), "data: unexpected end of hex escape", ErrorCode::INVALID_REQUEST),
        (data(&objects(31)), "data: nested deeper than gRPC allows", ErrorCode::TOO_DEEP),
        (data(&arrays(46)), "data: nested deeper than gRPC allows", ErrorCode::TOO_DEEP),
        (wire::Part::default(), " exactly one of text, raw, url, data", ErrorCode::INVALID_REQUEST),
        (
            wire::Part { raw: Some("a b".into()), ..wire::Part::default() },
            "raw: must be base64",
            ErrorCode::INVALID_REQUEST,
        ),
        (
            wire::Part { metadata: Some(Json::string("x")), ..wire::Part::text("a") },
            "metadata: must be a JSON object",
            ErrorCode::INVALID_REQUEST,
        ),
    ] {
        let error = written(part).unwrap_err();
        assert_eq!((error.kind, error.code), (ErrorKind::InvalidAgentResponse, code));
        assert!(error.message.contains("artifacts[0].parts[0]") && error.message.ends_with(expect), "{error}");
    }
    let far = wire::TaskStatus { timestamp: Some(Timestamp::from_millis(i64::MAX)), ..wire::TaskStatus::default() };
    let error = v1::pb::TaskStatus::try_from(far).unwrap_err();
    assert!(error.message.ends_with("timestamp: must be in the years 1 to 9999"), "{error}");

    // The deepest value that is written can be read by every reader.
    for json in [objects(30), arrays(45)] {
        let task = written(data(&json)).unwrap();
        let message = v1::pb::stream_response::Payload::Task(task);
        let bytes = v1::pb::StreamResponse { payload: Some(message) }.encode_to_vec();
        v1::pb::StreamResponse::decode(bytes.as_slice()).unwrap();
    }
}

#[test]
fn numbers_are_doubles_in_their_shortest_form() {
    for (given, expect) in [
        ("42", "42"),
        ("42.0", "42"),
        ("-0.0", "-0.0"),
        ("0.1", "0.1"),
        ("9007199254740992", "9007199254740992"),
        ("9007199254740993", "9007199254740992"),
        ("18446744073709551615", "1.8446744073709552e+19"),
        ("1e21", "1e+21"),
        ("5e-324", "5e-324"),
        ("{\"b\":1,\"a\":2,\"b\":3}", "{\"a\":2,\"b\":3}"),
    ] {
        let pb = v1::pb::Part::try_from(data(given)).unwrap();
        let read = wire::Part::try_from(pb).unwrap().data.unwrap();
        assert_eq!(read.as_str(), expect, "{given}");
    }
}

#[test]
fn every_error_kind_has_a_code_and_details() {
    let mut error = wire::Error::new(ErrorKind::TaskNotFound, ErrorCode::TASK_NOT_FOUND, "there is no task 't1'");
    let shown = status(&error);
    assert_eq!((shown.code(), shown.message()), (tonic::Code::NotFound, "there is no task 't1'"));
    insta::assert_snapshot!("not_found_details", hex(shown.details()));
    assert_eq!(error_from_status(&shown, known_codes()), error);

    let mut violations = baton_types::Violations::default();
    violations.add("message.parts", "at least one part is required");
    violations.add("message.role", "required, such as ROLE_USER");
    error = wire::Error::invalid_params(violations).with_code(error_codes::TOO_MANY_PARTS);
    let shown = status(&error);
    assert_eq!(shown.code(), tonic::Code::InvalidArgument);
    insta::assert_snapshot!("invalid_params_details", hex(shown.details()));
    assert_eq!(error_from_status(&shown, known_codes()), error);

    for (kind, code) in [
        (ErrorKind::TaskNotCancelable, tonic::Code::FailedPrecondition),
        (ErrorKind::PushNotificationNotSupported, tonic::Code::FailedPrecondition),
        (ErrorKind::UnsupportedOperation, tonic::Code::FailedPrecondition),
        (ErrorKind::ContentTypeNotSupported, tonic::Code::InvalidArgument),
        (ErrorKind::InvalidAgentResponse, tonic::Code::Internal),
        (ErrorKind::ExtendedAgentCardNotConfigured, tonic::Code::FailedPrecondition),
        (ErrorKind::ExtensionSupportRequired, tonic::Code::FailedPrecondition),
        (ErrorKind::VersionNotSupported, tonic::Code::FailedPrecondition),
        (ErrorKind::TaskGenerationMismatch, tonic::Code::Aborted),
        (ErrorKind::Parse, tonic::Code::InvalidArgument),
        (ErrorKind::InvalidParams, tonic::Code::InvalidArgument),
        (ErrorKind::MethodNotFound, tonic::Code::Unimplemented),
        (ErrorKind::Forbidden, tonic::Code::PermissionDenied),
        (ErrorKind::Unavailable, tonic::Code::Unavailable),
        (ErrorKind::Internal, tonic::Code::Internal),
    ] {
        let error = wire::Error::new(kind, ErrorCode::INVALID_REQUEST, "no");
        assert_eq!(status(&error).code(), code, "{kind:?}");
        assert_eq!(error_from_status(&status(&error), known_codes()), error, "{kind:?}");
    }
    let bare = error_from_status(&tonic::Status::new(tonic::Code::NotFound, "gone"), known_codes());
    assert_eq!((bare.kind, bare.message.as_str()), (ErrorKind::TaskNotFound, "gone"));
}

/// Hexadecimal next to text: the details are bytes that clients in other languages parse.
fn hex(bytes: &[u8]) -> String {
    let line = |chunk: &[u8]| {
        let hex: Vec<String> = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
        let visible = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
        format!("{:<48}{}", hex.join(" "), chunk.iter().map(visible).collect::<String>())
    };
    bytes.chunks(16).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn empty_object_stays_an_object() {
    let part = v1::pb::Part { metadata: Some(Struct::default()), ..v1::pb::Part::default() };
    assert_eq!(wire::Part::try_from(part).unwrap().metadata.unwrap().as_str(), "{}");
}
