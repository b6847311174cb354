//! Shares of sessions.

use super::*;

fn holder(name: &str) -> SessionHolder {
    SessionHolder::new(name)
}

#[tokio::test]
async fn sessions_that_are_being_opened_count() {
    let sessions = McpSessionManager::new(&McpLimits { max_sessions: 64, ..McpLimits::default() }, None);
    let (ann, bob) = (holder("ann"), holder("bob"));
    let mut opening = Vec::new();
    for _ in 0..MIN_SHARE {
        opening.push(sessions.admit(&ann).await.expect("there is room"));
    }
    assert!(sessions.admit(&ann).await.is_none(), "none of them is idle");
    assert!(sessions.admit(&bob).await.is_some());
    opening.pop();
    assert!(sessions.admit(&ann).await.is_some());
    drop(opening);
    assert!(sessions.known.lock().opening.is_empty(), "nothing is remembered of those who open nothing");
}

#[tokio::test]
async fn a_full_share_is_refused_with_a_code() {
    let refused = super::super::service::share_full();
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (429, &"5".parse().unwrap()));
    let body = http_body_util::BodyExt::collect(refused.into_body()).await.unwrap().to_bytes();
    let message: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert!(message["error"]["message"].as_str().unwrap().contains("BTN-1015"), "{message}");
}
