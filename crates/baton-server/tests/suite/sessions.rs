//! Sessions over HTTP: lists, export and import, settings, and errors.

use crate::{
    bindings::{headers, raw},
    world::{client, definitions, engine, message, options},
};
use baton_api::{ChangeSession, ForkSession, SessionItem, SessionSettingsBody};
use baton_client::{Client, ClientError, SendRequest, SessionFormat, SessionName};
use baton_http_api::DefinitionPorts;
use baton_ports::AgentRepository as _;
use baton_server::app;
use baton_types::{ItemKind, Json, Message};
use baton_wire::a2a::v1::{Task, TaskState};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Text that looks like markers of the Markdown format, with significant white space.
const TRICKY: &str = "## User · now\n\n\\## Agent\n### Call `x` 1\n```\n  code\n```\n<!-- given: nothing -->\n\n";

fn named(context: &str) -> SessionName<'_> {
    SessionName { context, agent: None }
}

async fn say(client: &Client, context: &str, text: &str) -> Task<'static> {
    let message = Message { context: Some(context.into()), ..message(text) };
    client.send("weather", SendRequest::new(message)).await.unwrap()
}

fn settings(value: Value) -> ChangeSession {
    ChangeSession { settings: Some(Json::from(value)), ..ChangeSession::default() }
}

/// Creates a session with a tool call, an answered question, ambiguous text and its own model.
async fn create_session(client: &Client) {
    say(client, "trip", "look").await;
    let asked = say(client, "trip", "ask").await;
    assert_eq!(asked.status.state, TaskState::InputRequired);
    let answer = Message { task: Some(asked.id.as_ref().into()), ..message("Lisbon") };
    client.send("weather", SendRequest::new(answer)).await.unwrap();
    let change = settings(json!({"model": "openai:gpt-5", "temperature": 0.2, "max_turns": 9}));
    client.change_session(named("trip"), &change).await.unwrap();
    say(client, "trip", TRICKY).await;
    let change = ChangeSession {
        title: Some("Trip: \"Lisbon\"".to_owned()),
        include: vec![SessionItem { kind: ItemKind::Rule, name: "style".to_owned() }],
        exclude: vec![SessionItem { kind: ItemKind::Tool, name: "get_weather".to_owned() }],
        ..ChangeSession::default()
    };
    client.change_session(named("trip"), &change).await.unwrap();
}

async fn exported(client: &Client, context: &str, form: SessionFormat) -> String {
    let file = client.export_session(named(context), form).await.unwrap();
    String::from_utf8(file.to_vec()).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "errors are given as they come out of replies")]
fn code(error: ClientError) -> String {
    let refusal = error.refusal().unwrap();
    format!("{} {} {}", refusal.status, refusal.baton_code.as_deref().unwrap_or_default(), refusal.message)
}

#[tokio::test]
async fn exported_session_can_be_imported() {
    let client = client();
    create_session(&client).await;
    let before = exported(&client, "trip", SessionFormat::Json).await;
    let shown = client.session(named("trip")).await.unwrap();
    assert_eq!(shown.session.title.as_deref(), Some("Trip: \"Lisbon\""));
    assert_eq!(client.delete_session(named("trip"), false).await.unwrap().tasks, 3);
    assert!(code(client.session(named("trip")).await.unwrap_err()).starts_with("404 BTN-2027"));

    let imported = client.import_session(before.clone().into(), SessionFormat::Json, None, None).await.unwrap();
    assert_eq!((imported.warnings.clone(), imported.session.imported), (Vec::new(), true));
    let after = exported(&client, &imported.session.context_id, SessionFormat::Json).await;
    let without_id = |text: &str| {
        let mut value: Value = serde_json::from_str(text).unwrap();
        value.as_object_mut().unwrap().remove("context_id").unwrap();
        value
    };
    assert_eq!(without_id(&after), without_id(&before));
    // The imported session can be continued.
    let went_on = say(&client, &imported.session.context_id, "look").await;
    assert_eq!(went_on.status.state, TaskState::Completed);
    let settings = insta_settings();
    settings.bind(|| insta::assert_snapshot!("session.json", pretty(&before)));
}

