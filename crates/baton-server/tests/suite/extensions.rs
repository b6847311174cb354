//! A2A extensions: idempotent sends, task generations, and waiting for the next generation.

use crate::{
    bindings::{Binding, Op, Reply, ask},
    world::configured,
    world::{engine, options, weather},
};
use axum::Router;
use baton_http_a2a::A2aOptions;
use baton_server::app;
use baton_wire::a2a::v1::{AgentExtension, GENERATION, IDEMPOTENCY, TOOL_EXECUTION};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

fn send_params(id: &str, text: &str) -> Value {
    json!({"message": {"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]}})
}

async fn send(app: &Router, binding: Binding, params: &Value, headers: &[(&str, &str)]) -> Reply {
    ask(app, binding, Op::Send, params, headers).await.unwrap()
}

fn id(reply: &Reply) -> String {
    reply.task()["id"].as_str().unwrap().to_owned()
}

fn header<'a>(reply: &'a Reply, name: &str) -> Option<&'a str> {
    reply.headers.get(name).map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_send_with_a_key_can_be_repeated_in_every_binding() {
    let app = weather();
    for binding in Binding::ALL {
        let own = format!("{binding:?}");
        let key = [("idempotency-key", own.as_str())];
        let first = id(&send(&app, binding, &send_params("m1", "Hello"), &key).await);
        // A retry may have another message id.
        assert_eq!(id(&send(&app, binding, &send_params("m1", "Hello"), &key).await), first, "{binding:?}");
        assert_eq!(id(&send(&app, binding, &send_params("m2", "Hello"), &key).await), first, "{binding:?}");
        let streamed = ask(&app, binding, Op::Stream, &send_params("m3", "Hello"), &key).await.unwrap();
        let begun = &streamed.items[0];
        assert_eq!(begun.get("task").unwrap_or(begun)["id"], first, "{binding:?}");
        let refused = send(&app, binding, &send_params("m1", "Something else"), &key).await;
        let refused = refused.refused();
        assert_eq!(
            (refused.baton_code.as_str(), &refused.fields[..]),
            ("BTN-2013", &["Idempotency-Key".to_owned()][..])
        );
        // Without a key, the same message creates another task.
        assert_ne!(id(&send(&app, binding, &send_params("m1", "Hello"), &[]).await), first);
    }
}

#[tokio::test]
async fn the_extension_takes_its_key_from_the_message() {
    let app = weather();
    for (index, binding) in Binding::ALL.into_iter().enumerate() {
        // The header has another name in 0.3; both names are accepted.
        for name in ["a2a-extensions", "x-a2a-extensions"] {
            let asking = format!("urn:unknown, {IDEMPOTENCY}");
            let given = [(name, asking.as_str())];
            let own = format!("message-{index}-{name}");
            let first = send(&app, binding, &send_params(&own, "Hello"), &given).await;
            assert_eq!(header(&first, name), Some(IDEMPOTENCY), "{binding:?}");
            assert_eq!(id(&send(&app, binding, &send_params(&own, "Hello"), &given).await), id(&first));
            assert_ne!(id(&send(&app, binding, &send_params("another", "Hello"), &[]).await), id(&first));
            let refused = send(&app, binding, &send_params(&own, "Something else"), &given).await;
            assert_eq!(refused.refused().baton_code, "BTN-2013");

            let mut keyed = send_params("a", "Hello");
            keyed["message"]["metadata"] = json!({IDEMPOTENCY: {"key": format!("key-{index}-{name}")}});
            let first = id(&send(&app, binding, &keyed, &given).await);
            keyed["message"]["messageId"] = "b".into();
            assert_eq!(id(&send(&app, binding, &keyed, &given).await), first);
            // Without the extension header, the key in the metadata has no effect.
            assert_ne!(id(&send(&app, binding, &keyed, &[]).await), first);
            keyed["message"]["metadata"] = json!({IDEMPOTENCY: {"key": ""}});
            let refused = send(&app, binding, &keyed, &given).await;
            assert_eq!(refused.refused().reason, "INVALID_PARAMS");
        }
    }
}

#[tokio::test]
async fn keys_hold_across_bindings() {
    let app = weather();
    let key = [("idempotency-key", "once")];
    let first = id(&send(&app, Binding::JsonRpc, &send_params("m", "Hello"), &key).await);
    for binding in Binding::ALL {
        let reply = send(&app, binding, &send_params("m", "Hello"), &key).await;
        assert_eq!(id(&reply), first, "{binding:?}");
    }
    let listed = ask(&app, Binding::Rest, Op::List, &json!({}), &[]).await.unwrap();
    assert_eq!(listed.one()["totalSize"], 1);
}

/// Generation of a task or an event.
fn generation(shown: &Value) -> Option<u64> {
    let inner = ["task", "statusUpdate", "artifactUpdate"].iter().find_map(|name| shown.get(*name)).unwrap_or(shown);
    inner["metadata"][GENERATION]["generation"].as_f64().map(|number| {
        assert!(number.fract() == 0.0 && number >= 1.0);
        format!("{number:.0}").parse().unwrap()
    })
}

#[tokio::test]
async fn generation_is_included_only_if_requested() {
    let app = weather();
    let asking = [("a2a-extensions", GENERATION)];
    for binding in Binding::ALL {
        let streamed = ask(&app, binding, Op::Stream, &send_params("m", "look"), &asking).await.unwrap();
        assert_eq!(header(&streamed, "a2a-extensions"), Some(GENERATION), "{binding:?}");
        let seen: Vec<_> = streamed.items.iter().filter_map(generation).collect();
        assert!(seen.len() > 2 && seen.windows(2).all(|pair| pair[0] < pair[1]), "{binding:?} {seen:?}");
        let first = &streamed.items[0];
        let task = json!({"id": first.get("task").unwrap_or(first)["id"]});
        let got = ask(&app, binding, Op::Get, &task, &asking).await.unwrap();
        assert_eq!(generation(got.task()), seen.last().copied(), "{binding:?}");
        let plain = ask(&app, binding, Op::Get, &task, &[]).await.unwrap();
        assert_eq!((generation(plain.task()), header(&plain, "a2a-extensions")), (None, None));
        let streamed = ask(&app, binding, Op::Stream, &send_params("m", "look"), &[]).await.unwrap();
        assert!(streamed.items.iter().all(|item| generation(item).is_none()));
    }
    let listed = ask(&app, Binding::Rest, Op::List, &json!({}), &asking).await.unwrap();
    assert!(listed.one()["tasks"].as_array().unwrap().iter().all(|task| generation(task).is_some()));
}

#[tokio::test]
async fn a_send_can_depend_on_the_generation() {
    let asking = [("a2a-extensions", GENERATION)];
    for binding in Binding::ALL {
        let app = weather();
        let asked = send(&app, binding, &send_params("m", "ask"), &asking).await;
        let now = generation(asked.task()).unwrap();
        let answering = |generation: Value| {
            let mut params = send_params("a", "Oakland");
            params["message"]["taskId"] = id(&asked).into();
            params["message"]["metadata"] = json!({GENERATION: {"ifGenerationMatch": generation}});
            params
        };
        for wrong in [now - 1, now + 1, 0] {
            let refused = send(&app, binding, &answering(json!(wrong)), &asking).await;
            assert_eq!(refused.refused().reason, "TASK_GENERATION_MISMATCH", "{binding:?} {wrong}");
            assert!(refused.refused().message.ends_with(&format!("is at generation {now}")));
        }
        let refused = send(&app, binding, &answering(json!("many")), &asking).await;
        assert_eq!(refused.refused().reason, "INVALID_PARAMS");
        let answered = send(&app, binding, &answering(json!(now)), &asking).await;
        assert!(generation(answered.task()).unwrap() > now, "{binding:?}");
    }
}

async fn wait(app: &Router, binding: Binding, task: &str, known: u64) -> Reply {
    let known = known.to_string();
    let asking = [("a2a-extensions", GENERATION), ("baton-current-generation", known.as_str())];
    match binding {
        Binding::JsonRpc | Binding::Rest => {
            let params = json!({"id": task, "currentGeneration": known.parse::<u64>().unwrap()});
            ask(app, binding, Op::Get, &params, &asking[..1]).await.unwrap()
        }
        _ => ask(app, binding, Op::Get, &json!({"id": task}), &asking).await.unwrap(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_get_can_wait_for_the_next_change() {
    let asking = [("a2a-extensions", GENERATION)];
    for binding in Binding::ALL {
        let app = weather();
        let mut hang = send_params("m", "hang");
        hang["configuration"] = json!({"returnImmediately": true});
        let begun = id(&send(&app, Binding::JsonRpc, &hang, &asking).await);
        let got = ask(&app, Binding::JsonRpc, Op::Get, &json!({"id": begun}), &asking).await.unwrap();
        let now = settle(&app, &begun, generation(got.task()).unwrap()).await;

        // Without a change, the same task is returned after the maximum wait.
        let start = Instant::now();
        let same = wait(&app, binding, &begun, now).await;
        assert_eq!((generation(same.task()), start.elapsed()), (Some(now), Duration::from_secs(30)), "{binding:?}");
        // An outdated generation returns immediately.
        let start = Instant::now();
        let ahead = wait(&app, binding, &begun, now - 1).await;
        assert_eq!((generation(ahead.task()), start.elapsed()), (Some(now), Duration::ZERO), "{binding:?}");
        // A change during the wait ends it.
        let start = Instant::now();
        let canceled = async {
            tokio::time::sleep(Duration::from_secs(7)).await;
            ask(&app, Binding::Rest, Op::Cancel, &json!({"id": begun}), &[]).await.unwrap()
        };
        let (changed, _) = tokio::join!(wait(&app, binding, &begun, now), canceled);
        assert_eq!(start.elapsed(), Duration::from_secs(7), "{binding:?}");
        assert!(generation(changed.task()).unwrap() > now);
        assert!(changed.task().to_string().to_lowercase().contains("cancel"));
    }
}

/// Waits until the generation no longer changes.
async fn settle(app: &Router, task: &str, mut known: u64) -> u64 {
    loop {
        let got = wait(app, Binding::JsonRpc, task, known).await;
        match generation(got.task()).unwrap() {
            same if same == known => return known,
            later => known = later,
        }
    }
}

#[tokio::test]
async fn extensions_are_acknowledged_in_the_header_of_the_request() {
    let app = weather();
    for binding in Binding::ALL {
        for name in ["a2a-extensions", "x-a2a-extensions"] {
            let asking = [(name, GENERATION)];
            let asked = id(&send(&app, binding, &send_params("m", "ask"), &[]).await);
            let push = json!({"taskId": asked, "id": "config", "url": "https://hooks.example.com"});
            for (op, params) in [
                (Op::Get, json!({"id": asked})),
                (Op::List, json!({})),
                (Op::CreatePush, push.clone()),
                (Op::GetPush, push.clone()),
                (Op::ListPush, json!({"taskId": asked})),
                (Op::DeletePush, json!({"taskId": asked, "id": "config"})),
                (Op::Card, json!({})),
                (Op::Cancel, json!({"id": asked})),
            ] {
                // Some dialects lack some operations.
                let Some(reply) = ask(&app, binding, op, &params, &asking).await else { continue };
                assert_eq!(reply.refusal, None, "{binding:?} {op:?}");
                assert_eq!(header(&reply, name), Some(GENERATION), "{binding:?} {op:?}");
            }
        }
    }
}

#[tokio::test]
async fn only_known_extensions_are_acknowledged() {
    let extension = AgentExtension { uri: "urn:needed".to_owned(), required: true, ..AgentExtension::default() };
    let a2a = A2aOptions { extensions: vec![extension], ..A2aOptions::default() };
    let app = app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.a2a = a2a;
        }),
    );
    let all = format!("urn:needed,{TOOL_EXECUTION} , urn:other,{GENERATION}");
    for binding in Binding::ALL {
        let reply = send(&app, binding, &send_params("m", "Hello"), &[("a2a-extensions", all.as_str())]).await;
        let echoed = header(&reply, "a2a-extensions").unwrap();
        let mut echoed: Vec<_> = echoed.split(',').collect();
        echoed.sort_unstable();
        assert_eq!(echoed, [GENERATION, TOOL_EXECUTION, "urn:needed"], "{binding:?}");
        // Required extensions apply to sends only.
        let task = json!({"id": id(&reply)});
        assert_eq!(ask(&app, binding, Op::Get, &task, &[]).await.unwrap().refusal, None, "{binding:?}");
    }
}
