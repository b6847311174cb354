//! Server behaviour that the kits expect, apart from the behaviours of the agent.

use super::{
    operations::{BINDINGS, Op, Rejection, send_params},
    sut::{Sut, get, json, request},
};
use serde_json::{Value, json};

const JSON: (&str, &str) = ("content-type", "application/json");

async fn rpc(url: &str, headers: &[(&str, &str)], method: &str, params: Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let response = request("POST", url, &[&[JSON], headers].concat(), &body).await;
    assert!(!response.status().is_redirection());
    json(response).await.1
}

#[tokio::test]
async fn addresses_with_and_without_a_slash_are_the_same() {
    let sut = Sut::start(None).await;
    for base in [&sut.json_rpc, &format!("{}/a2a", sut.json_rpc), &sut.url().to_owned(), &format!("{}/a2a", sut.url())]
    {
        for url in [base.clone(), format!("{base}/")] {
            let reply = rpc(&url, &[("a2a-version", "1.0")], "ListTasks", json!({})).await;
            assert_eq!(reply["result"]["totalSize"], 0, "{url}: {reply}");
        }
    }
}

#[tokio::test]
async fn snake_case_unknown_and_null_parameters_are_accepted() {
    let sut = Sut::start(None).await;
    let url = &sut.json_rpc;
    let sent = json!({"message": {"message_id": "tck-artifact-text", "context_id": "c-1", "role": "ROLE_USER",
            "parts": [{"text": "x", "media_type": "text/plain", "filename": null, "colour": "red"}], "mood": 1},
        "configuration": {"history_length": 1, "return_immediately": false, "accepted_output_modes": ["text/plain"]},
        "unknown": {"a": [1]}});
    let reply = rpc(url, &[], "SendMessage", sent).await;
    let task = &reply["result"]["task"];
    assert_eq!((&task["contextId"], task["history"].as_array().map(Vec::len)), (&json!("c-1"), Some(1)), "{reply}");
    let got = rpc(url, &[], "GetTask", json!({"id": task["id"], "history_length": 0})).await;
    assert_eq!((&got["result"]["id"], got["result"].get("history")), (&task["id"], None));
    let query =
        json!({"context_id": "c-1", "page_size": 1, "include_artifacts": true, "page_token": "", "status": null});
    let listed = rpc(url, &[], "ListTasks", query).await;
    assert_eq!((&listed["result"]["pageSize"], &listed["result"]["totalSize"]), (&json!(1), &json!(1)));
    assert!(listed["result"]["tasks"][0]["artifacts"].is_array());
    let push = json!({"task_id": task["id"], "url": "http://127.0.0.1:9/"});
    let created = rpc(url, &[], "CreateTaskPushNotificationConfig", push).await;
    assert_eq!(created["result"]["taskId"], task["id"], "{created}");
}

#[tokio::test]
async fn sends_without_a_message_are_refused_and_versions_checked() {
    let sut = Sut::start(None).await;
    for binding in BINDINGS {
        let refused = sut.call(binding, Op::Send, &json!({})).await;
        assert_eq!(refused.err(), Some(Rejection("INVALID_PARAMS".to_owned())), "{binding:?}");
    }
    let send = format!("{}/message:send", sut.rest);
    assert_eq!(json(request("POST", &send, &[JSON], "").await).await.0, 400);
    let hello = send_params("m", "x");
    for (version, accepted) in [("99.0", false), ("", true), ("1.0", true), ("1.0.1", true)] {
        let given = [("a2a-version", version)];
        let reply = rpc(&sut.json_rpc, &given, "SendMessage", hello.clone()).await;
        assert_eq!(reply.get("result").is_some(), accepted, "{version}: {reply}");
        let response = request("POST", &send, &[&[JSON], &given[..]].concat(), &hello.to_string()).await;
        assert_eq!(response.status() == 200, accepted, "{version}");
        let mut asked = tonic::Request::new(baton_proto::v1::pb::ListTasksRequest::default());
        asked.metadata_mut().insert("a2a-version", version.parse().expect("metadata"));
        let listed = sut.grpc().await.list_tasks(asked).await;
        assert_eq!(listed.is_ok(), accepted, "{version}: {listed:?}");
    }
    // An unknown media type of a part is accepted, and a wrong one of a body is an error.
    for binding in BINDINGS {
        let mut strange = send_params("m", "x");
        strange["message"]["parts"] = json!([{"raw": "aGk=", "mediaType": "application/x-unsupported"}]);
        assert!(sut.call(binding, Op::Send, &strange).await.is_ok(), "{binding:?}");
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}).to_string();
    let (_, wrong) = json(request("POST", &sut.json_rpc, &[("content-type", "text/plain")], &body).await).await;
    assert_eq!(wrong["error"]["code"], -32005);
}

