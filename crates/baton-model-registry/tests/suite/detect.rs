//! Order of detected candidates, without any key.

use crate::fixtures::{SECRET, ScriptedProbe, environment, resources, with_profiles};
use baton_model_registry::{EnvironmentVariables, LocalServer, candidates, detect_servers, no_environment};

async fn detected_candidates(
    environment: EnvironmentVariables,
    own: &[(&str, &str)],
    servers: ScriptedProbe,
) -> Vec<String> {
    let found = detect_servers(&environment, &servers).await;
    let all = candidates(&resources(&[], own), &environment, &found);
    let told: Vec<String> = all.iter().map(|candidate| format!("{} ({})", candidate.model, candidate.source)).collect();
    assert!(!told.concat().contains(SECRET));
    told
}

#[tokio::test]
async fn candidates_are_ordered_and_named() {
    let all = [
        ("OPENAI_API_KEY", SECRET),
        ("ANTHROPIC_API_KEY", SECRET),
        ("GOOGLE_API_KEY", SECRET),
        ("AWS_BEARER_TOKEN_BEDROCK", SECRET),
        ("AWS_REGION", "eu-central-1"),
        ("OLLAMA_HOST", "me:sk-planted-0123456789@10.0.0.7:9"),
    ];
    let servers = ScriptedProbe(vec![
        (LocalServer::LmStudio, "http://127.0.0.1:1234/v1", &["text-embedding-nomic", "phi-4"]),
        (LocalServer::Ollama, "http://me:sk-planted-0123456789@10.0.0.7:9", &["phi3", "nomic-embed-text", "qwen3:8b"]),
    ]);
    insta::assert_snapshot!(detected_candidates(environment(&all), &[], servers).await.join("\n"), @r"
    openai:gpt-5-mini (OPENAI_API_KEY)
    claude:claude-sonnet-4-5 (ANTHROPIC_API_KEY)
    gemini:gemini-2.5-flash (GOOGLE_API_KEY)
    bedrock:amazon.nova-pro-v1:0 (AWS_BEARER_TOKEN_BEDROCK)
    ollama:qwen3:8b (Ollama answers at http://10.0.0.7:9)
    docker:phi-4 (LM Studio answers at http://127.0.0.1:1234/v1)
    ");
    assert!(detected_candidates(no_environment(), &[], ScriptedProbe::default()).await.is_empty());
    let own = detected_candidates(no_environment(), &[("ANTHROPIC_API_KEY", SECRET)], ScriptedProbe::default()).await;
    assert_eq!(own, ["claude:claude-sonnet-4-5 (ANTHROPIC_API_KEY)"]);
    // Half of a key pair, an empty key, a server without models: none of them is usable.
    let half = [("AWS_ACCESS_KEY_ID", SECRET), ("AWS_REGION", "eu-central-1"), ("OPENAI_API_KEY", " ")];
    let almost = environment(&half);
    let empty = ScriptedProbe(vec![
        (LocalServer::Ollama, "http://127.0.0.1:11434", &[]),
        (LocalServer::LlamaServer, "http://127.0.0.1:8080/v1", &["nomic-embed"]),
    ]);
    assert!(detected_candidates(almost, &[], empty).await.is_empty());
}

#[tokio::test]
async fn key_pair_needs_a_region() {
    let (id, secret) = (("AWS_ACCESS_KEY_ID", SECRET), ("AWS_SECRET_ACCESS_KEY", SECRET));
    let region = ("AWS_REGION", "eu-central-1");
    let profile = ("AWS_PROFILE", "work");
    let seed = [("BEDROCK_ACCESS_KEY_ID", SECRET), ("BEDROCK_SECRET_ACCESS_KEY", SECRET), ("AWS_DEFAULT_REGION", "a")];
    let nova = "bedrock:amazon.nova-pro-v1:0";
    for (variables, why) in [
        (&[id, secret, region][..], Some("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION")),
        (&[id, secret, region, ("AWS_BEARER_TOKEN_BEDROCK", SECRET)], Some("AWS_BEARER_TOKEN_BEDROCK")),
        (&seed, Some("BEDROCK_ACCESS_KEY_ID, BEDROCK_SECRET_ACCESS_KEY, AWS_DEFAULT_REGION")),
        (&[profile, region, ("HOME", "/people/me")], Some("AWS_PROFILE, AWS_REGION")),
        (&[("AWS_PROFILE", "sso"), region, ("HOME", "/people/me")], None),
        (&[profile, region], None),
        (&[id, secret], None),
        (&[id, region], None),
        (&[secret, region], None),
    ] {
        let found = detected_candidates(with_profiles(environment(variables)), &[], ScriptedProbe::default()).await;
        let expect: Vec<String> = why.map(|why| format!("{nova} ({why})")).into_iter().collect();
        assert_eq!(found, expect, "{:?}", variables.iter().map(|(name, _)| name).collect::<Vec<_>>());
    }
}