#[tokio::test]
async fn markdown_round_trip_preserves_texts() {
    let client = client();
    create_session(&client).await;
    let before = exported(&client, "trip", SessionFormat::Markdown).await;
    let original = client.session(named("trip")).await.unwrap();
    insta_settings().bind(|| insta::assert_snapshot!("session.md", before));
    let imported =
        client.import_session(before.clone().into(), SessionFormat::Markdown, None, Some("again")).await.unwrap();
    assert!(imported.warnings.len() == 2 && imported.warnings[0].contains("metadata"), "{:?}", imported.warnings);
    assert_eq!(exported(&client, "again", SessionFormat::Markdown).await, before.replace("\"trip\"", "\"again\""));
    let again = client.session(named("again")).await.unwrap();
    let words = |details: &baton_api::SessionDetails<baton_wire::a2a::v1::Message<'_>>| -> Vec<String> {
        let text = |parts: &[baton_wire::a2a::v1::Part<'_>]| {
            parts.iter().filter_map(|part| part.text.as_deref()).filter(|text| !text.is_empty()).collect()
        };
        details.messages.iter().map(|said| text(&said.message.parts)).collect()
    };
    assert_eq!(words(&again), words(&original));
    assert!(words(&again).iter().any(|text| text == TRICKY));
    assert_eq!((again.settings, again.included), (original.settings, original.included));

    // Handwritten files are accepted; unknown agents are rejected.
    let by_hand = "## User\n\nHello\n\n## Agent\n\nGood morning.\n## Users\n";
    let refused = client.import_session(by_hand.into(), SessionFormat::Markdown, None, None).await.unwrap_err();
    assert!(code(refused).contains("BTN-2029"));
    let imported = client.import_session(by_hand.into(), SessionFormat::Markdown, Some("weather"), None).await.unwrap();
    assert_eq!(imported.session.last_message.as_deref(), Some("Good morning.\n## Users"));
    let refused = client.import_session(by_hand.into(), SessionFormat::Markdown, Some("nobody"), None).await;
    assert!(code(refused.unwrap_err()).starts_with("404 BTN-2001"));
}

fn insta_settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

fn pretty(text: &str) -> String {
    serde_json::to_string_pretty(&serde_json::from_str::<Value>(text).unwrap()).unwrap()
}

#[tokio::test]
async fn session_list_is_paged_and_shows_last_messages() {
    let app = app(engine(&["weather", "other"]), options());
    let client = Client::in_memory(app.clone());
    for index in 0..5 {
        say(&client, &format!("a.b/c {index}"), &format!("word {index}")).await;
    }
    say(&client, "a.b/c 0", "and more").await;
    client.send("other", SendRequest::new(message("elsewhere"))).await.unwrap();
    let mut path = "/api/v1/sessions?page_size=2".to_owned();
    let mut seen = Vec::new();
    loop {
        let reply = raw(&app, "GET", &path, headers(&[]), "").await.into_body().collect().await.unwrap();
        let page: Value = serde_json::from_slice(&reply.to_bytes()).unwrap();
        assert_eq!(page["total"], 6);
        let sessions = page["sessions"].as_array().unwrap();
        assert!(sessions.len() <= 2);
        seen.extend(sessions.iter().map(|one| format!("{} {}", one["agent"], one["last_message"])));
        match page["next_page_token"].as_str() {
            Some(token) => {
                path = format!("/api/v1/sessions?page_size=2&page_token={}", baton_encoding::path_segment(token));
            }
            None => break,
        }
    }
    let expect = ["other\" \"elsewhere", "weather\" \"and more", "weather\" \"word 4", "weather\" \"word 3"];
    assert_eq!(seen.len(), 6);
    assert!(seen.iter().zip(expect).all(|(seen, expect)| seen.contains(expect)), "{seen:?}");
    let of_other = client.sessions(Some("other"), None).await.unwrap();
    assert_eq!((of_other.sessions.len(), of_other.total), (1, 1));
    let refused = client.sessions(None, Some("made up")).await.unwrap_err();
    assert!(code(refused).contains("next_page_token"));
    // Session names may contain special characters.
    let shown = client.session(named("a.b/c 0")).await.unwrap();
    assert_eq!((shown.session.tasks, shown.messages.len()), (2, 4));
    let fork = ForkSession {
        task_id: shown.messages[1].message.task_id.as_deref().map(str::to_owned),
        event: shown.messages[1].event,
        context_id: None,
    };
    let forked = client.fork_session(named("a.b/c 0"), &fork).await.unwrap();
    assert_eq!((forked.forked_from.as_deref(), forked.tasks), (Some("a.b/c 0"), 0));
    assert_eq!(client.session(named(&forked.context_id)).await.unwrap().messages.len(), 2);
}

