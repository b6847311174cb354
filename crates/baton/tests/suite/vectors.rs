//! Rules and references that are chosen by what they mean, with vectors of a provider.

use crate::{
    binary::{Home, last_message},
    service::{Answer, Heard, Service},
};
use serde_json::{Value, json};
use std::fs;

/// Money lies in one direction, everything else in another; of a storm it makes nothing.
fn answer(heard: &Heard) -> Answer {
    let body = heard.json();
    let texts: Vec<&str> = body["input"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if texts.iter().any(|text| text.contains("storm")) {
        return Answer::json("400 Bad Request", &json!({"error": {"message": "no storms"}}));
    }
    let is_money = |text: &str| ["cash", "Repayment", "money"].iter().any(|word| text.contains(word));
    let vector = |text: &&str| if is_money(text) { json!([1.0, 0.0]) } else { json!([0.0, 1.0]) };
    let data: Vec<Value> =
        texts.iter().enumerate().map(|(index, text)| json!({"index": index, "embedding": vector(text)})).collect();
    Answer::json("200 OK", &json!({ "data": data }))
}

/// What the answer says that the model was given.
fn given(home: &Home, words: &str) -> Vec<String> {
    let ended = home.run(&["run", "shop", words, "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    let task: Value = serde_json::from_str(&ended.stdout).expect("a task");
    let items = &last_message(&task)["metadata"]["dev.baton/request-context"]["items"];
    let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
    let items = items.as_array().into_iter().flatten().filter(|item| item["kind"] != "tool");
    items.map(|item| format!("{} {} {}", text(item, "kind"), text(item, "name"), item["score"])).collect()
}

#[test]
fn vectors_of_the_configured_provider_choose_and_are_kept_beside_the_agent() {
    let service = Service::start(answer);
    let home = Home::new();
    home.agent("shop", "", "rules: [{ say: Well. }]\n");
    home.write("shop/rules/refunds.md", "---\ninclude: agent\n---\nRepayment takes a week.\n");
    home.write("shop/rules/parcels.md", "---\ninclude: agent\n---\nA parcel takes a day.\n");
    let definition = || fs::read_to_string(home.path("shop/agent.yaml")).expect("a definition");
    let before = definition();
    let by_words = given(&home, "When do I see my cash?");
    assert!(by_words.is_empty(), "it has no word of the rule: {by_words:?}");

    let providers = format!("providers: {{ mine: {{ base_url: \"{}/v1\" }} }}\n", service.url);
    home.write("baton.yaml", &format!("{providers}embeddings: mine:small\n"));
    assert_eq!(given(&home, "When do I see my cash?"), ["rule refunds 1.0"]);
    let asked = |from: usize| {
        let heard = service.heard().split_off(from);
        assert!(heard.iter().all(|heard| heard.path() == "/v1/embeddings" && heard.json()["model"] == "small"));
        heard.iter().filter_map(|heard| heard.json()["input"].as_array().map(Vec::len)).sum::<usize>()
    };
    assert!(asked(0) > 2, "both rules and the question");
    let so_far = service.heard().len();
    // Another process: the rules are known, and only the question is new.
    assert_eq!(given(&home, "Where is my money?"), ["rule refunds 1.0"]);
    assert_eq!(asked(so_far), 1);
    assert!(home.path(".baton/vectors").is_dir());
    assert_eq!(definition(), before, "never in its file");

    assert!(given(&home, "Is there a storm?").is_empty(), "nothing is chosen, and the agent answers all the same");
    let spans = home.run(&["trace", "query", "{ event.baton.context.warning != nil }", "--json"]);
    assert!(spans.stdout.contains("no storms"), "{}", spans.shown());
}