#[tokio::test]
async fn empty_request_bodies_are_accepted() {
    let sut = Sut::start(None).await;
    let asked = sut.call(BINDINGS[0], Op::Send, &send_params("tck-input-required", "x")).await.expect("a task");
    let task = asked["task"]["id"].as_str().expect("an id");
    let subscribed = request("POST", &format!("{}/tasks/{task}:subscribe", sut.rest), &[JSON], "").await;
    assert_eq!(subscribed.headers()["content-type"], "text/event-stream");
    let subscribed = get(&format!("{}/tasks/{task}:subscribe", sut.rest), &[]).await;
    assert_eq!(subscribed.headers()["content-type"], "text/event-stream");
    let config = json!({"url": "http://127.0.0.1:9/"}).to_string();
    let configs = format!("{}/tasks/{task}/pushNotificationConfigs", sut.rest);
    let (status, created) = json(request("POST", &configs, &[JSON], &config).await).await;
    assert_eq!((status, &created["taskId"]), (200, &json!(task)));
    let (status, canceled) =
        json(request("POST", &format!("{}/tasks/{task}:cancel", sut.rest), &[JSON], "").await).await;
    assert_eq!((status, &canceled["status"]["state"]), (200, &json!("TASK_STATE_CANCELED")));
}

#[tokio::test]
async fn repeated_message_creates_another_task_in_the_named_context() {
    let sut = Sut::start(None).await;
    let mut tasks = std::collections::BTreeSet::new();
    for binding in BINDINGS {
        for _ in 0..3 {
            let mut params = send_params("tck-complete-task-same", "x");
            params["message"]["contextId"] = "context-of-the-client".into();
            let answer = sut.call(binding, Op::Send, &params).await.expect("a task");
            assert_eq!(answer["task"]["contextId"], "context-of-the-client");
            assert!(tasks.insert(answer["task"]["id"].to_string()), "{binding:?}");
        }
    }
    for binding in BINDINGS {
        let listed = sut.call(binding, Op::List, &json!({"contextId": "context-of-the-client", "pageSize": 4})).await;
        let listed = listed.expect("a page");
        assert_eq!((&listed["totalSize"], listed["tasks"].as_array().map(Vec::len)), (&json!(9), Some(4)));
        let next = json!({"contextId": "context-of-the-client", "pageSize": 100, "pageToken": listed["nextPageToken"]});
        let rest = sut.call(binding, Op::List, &next).await.expect("the rest");
        assert_eq!((&rest["nextPageToken"], rest["tasks"].as_array().map(Vec::len)), (&json!(""), Some(5)));
        let none = sut.call(binding, Op::List, &json!({"contextId": "nobody's"})).await.expect("an empty page");
        assert_eq!(none, json!({"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0}), "{binding:?}");
    }
}

#[tokio::test]
async fn card_is_complete_and_cacheable_and_the_extended_card_is_public() {
    let sut = Sut::start(None).await;
    let url = format!("{}/.well-known/agent-card.json", sut.url());
    let response = get(&url, &[]).await;
    let header = |name: &str| response.headers()[name].to_str().expect("text").to_owned();
    assert!(header("cache-control").contains("max-age="));
    assert!(header("last-modified").ends_with(" GMT"));
    let etag = header("etag");
    assert_eq!(get(&url, &[("if-none-match", etag.as_str())]).await.status(), 304);
    let card = &sut.card;
    for required in ["name", "description", "version"] {
        assert!(card[required].as_str().is_some_and(|text| !text.is_empty()), "{required}");
    }
    for required in ["supportedInterfaces", "defaultInputModes", "defaultOutputModes", "skills"] {
        assert!(card[required].as_array().is_some_and(|list| !list.is_empty()), "{required}");
    }
    for skill in card["skills"].as_array().expect("skills") {
        assert!(["id", "name", "description"].iter().all(|name| skill[*name].is_string()) && skill["tags"].is_array());
    }
    let offered = &card["capabilities"];
    for name in ["streaming", "pushNotifications", "extendedAgentCard"] {
        assert_eq!(offered[name], true, "{name}");
    }
    for binding in BINDINGS {
        let extended = sut.call(binding, Op::Card, &json!({})).await.expect("a card");
        assert_eq!((&extended["name"], &extended["version"]), (&card["name"], &card["version"]), "{binding:?}");
    }
}
