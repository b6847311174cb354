//! Context windows, prices and token counts.

use crate::{
    calls::user,
    scripted_model::{FixedClock, Step, output_lines, scripted},
};
use baton_models::{MeteredModel, ModelCatalog, TokenRates, UNKNOWN_WINDOW, estimate_tokens};
use baton_ports::{ChatFile, ChatFileContent, ChatMessage, Model};
use baton_types::{Clock, Usage};
use std::sync::Arc;

#[test]
fn prices_and_windows_are_known() {
    let own = TokenRates { input: 1.0, output: 2.0, cached: 0.5, cache_write: 4.0 };
    let catalog = ModelCatalog::new([("mine".to_owned(), own), ("openai:gpt-5-mini".to_owned(), own)]);
    let usage = |input, cached, written, output| Usage {
        cached_tokens: cached,
        cache_write_tokens: written,
        ..Usage::new(input, output)
    };
    for (model, usage, expect) in [
        ("openai:gpt-5", usage(1_000_000, 0, 0, 100_000), Some(2_250_000)),
        ("openai:gpt-5", usage(1_000_000, 1_000_000, 0, 0), Some(125_000)),
        ("claude:claude-sonnet-4-5", usage(10_000, 4_000, 5_000, 0), Some(3_000 + 1_200 + 18_750)),
        ("gemini:gemini-2.5-pro", usage(100_000, 0, 0, 0), Some(125_000)),
        ("gemini:gemini-2.5-pro", usage(400_000, 0, 0, 0), Some(1_000_000)),
        ("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", usage(1_000_000, 0, 0, 0), Some(3_300_000)),
        ("gpt-5-mini", usage(1_000_000, 0, 0, 0), Some(250_000)),
        ("openai:gpt-5-mini", usage(1_000_000, 0, 0, 0), Some(1_000_000)),
        ("house:mine", usage(10, 4, 2, 3), Some(4 + 2 + 8 + 6)),
        ("mine", usage(1, 9, 9, 0), Some(1)),
        ("ollama:llama3.2", usage(1_000_000, 0, 0, 9), Some(0)),
        ("playbook", usage(1_000_000, 0, 0, 9), Some(0)),
        ("openai:no-such-model", usage(1, 0, 0, 1), None),
        ("nobody:gpt-5", usage(1, 0, 0, 1), None),
    ] {
        assert_eq!(catalog.price(model, usage, FixedClock.now()), expect, "{model} {usage:?}");
    }
    let rates = catalog.rates("gemini:gemini-2.5-pro", FixedClock.now()).unwrap();
    assert!((rates.input - 1.25).abs() < 1e-9 && (rates.output - 10.0).abs() < 1e-9, "{rates:?}");
    for (model, window, output, images) in [
        ("openai:gpt-5", 400_000, Some(128_000), Some(true)),
        ("anthropic:claude-opus-4-5", 200_000, Some(64_000), Some(true)),
        ("openai:o3-mini", 200_000, Some(100_000), Some(false)),
        ("bedrock:us.anthropic.claude-opus-4-5-20251101-v1:0", 200_000, Some(64_000), Some(true)),
        ("ollama:llama3.2", UNKNOWN_WINDOW, None, None),
        ("openai:no-such-model", UNKNOWN_WINDOW, None, None),
    ] {
        let about = catalog.model_info(model);
        assert_eq!((about.window, about.max_output, about.images), (Some(window), output, images), "{model}");
        assert_eq!(catalog.knows_window(model), window != UNKNOWN_WINDOW, "{model}");
    }
}

