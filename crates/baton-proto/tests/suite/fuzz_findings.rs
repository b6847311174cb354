//! Minimized inputs found by fuzzing.

use baton_proto::v1::pb;
use baton_wire::a2a::v1 as wire;

#[test]
fn latest_protobuf_timestamp_round_trips_through_json() {
    let last = pb::ListTasksRequest {
        status_timestamp_after: Some(prost_types::Timestamp { seconds: 253_402_300_799, nanos: 999_999_999 }),
        ..pb::ListTasksRequest::default()
    };
    let read = wire::ListTasksRequest::try_from(last).unwrap();
    let text = serde_json::to_string(&read).unwrap();
    assert_eq!(text, r#"{"statusTimestampAfter":"9999-12-31T23:59:59.999Z"}"#);
    assert_eq!(serde_json::from_str::<wire::ListTasksRequest<'static>>(&text).unwrap(), read);
}
