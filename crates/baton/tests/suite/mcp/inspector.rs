//! The MCP Inspector on its command line.

use super::example_server::{ExampleServer, NODE, PACKAGES};
use serde_json::Value;

/// Output of the Inspector for a method, in an era of the protocol.
fn inspect(url: &str, era: &str, method: &[&str]) -> Value {
    let program = format!("{PACKAGES}/inspector/clients/launcher/build/index.js");
    let common = [program.as_str(), "--cli", url, "--transport", "http", "--protocol-era", era, "--method"];
    let printed = NODE.run_script(&[&common[..], method].concat());
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

fn check_lists_and_calls(era: &str) {
    let served = ExampleServer::conformance();
    let url = served.environment("mcp-conformance");
    let names = |value: &Value| -> Vec<String> {
        let list = value.as_array().expect("a list").iter();
        list.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert!(names(&inspect(&url, era, &["tools/list"])["tools"]).contains(&"test_simple_text".to_owned()));
    let added = ["tools/call", "--tool-name", "test_structured_content", "--tool-arg", "a=40", "b=2"];
    assert_eq!(inspect(&url, era, &added)["structuredContent"]["sum"], 42);
    let prompt = inspect(&url, era, &["prompts/get", "--prompt-name", "system_prompt"]);
    assert!(prompt["messages"][0]["content"]["text"].as_str().expect("text").contains("conformance suite"));
    let resources = inspect(&url, era, &["resources/list"]);
    assert!(names(&resources["resources"]).contains(&"suite".to_owned()));
    let read = inspect(&url, era, &["resources/read", "--uri", "test://static-text"]);
    assert_eq!(read["contents"][0]["text"], "This is the content of the static text resource.");
    served.end();
}

#[test]
fn lists_and_calls_in_era_2025() {
    check_lists_and_calls("legacy");
}

#[test]
fn lists_and_calls_in_era_2026() {
    check_lists_and_calls("modern");
}
