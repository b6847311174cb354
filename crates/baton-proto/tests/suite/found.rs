//! Inputs that fuzzing found, each as small as it could be made.

use baton_proto::v1::pb;
use baton_wire::a2a::v1 as wire;

#[test]
fn the_last_moment_that_protobuf_knows_is_one_in_json_too() {
    let last = pb::ListTasksRequest {
        status_timestamp_after: Some(prost_types::Timestamp { seconds: 253_402_300_799, nanos: 999_999_999 }),
        ..pb::ListTasksRequest::default()
    };
    let read = wire::ListTasksRequest::try_from(last).unwrap();
    let text = serde_json::to_string(&read).unwrap();
    assert_eq!(text, r#"{"statusTimestampAfter":"9999-12-31T23:59:59.999Z"}"#);
    assert_eq!(serde_json::from_str::<wire::ListTasksRequest<'static>>(&text).unwrap(), read);
}