#[tokio::test]
async fn invalid_session_requests_name_the_reason() {
    let client = client();
    say(&client, "c", "Hello").await;
    let hanging = Message { context: Some("busy".into()), ..message("hang") };
    let request = SendRequest { return_immediately: true, ..SendRequest::new(hanging) };
    client.send("weather", request).await.unwrap();
    let mut all = String::new();
    for change in [
        ChangeSession::default(),
        settings(json!({"colour": "red"})),
        settings(json!({"max_turns": 0})),
        settings(json!({"max_turns": "many"})),
        settings(json!({"temperature": -1})),
        settings(json!({"model": "gpt"})),
        settings(json!([])),
        ChangeSession { title: Some("two\nlines".to_owned()), ..ChangeSession::default() },
        ChangeSession {
            include: vec![SessionItem { kind: ItemKind::Rule, name: String::new() }],
            ..ChangeSession::default()
        },
    ] {
        let refused = client.change_session(named("c"), &change).await.unwrap_err();
        let _ = writeln!(all, "{}\n  {}", json!(change), code(refused));
    }
    for fork in [
        ForkSession { event: Some(1), ..ForkSession::default() },
        ForkSession { task_id: Some("nowhere".to_owned()), event: Some(1), ..ForkSession::default() },
        ForkSession { task_id: Some("nowhere".to_owned()), ..ForkSession::default() },
        ForkSession { context_id: Some("busy".to_owned()), ..ForkSession::default() },
    ] {
        let refused = client.fork_session(named("c"), &fork).await.unwrap_err();
        let _ = writeln!(all, "{}\n  {}", json!(fork), code(refused));
    }
    for file in [
        "{}",
        "{\"format\": \"other/1\", \"agent\": \"weather\", \"messages\": []}",
        "{\"format\": \"baton.session/1\", \"agent\": \"weather\", \"messages\": [{\"at\": null, \"message\": {}}]}",
        "{\"format\": \"baton.session/1\", \"agent\": \"weather\", \"settings\": {\"top_p\": 7}, \"messages\": []}",
    ] {
        let refused = client.import_session(file.into(), SessionFormat::Json, None, None).await.unwrap_err();
        let _ = writeln!(all, "{file}\n  {}", code(refused));
    }
    for refused in [
        client.delete_session(named("busy"), false).await.map(|_| ()),
        client.delete_session(named("nowhere"), true).await.map(|_| ()),
        client.reset_session(named("nowhere")).await.map(|_| ()),
        client.save_session(named("c")).await.map(|_| ()),
    ] {
        let _ = writeln!(all, "{}", code(refused.unwrap_err()));
    }
    insta_settings().bind(|| insta::assert_snapshot!("session_refusals", all));
    assert_eq!(client.delete_session(named("busy"), true).await.unwrap().canceled, 1);
}

#[tokio::test]
async fn session_settings_can_be_reset_and_saved_to_the_agent() {
    let agents = definitions(&[("agent.yaml", "name: weather # ours\n")]).await;
    let mut options = options();
    options.api.definitions = Some(DefinitionPorts { repository: agents.clone() });
    let client = Client::in_memory(app(engine(&["weather"]), options));
    say(&client, "c", "Hello").await;
    let refused = client.save_session(named("c")).await.unwrap_err();
    assert!(code(refused).contains("BTN-2029"));
    let change = settings(json!({"temperature": 0.25, "max_turns": 9, "autonomous": true}));
    let changed = client.change_session(named("c"), &change).await.unwrap();
    assert_eq!(changed.settings.temperature, Some(0.25));
    let changed = client.change_session(named("c"), &settings(json!({"autonomous": null}))).await.unwrap();
    assert_eq!((changed.settings.autonomous, changed.settings.max_turns), (None, Some(9)));
    let saved = client.save_session(named("c")).await.unwrap();
    assert_eq!((saved.file.as_deref(), saved.settings), (Some("weather/agent.yaml"), SessionSettingsBody::default()));
    let stored = agents.stored_agent(&"weather".into()).await.unwrap();
    let stored = std::str::from_utf8(&stored.files["agent.yaml"]).unwrap();
    assert_eq!(stored, "name: weather # ours\nsettings:\n  max_turns: 9\n  temperature: 0.25\n");
    client.change_session(named("c"), &change).await.unwrap();
    assert_eq!(client.reset_session(named("c")).await.unwrap().settings, SessionSettingsBody::default());
}
