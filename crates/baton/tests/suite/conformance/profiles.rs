//! The two profiles with rejections that would break every other test.

use super::{
    operations::{BINDINGS, Op, Rejection, send_params},
    sut::{Sut, json, request},
};
use serde_json::json;

#[tokio::test]
async fn profile_without_streaming_and_push_rejects_both() {
    let sut = Sut::start(Some("no-streaming.yaml")).await;
    assert_eq!(
        (&sut.card["capabilities"]["streaming"], &sut.card["capabilities"]["pushNotifications"]),
        (&json!(false), &json!(false))
    );
    for binding in BINDINGS {
        let sent = sut.call(binding, Op::Send, &send_params("tck-input-required", "x")).await.expect("a task");
        let task = sent["task"]["id"].as_str().expect("an id");
        let streaming = Some(Rejection("UNSUPPORTED_OPERATION".to_owned()));
        assert_eq!(sut.stream(binding, &send_params("tck-stream-001", "x")).await.err(), streaming, "{binding:?}");
        assert_eq!(sut.subscribe(binding, task).await.err(), streaming, "{binding:?}");
        let config = json!({"taskId": task, "url": "http://127.0.0.1:9/"});
        let named = json!({"taskId": task, "id": "c"});
        for (op, params) in [
            (Op::CreatePush, config),
            (Op::GetPush, named.clone()),
            (Op::ListPush, json!({"taskId": task})),
            (Op::DeletePush, named),
        ] {
            let refused = sut.call(binding, op, &params).await.err();
            assert_eq!(refused, Some(Rejection("PUSH_NOTIFICATION_NOT_SUPPORTED".to_owned())), "{binding:?} {op:?}");
        }
    }
}

#[tokio::test]
async fn required_extension_must_be_named_by_senders() {
    const NEEDED: &str = "urn:a2a:tck:required-extension";
    let sut = Sut::start(Some("required-extension.yaml")).await;
    let declared = sut.card["capabilities"]["extensions"].as_array().expect("extensions").iter();
    assert!(declared.into_iter().any(|one| one["uri"] == NEEDED && one["required"] == true));
    for binding in BINDINGS {
        let refused = Some(Rejection("EXTENSION_SUPPORT_REQUIRED".to_owned()));
        assert_eq!(sut.call(binding, Op::Send, &send_params("m", "x")).await.err(), refused, "{binding:?}");
        assert_eq!(sut.stream(binding, &send_params("m", "x")).await.err(), refused, "{binding:?}");
        assert!(sut.call(binding, Op::List, &json!({})).await.is_ok(), "reading needs no extension");
    }
    let headers = [("content-type", "application/json"), ("a2a-version", "1.0"), ("a2a-extensions", NEEDED)];
    let response =
        request("POST", &format!("{}/message:send", sut.rest), &headers, &send_params("m", "x").to_string()).await;
    assert_eq!(response.headers()["a2a-extensions"], NEEDED);
    assert_eq!(json(response).await.0, 200);
}
