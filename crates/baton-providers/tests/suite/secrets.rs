//! Planted keys never appear in errors, debug output or the log.

use crate::{
    calls::{KEY, MorningClock, PAIR, collect_output, user},
    scripted_server::{Reply, ScriptedServer},
};
use baton_providers::{KeyPair, Provider, Secret};
use baton_types::ProviderKind;
use serde_json::json;
use std::{
    io,
    sync::{Arc, Mutex},
};

const TOKEN: &str = "tok-planted-header-0987654321";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("the log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Every way in which a service can echo the request.
fn replies() -> Vec<Reply> {
    let echo = format!("you sent {KEY} and Bearer {TOKEN} and {}", PAIR.join(" and "));
    vec![
        Reply::json("401 Unauthorized", &json!({"error": {"message": echo}})),
        Reply::json("400 Bad Request", &json!({"unusual": {"form": echo}})),
        Reply::text(&format!("HTTP/1.1 500 Oops\r\ncontent-length: {}\r\n\r\n{echo}", echo.len())),
        Reply::json("200 OK", &json!({"error": {"message": echo}})),
        Reply::events(&format!("data: {{\"error\":{{\"message\":\"{echo}\"}}}}\n\n")),
        Reply::events(&format!("data: {echo}\n\n")),
        Reply::events(&format!("{echo}\n")),
        Reply::cut("text/event-stream", format!("data: {{\"x\":\"{echo}\"}}\n\n").as_bytes()),
        Reply::Broken(format!("{echo}\r\n\r\n").into_bytes()),
    ]
}

#[tokio::test]
async fn keys_and_headers_do_not_leak_into_errors_debug_or_log() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone());
    let _guard = tracing::subscriber::set_default(subscriber.finish());
    tracing::info!("the log is read");
    let mut shown = Vec::new();
    for kind in ProviderKind::ALL {
        for reply in replies() {
            let server = ScriptedServer::new(reply).await;
            let provider = Provider::new(kind, "mine")
                .with_base_url(&server.url)
                .with_header("x-gate", Secret::new(&format!("Bearer {TOKEN}")));
            // A provider redacts only the secrets that it was given.
            let mut providers = vec![(provider.clone().with_key(Secret::new(KEY), "MY_KEY"), vec![KEY])];
            if kind == ProviderKind::Bedrock {
                let [id, secret, token] = PAIR.map(Secret::new);
                let pair = KeyPair::new(id, secret).with_token(token);
                providers.push((provider.with_key_pair(pair, "MY_PAIR", Arc::new(MorningClock)), PAIR.to_vec()));
            }
            for (provider, own) in providers {
                for provider in [provider.clone(), provider.without_streaming()] {
                    let heard = collect_output(provider.model("m").as_ref(), user("go")).await;
                    let error = heard.error.unwrap_or_else(|| panic!("{kind:?}: {:?}", heard.text));
                    shown.push((own.clone(), format!("{error} {error:?} {provider:?}")));
                    shown.push((own.clone(), format!("{:?}", provider.list().await.err())));
                }
            }
        }
    }
    let logged = String::from_utf8(log.0.lock().expect("the log").clone()).expect("UTF-8");
    assert!(logged.contains("the log is read"));
    shown.push(([KEY].into_iter().chain(PAIR).collect(), logged));
    for (own, text) in shown {
        for secret in own.into_iter().chain([TOKEN]) {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}
