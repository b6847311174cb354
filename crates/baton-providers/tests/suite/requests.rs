//! Requests in the format of each provider.

use crate::{
    calls::{collect_output, provider, tool, user, weather},
    scripted_server::{Reply, Request, ScriptedServer},
};
use baton_ports::{ChatFile, ChatFileContent, ChatMessage, ModelCall, ModelError, OutputFormat, ToolChoice};
use baton_types::{
    Json,
    ProviderKind::{self, Anthropic, Bedrock, Compatible, Gemini, Ollama, OpenAi, OpenAiResponses},
    ReasoningBlock, Thousandths, ToolCall,
};
use serde_json::{Value, json};

async fn request(kind: ProviderKind, model: &str, call: ModelCall) -> Request {
    let mut server = ScriptedServer::new(Reply::json("400 Bad Request", &json!({"error": {"message": "no"}}))).await;
    let heard = collect_output(provider(kind, &server.url).model(model).as_ref(), call).await;
    assert!(matches!(heard.error, Some(ModelError::Refused { status: 400, .. })), "{heard:?}");
    server.request().await
}

async fn sent(kind: ProviderKind, model: &str, call: ModelCall) -> Value {
    request(kind, model, call).await.body
}

#[tokio::test]
async fn model_names_are_sent_unchanged() {
    for end in ["low", "medium", "high", "max", "xhigh", "zero", "none", "minimal"] {
        let name = format!("qq-{end}");
        for kind in [OpenAi, OpenAiResponses, Anthropic, Compatible, Ollama] {
            let body = sent(kind, &name, user("go")).await;
            assert_eq!(body["model"], json!(name), "{kind:?}");
            for effort in ["reasoning_effort", "thinking", "output_config", "think"] {
                assert_eq!(body.get(effort), None, "{kind:?} {name}: {body}");
            }
            assert_eq!(body.pointer("/reasoning/effort"), None, "{body}");
        }
        let line = request(Gemini, &name, user("go")).await;
        assert!(line.line.contains(&format!("/models/{name}:streamGenerateContent")), "{}", line.line);
        assert_eq!(line.body.pointer("/generationConfig/thinkingConfig/thinkingBudget"), None, "{}", line.body);
        let line = request(Bedrock, &name, user("go")).await.line;
        assert!(line.contains(&format!("/model/{name}/converse-stream")), "{line}");
    }
    // Compatible servers have model names with colons.
    assert_eq!(sent(Compatible, "org::model", user("go")).await["model"], "org::model");
}

fn after_tools(output: &str, is_error: bool) -> ModelCall {
    let mut call = user("go");
    let id = "call with spaces.and.dots";
    let made = ToolCall { id: id.into(), name: "files.read".to_owned(), arguments: Json::parse("{}").expect("JSON") };
    call.tools = vec![tool("files.read"), tool("web_search")];
    call.messages.push(ChatMessage::Assistant { text: String::new(), calls: vec![made], reasoning: None });
    let output = Json::parse(output).expect("JSON");
    call.messages.push(ChatMessage::Tool {
        call: id.into(),
        name: "files.read".to_owned(),
        output,
        is_error,
        answer_message: None,
    });
    call
}

const WITH_PICTURE: &str =
    r#"{"content":[{"type":"text","text":"a dot"},{"type":"image","data":"QUJD","mimeType":"image/png"}]}"#;