/// Texts with their token counts in the vocabulary o200k_base.
const TEXTS_WITH_TOKENS: &[(&str, u64)] = &[
    (
        "The journal is the only place where a fact becomes true. Nothing is acknowledged, streamed or sent before it has been written and synced to the disk.",
        30,
    ),
    ("What is the weather in Oakland?", 7),
    (
        "fn main() {\n    let mut total = 0_u64;\n    for (index, value) in values.iter().enumerate() {\n        total += value * index as u64;\n    }\n    println!(\"{total}\");\n}\n",
        47,
    ),
    (
        "{\"location\":\"Oakland\",\"temperature\":72.5,\"unit\":\"fahrenheit\",\"hours\":[{\"at\":\"2026-11-16T08:00:00Z\",\"rain\":false},{\"at\":\"2026-11-16T09:00:00Z\",\"rain\":true}]}",
        61,
    ),
    (
        "Die Geschwindigkeitsbegrenzung auf der Autobahn wurde gestern überraschend aufgehoben, sagte der Verkehrsminister.",
        23,
    ),
    ("今天天气很好，我们去公园散步吧。下午可能会下雨，所以请带上雨伞。", 25),
    ("今日はとても良い天気です。公園へ散歩に行きましょう。", 20),
    ("Сегодня хорошая погода, и мы решили пойти гулять в парк вместе с детьми.", 19),
    ("3.14159265358979 2718281828 1618033988 0.5772156649", 24),
    ("018f3c5e-7b1a-7c2d-9e4f-0a1b2c3d4e5f d41d8cd98f00b204e9800998ecf8427e", 53),
    (
        "## Prices\n\n| Model | Input | Output |\n|---|---|---|\n| gpt-5 | $1.25 | $10.00 |\n| mini | $0.25 | $2.00 |\n\n- **bold** and `code`\n",
        54,
    ),
    ("आज मौसम बहुत अच्छा है और हम पार्क में टहलने जा रहे हैं।", 16),
    ("aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Qgb2YgYmFzZTY0IGVuY29kaW5nIHRva2Vucw==", 48),
];

#[test]
fn estimates_are_close_to_real_token_counts() {
    let deviations: Vec<String> = TEXTS_WITH_TOKENS
        .iter()
        .map(|(text, tokens)| (estimate_tokens(text), tokens, text))
        .filter(|(estimated, tokens, _)| !(0.7..=1.5).contains(&(*estimated as f64 / **tokens as f64)))
        .map(|(estimated, tokens, text)| format!("{estimated} for {tokens}: {text}"))
        .collect();
    assert!(deviations.is_empty(), "{}", deviations.join("\n"));
    assert_eq!(estimate_tokens(""), 0);
}

#[tokio::test]
async fn token_estimate_adapts_to_reported_usage() {
    let catalog = Arc::new(ModelCatalog::default());
    let metered = |name| {
        let model = scripted(name, &[&[Step::Done]]);
        MeteredModel::new(model, Arc::clone(&catalog), Arc::new(FixedClock))
    };
    let words = TEXTS_WITH_TOKENS[0].0.repeat(40);
    let (plain, finer) = (metered("openai:gpt-5").tokens(&words), metered("claude:claude-opus-4-5").tokens(&words));
    assert_eq!((plain, finer), (estimate_tokens(&words), (estimate_tokens(&words) as f64 * 1.15).ceil() as u64));
    // The service reports ten tokens, below the plausible minimum; the average follows within its bounds.
    let mut last = plain;
    for _ in 0..30 {
        output_lines(&metered("openai:gpt-5"), user(&words)).await;
        let now = metered("openai:gpt-5").tokens(&words);
        assert!(now <= last && now * 2 >= plain, "{now} after {last}");
        last = now;
    }
    assert!(last < plain * 6 / 10, "{last} of {plain}");
    assert_eq!(metered("claude:claude-opus-4-5").tokens(&words), finer, "each model has its own average");
    let mut call = user("look");
    let model = metered("x:y");
    let count = |text: &str| model.tokens(text);
    let before = call.estimate_tokens(&count);
    if let Some(ChatMessage::User { files, .. }) = call.messages.first_mut() {
        let content = ChatFileContent::Bytes("AAAA".into());
        files.push(ChatFile { name: None, media_type: "image/png".to_owned(), content });
    }
    assert_eq!(call.estimate_tokens(&count), before + 1_600, "images have a fixed token count");
}
