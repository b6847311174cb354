//! Limits on sessions per principal.

use super::*;

fn holder(name: &str) -> SessionHolder {
    SessionHolder::new(name)
}

#[tokio::test]
async fn sessions_being_opened_count_toward_the_limit() {
    let sessions = McpSessionManager::new(&McpLimits { max_sessions: 64, ..McpLimits::default() }, None);
    let (ann, bob) = (holder("ann"), holder("bob"));
    let mut opening = Vec::new();
    for _ in 0..MIN_SHARE {
        opening.push(sessions.admit(&ann).await.expect("a free place"));
    }
    assert!(sessions.admit(&ann).await.is_none(), "no idle session to evict");
    assert!(sessions.admit(&bob).await.is_some());
    opening.pop();
    assert!(sessions.admit(&ann).await.is_some());
    drop(opening);
    assert!(sessions.table.lock().opening.is_empty(), "no entry is kept for a principal that opens no session");
}

#[tokio::test]
async fn full_share_is_rejected_with_error_code() {
    let refused = super::super::service::share_full();
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (429, &"5".parse().unwrap()));
    let body = http_body_util::BodyExt::collect(refused.into_body()).await.unwrap().to_bytes();
    let message: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert!(message["error"]["message"].as_str().unwrap().contains("BTN-1015"), "{message}");
}