#[tokio::test]
async fn results_show_failures_and_images() {
    let body = sent(Anthropic, "claude-sonnet-4-5", after_tools(WITH_PICTURE, true)).await;
    let messages = body["messages"].as_array().expect("messages");
    let made = &messages[1]["content"][0];
    assert_eq!((&made["type"], &made["name"]), (&json!("tool_use"), &json!("files_read_")));
    let result = &messages[2]["content"][0];
    assert_eq!(result["tool_use_id"], made["id"]);
    assert_eq!(result["is_error"], json!(true));
    assert_eq!(result["content"][0], json!({"type": "text", "text": "a dot"}));
    assert_eq!(result["content"][1]["source"]["data"], "QUJD");
    // A tool named like a built-in tool of the service remains a tool of the caller.
    let names: Vec<&Value> = body["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["files_read_", "web_search_"]);
    assert!(body["tools"][1]["input_schema"].is_object(), "{body}");

    for kind in [OpenAi, OpenAiResponses, Gemini, Bedrock, Ollama, Compatible] {
        let body = sent(kind, "m", after_tools(WITH_PICTURE, true)).await.to_string();
        assert!(body.contains("Error: a dot") && body.contains("QUJD"), "{kind:?}: {body}");
        assert!(!body.contains("files.read") && !body.contains("spaces.and"), "{kind:?}: {body}");
        let fine = sent(kind, "m", after_tools(r#""fine""#, false)).await.to_string();
        assert!(fine.contains("fine") && !fine.contains("Error: "), "{kind:?}: {fine}");
    }
}

#[tokio::test]
async fn bedrock_roles_alternate() {
    let mut call = after_tools(r#""fine""#, false);
    call.messages.push(ChatMessage::User { id: "u2".into(), text: "and now?".to_owned(), files: Vec::new() });
    let body = sent(Bedrock, "anthropic.claude-x-v1:0", call).await;
    let roles: Vec<&Value> = body["messages"].as_array().expect("messages").iter().map(|it| &it["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_eq!(body["messages"][2]["content"][1]["text"], "and now?");
}

#[tokio::test]
async fn single_tool_call_is_requested_where_supported() {
    let mut call = user("go");
    call.tools = vec![weather()];
    call.parallel_calls = false;
    for kind in [OpenAi, OpenAiResponses, Compatible] {
        assert_eq!(sent(kind, "m", call.clone()).await["parallel_tool_calls"], json!(false), "{kind:?}");
    }
    let claude = sent(Anthropic, "claude-x", call.clone()).await;
    assert_eq!(claude["tool_choice"], json!({"type": "auto", "disable_parallel_tool_use": true}));
    call.tool_choice = ToolChoice::Named("get_weather".to_owned());
    let claude = sent(Anthropic, "claude-x", call.clone()).await;
    assert_eq!(claude["tool_choice"]["name"], "get_weather");
    call.parallel_calls = true;
    assert_eq!(sent(OpenAi, "m", call.clone()).await.get("parallel_tool_calls"), None);
    let gemini = sent(Gemini, "m", call).await;
    assert_eq!(gemini["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"], json!(["get_weather"]));
}

#[tokio::test]
async fn mandatory_tools_follow_the_model_of_bedrock() {
    let mut call = user("go");
    call.tools = vec![weather()];
    let choice = async |model: &str, call: &ModelCall| {
        let config = sent(Bedrock, model, call.clone()).await["toolConfig"].clone();
        assert_eq!(config["tools"][0]["toolSpec"]["name"], "get_weather");
        config.get("toolChoice").cloned()
    };
    let (claude, llama) = ("eu.anthropic.claude-x-v1:0", "meta.llama3-1-70b-instruct-v1:0");
    assert_eq!(choice(claude, &call).await, None);
    call.tool_choice = ToolChoice::Required;
    assert_eq!(choice(claude, &call).await, Some(json!({"any": {}})));
    assert_eq!(choice(llama, &call).await, None);
    call.tool_choice = ToolChoice::Named("get_weather".to_owned());
    assert_eq!(choice("amazon.nova-pro-v1:0", &call).await, Some(json!({"tool": {"name": "get_weather"}})));
    call.writing.effort = Some("high".to_owned());
    assert_eq!(choice(claude, &call).await, None);
    // Without tools in its history, a call that forbids tools is sent without them.
    call.tool_choice = ToolChoice::None;
    assert_eq!(sent(Bedrock, claude, call).await.get("toolConfig"), None);
}

#[tokio::test]
async fn sampling_and_effort_options_follow_the_model() {
    let mut call = user("go");
    call.writing.temperature = Some(Thousandths(1_500));
    call.writing.top_p = Some(Thousandths(900));
    call.writing.max_output_tokens = Some(4_000);
    let body = sent(OpenAi, "gpt-4o", call.clone()).await;
    assert_eq!((&body["temperature"], &body["top_p"], &body["max_tokens"]), (&json!(1.5), &json!(0.9), &json!(4000)));
    let body = sent(Anthropic, "claude-sonnet-4-5", call.clone()).await;
    assert_eq!((&body["temperature"], body.get("top_p")), (&json!(1.0), None));
    let body = sent(Bedrock, "anthropic.claude-x-v1:0", call.clone()).await;
    assert_eq!((&body["inferenceConfig"]["temperature"], body["inferenceConfig"].get("topP")), (&json!(1.0), None));
    let body = sent(OpenAi, "gpt-5", call.clone()).await;
    assert_eq!((body.get("temperature"), &body["max_completion_tokens"]), (None, &json!(4000)));

    call.writing.stop = vec!["END".to_owned()];
    let stops = json!(["END"]);
    assert_eq!(sent(OpenAi, "gpt-4o", call.clone()).await["stop"], stops);
    assert_eq!(sent(Compatible, "m", call.clone()).await["stop"], stops);
    assert_eq!(sent(Anthropic, "claude-sonnet-4-5", call.clone()).await["stop_sequences"], stops);
    assert_eq!(sent(Gemini, "gemini-2.5-flash", call.clone()).await["generationConfig"]["stopSequences"], stops);
    assert_eq!(sent(Bedrock, "amazon.nova-pro-v1:0", call.clone()).await["inferenceConfig"]["stopSequences"], stops);
    assert_eq!(sent(Ollama, "qwen3", call.clone()).await["options"]["stop"], stops);
    // Models without support for the option are not sent it.
    assert_eq!(sent(OpenAi, "gpt-5", call.clone()).await.get("stop"), None);
    assert_eq!(sent(OpenAiResponses, "gpt-5", call.clone()).await.get("stop"), None);

    call.writing.effort = Some("high".to_owned());
    let body = sent(OpenAi, "gpt-5", call.clone()).await;
    assert_eq!(body["reasoning_effort"], "high");
    assert_eq!(sent(OpenAiResponses, "gpt-5", call.clone()).await["reasoning"]["effort"], "high");
    let body = sent(Anthropic, "claude-sonnet-4-5", call.clone()).await;
    assert_eq!((body["thinking"]["type"].as_str(), body.get("temperature")), (Some("enabled"), None), "{body}");
    assert_eq!(sent(Ollama, "qwen3", call.clone()).await["think"], "high");
    call.writing.effort = Some("3000".to_owned());
    assert_eq!(sent(Compatible, "m", call.clone()).await["reasoning_effort"], "medium");
    assert_eq!(sent(Anthropic, "claude-sonnet-4-5", call.clone()).await["thinking"]["budget_tokens"], 3000);
    let gemini = sent(Gemini, "gemini-2.5-flash", call.clone()).await;
    assert_eq!(gemini["generationConfig"]["thinkingConfig"]["thinkingBudget"], 3000);
    call.writing.effort = Some("none".to_owned());
    let gemini = sent(Gemini, "gemini-2.5-flash", call.clone()).await;
    assert_eq!(gemini["generationConfig"]["thinkingConfig"]["thinkingBudget"], 0);
    call.writing.effort = Some("a lot".to_owned());
    let heard = collect_output(provider(OpenAi, "http://127.0.0.1:9").model("m").as_ref(), call).await;
    assert!(matches!(heard.error, Some(ModelError::Configuration(_))), "{heard:?}");
}

#[tokio::test]
async fn structured_output_uses_the_native_option() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let mut call = user("go");
    call.format = OutputFormat::JsonSchema(Json::from(schema.clone()));
    let mut strict = schema.clone();
    strict["additionalProperties"] = json!(false);
    let body = sent(OpenAi, "gpt-4o", call.clone()).await;
    assert_eq!(body["response_format"]["json_schema"], json!({"name": "answer", "strict": true, "schema": strict}));
    let body = sent(OpenAiResponses, "gpt-4o", call.clone()).await;
    assert_eq!(body["text"]["format"]["schema"], strict);
    let body = sent(Anthropic, "claude-sonnet-4-5", call.clone()).await;
    assert_eq!(body["output_config"]["format"]["schema"]["properties"], schema["properties"]);
    let body = sent(Gemini, "gemini-2.5-flash", call.clone()).await;
    assert_eq!(body["generationConfig"]["responseJsonSchema"], schema);
    let ollama = request(Ollama, "qwen3", call.clone()).await;
    assert!(ollama.line.contains("/v1/chat/completions"), "{}", ollama.line);
    assert_eq!(ollama.body["response_format"]["type"], "json_schema");
    for (kind, model) in [(Bedrock, "anthropic.claude-x-v1:0"), (Anthropic, "claude-3-5-haiku-latest")] {
        let body = sent(kind, model, call.clone()).await.to_string();
        assert!(body.contains("JSON Schema") && body.contains("integer"), "{kind:?}: {body}");
    }
    // Strict mode would make optional members required, so strict mode is not requested.
    call.format = OutputFormat::JsonSchema(Json::from(json!({"type": "object", "properties": {"n": {}}})));
    assert_eq!(sent(OpenAi, "gpt-4o", call.clone()).await["response_format"]["json_schema"]["strict"], false);
    call.format = OutputFormat::JsonObject;
    assert_eq!(sent(OpenAi, "gpt-4o", call.clone()).await["response_format"]["type"], "json_object");
    assert_eq!(sent(Ollama, "qwen3", call).await["format"], "json");
}

#[tokio::test]
async fn reasoning_is_returned_to_its_model_only() {
    let thought = |model: &str| ReasoningBlock {
        model: model.to_owned(),
        text: "Hm.".to_owned(),
        replay: Some(Json::from(json!({
            "parts": [{"signature": "sealed-1"}, {"text": "Hm."}, {"block": {"type": "redacted_thinking", "data": "sealed-2"}}],
            "calls": {"0": ["sealed-1"]}
        }))),
        after_text: false,
    };
    for kind in [Anthropic, Gemini, Bedrock, OpenAiResponses] {
        let model = if kind == Bedrock { "anthropic.claude-x-v1:0" } else { "gpt-5" };
        for (who, goes) in [(format!("mine:{model}"), true), ("other:model".to_owned(), false)] {
            let mut call = after_tools(r#""fine""#, false);
            if let Some(ChatMessage::Assistant { reasoning, .. }) = call.messages.get_mut(1) {
                *reasoning = Some(thought(&who));
            }
            let body = sent(kind, model, call).await.to_string();
            assert_eq!(body.contains("sealed-1"), goes, "{kind:?} {who}: {body}");
            assert_eq!(body.contains("sealed-2"), goes && kind == Anthropic, "{kind:?} {who}: {body}");
        }
    }
}

#[tokio::test]
async fn files_are_attached_or_mentioned() {
    let file = |media: &str, content: ChatFileContent| ChatFile {
        name: Some("thing".to_owned()),
        media_type: media.to_owned(),
        content,
    };
    let with = |file: ChatFile| {
        let mut call = user("look");
        if let Some(ChatMessage::User { files, .. }) = call.messages.first_mut() {
            files.push(file);
        }
        call
    };
    let bytes = || ChatFileContent::Bytes("aGVsbG8=".into());
    let url = || ChatFileContent::Url("https://files.example/x".to_owned());
    for kind in ProviderKind::ALL {
        let text = sent(kind, "m", with(file("text/plain", bytes()))).await.to_string();
        assert!(text.contains("hello"), "{kind:?}: {text}");
        let picture = sent(kind, "m", with(file("image/png", bytes()))).await.to_string();
        assert!(picture.contains("aGVsbG8="), "{kind:?}: {picture}");
        let document = sent(kind, "m", with(file("application/pdf", bytes()))).await.to_string();
        let takes = kind != Ollama;
        assert_eq!(document.contains("aGVsbG8="), takes, "{kind:?}: {document}");
        assert!(takes || document.contains("thing (application/pdf) was attached"), "{document}");
        let linked = sent(kind, "m", with(file("image/png", url()))).await.to_string();
        assert!(linked.contains("https://files.example/x"), "{kind:?}: {linked}");
    }
}
