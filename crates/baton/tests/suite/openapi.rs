//! `baton openapi`.

use crate::binary::Home;

#[test]
fn document_is_printed_without_a_server_or_a_data_directory() {
    let home = Home::new();
    let ended = home.run(&["openapi"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    assert!(ended.stdout == std::fs::read_to_string(published).unwrap(), "the output is not docs/openapi.json");

    let ended = home.run(&["openapi", "--json", "--url", "https://agents.example.com/"]);
    assert_eq!(ended.code, Some(0));
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["servers"], serde_json::json!([{"url": "https://agents.example.com"}]));
}
