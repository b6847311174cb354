//! Tool calls by MCP clients of both protocol eras.

use crate::program::Program;
use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_toolhost::{RemoteServer, streamable};
use http::HeaderMap;
use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient,
    model::{CallToolRequestParams, ProtocolVersion},
    service::RunningService,
};
use serde_json::json;

async fn connected(url: &str, mode: ClientLifecycleMode) -> RunningService<RoleClient, ()> {
    let client =
        GuardedClient::new(AddressPolicy::allowing(["127.0.0.1"]).unwrap(), &OutboundOptions::default()).unwrap();
    ().serve_with_lifecycle(streamable(RemoteServer::new(url, HeaderMap::new(), client)), mode).await.unwrap()
}

#[tokio::test]
async fn mcp_clients_of_both_eras_call_the_function() {
    let program = Program::start().await;
    let modern = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] };
    let mut offered = Vec::new();
    for (path, mode) in [
        ("/agents/weather/mcp", modern.clone()),
        ("/agents/weather/mcp", ClientLifecycleMode::Initialize),
        ("/mcp", modern),
        ("/mcp", ClientLifecycleMode::Initialize),
    ] {
        let client = connected(&format!("{}{path}", program.url), mode).await;
        let tools = client.list_all_tools().await.unwrap();
        let tool = tools.iter().find(|tool| tool.name == "get_weather").expect("the tool is listed");
        offered.push(serde_json::to_value(tool).unwrap());
        let arguments = json!({"city": "Lisbon"}).as_object().cloned().unwrap();
        let result =
            client.call_tool(CallToolRequestParams::new("get_weather").with_arguments(arguments)).await.unwrap();
        assert_eq!(result.is_error, Some(false));
        assert_eq!(result.structured_content, Some(json!({"temperature": 16, "sky": "clear"})));
        let prompts = client.list_all_prompts().await.unwrap();
        assert!(prompts.iter().any(|prompt| prompt.name == "system_prompt"), "{prompts:?}");
        client.cancel().await.unwrap();
    }
    assert!(offered.windows(2).all(|pair| pair[0] == pair[1]), "every client sees the same tool: {offered:?}");
    insta::assert_json_snapshot!(offered[0]);
}
