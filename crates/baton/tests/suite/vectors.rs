//! Rules and references selected by meaning, with embeddings of a provider.

use crate::{
    binary::{Home, last_message},
    service::{RecordedRequest, ScriptedReply, Service},
};
use serde_json::{Value, json};
use std::fs;

/// Money points in one direction, everything else in another; a storm is an error.
fn answer(request: &RecordedRequest) -> ScriptedReply {
    let body = request.json();
    let texts: Vec<&str> = body["input"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if texts.iter().any(|text| text.contains("storm")) {
        return ScriptedReply::json("400 Bad Request", &json!({"error": {"message": "no storms"}}));
    }
    let is_money = |text: &str| ["cash", "Repayment", "money"].iter().any(|word| text.contains(word));
    let vector = |text: &&str| if is_money(text) { json!([1.0, 0.0]) } else { json!([0.0, 1.0]) };
    let data: Vec<Value> =
        texts.iter().enumerate().map(|(index, text)| json!({"index": index, "embedding": vector(text)})).collect();
    ScriptedReply::json("200 OK", &json!({ "data": data }))
}

/// The model's context, from the metadata of the answer.
fn selected_items(home: &Home, words: &str) -> Vec<String> {
    let ended = home.run(&["run", "shop", words, "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    let task: Value = serde_json::from_str(&ended.stdout).expect("a task");
    let items = &last_message(&task)["metadata"]["dev.baton/request-context"]["items"];
    let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
    let items = items.as_array().into_iter().flatten().filter(|item| item["kind"] != "tool");
    items.map(|item| format!("{} {} {}", text(item, "kind"), text(item, "name"), item["score"])).collect()
}

#[test]
fn configured_embeddings_select_rules_and_are_cached() {
    let service = Service::start(answer);
    let home = Home::new();
    home.agent("shop", "", "rules: [{ say: Well. }]\n");
    home.write("shop/rules/refunds.md", "---\ninclude: agent\n---\nRepayment takes a week.\n");
    home.write("shop/rules/parcels.md", "---\ninclude: agent\n---\nA parcel takes a day.\n");
    let definition = || fs::read_to_string(home.path("shop/agent.yaml")).expect("a definition");
    let before = definition();
    let by_words = selected_items(&home, "When do I see my cash?");
    assert!(by_words.is_empty(), "no keyword of the rule matches: {by_words:?}");

    let providers = format!("providers: {{ mine: {{ base_url: \"{}/v1\" }} }}\n", service.url);
    home.write("baton.yaml", &format!("{providers}embeddings: mine:small\n"));
    assert_eq!(selected_items(&home, "When do I see my cash?"), ["rule refunds 1.0"]);
    let asked = |from: usize| {
        let requests = service.requests().split_off(from);
        assert!(
            requests.iter().all(|request| request.path() == "/v1/embeddings" && request.json()["model"] == "small")
        );
        requests.iter().filter_map(|request| request.json()["input"].as_array().map(Vec::len)).sum::<usize>()
    };
    assert!(asked(0) > 2, "both rules and the question");
    let so_far = service.requests().len();
    // Another process: the embeddings of the rules are cached, only the question is new.
    assert_eq!(selected_items(&home, "Where is my money?"), ["rule refunds 1.0"]);
    assert_eq!(asked(so_far), 1);
    assert!(home.path(".baton/vectors").is_dir());
    assert_eq!(definition(), before, "the definition is unchanged");

    assert!(
        selected_items(&home, "Is there a storm?").is_empty(),
        "an error selects nothing and the agent still answers"
    );
    let spans = home.run(&["trace", "query", "{ event.baton.context.warning != nil }", "--json"]);
    assert!(spans.stdout.contains("no storms"), "{}", spans.shown());
}
