//! Lists of pending approvals.

use super::fixture::{ApprovalFixture, snapshot};
use baton_client::SendRequest;
use serde_json::Value;

const PLACE: &str = "/api/v1/approvals";

fn ids(list: &Value) -> Vec<String> {
    let approvals = list["approvals"].as_array().unwrap().iter();
    approvals.map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

/// Each kind is listed once, at the task that made the call, newest first, for its own principal only.
#[tokio::test(start_paused = true)]
async fn pending_approvals_are_listed_once_at_the_asking_task() {
    let fixture = ApprovalFixture::new();
    for text in ["pay", "both", "visit", "ask", "hello"] {
        fixture.send("clerk", text).await;
    }
    let boss = fixture.send("boss", "let pay").await;
    let bobs = fixture.client("bob").send("clerk", SendRequest::new(crate::world::message("pay"))).await.unwrap().id;
    let (status, list) = fixture.request("ann", "GET", PLACE, "").await;
    assert_eq!(status, 200);
    assert_eq!(list["approvals"][0]["root_task_id"], boss);
    snapshot(|| insta::assert_snapshot!(format!("{list:#}")));

    let all = ids(&list);
    let (mut paged, mut token) = (Vec::new(), String::new());
    loop {
        let (_, page) = fixture.request("ann", "GET", &format!("{PLACE}?page_size=1&page_token={token}"), "").await;
        let found = ids(&page);
        assert!(found.len() <= 1, "{page:#}");
        paged.extend(found);
        let Some(next) = page["next_page_token"].as_str() else { break };
        token = next.to_owned();
    }
    assert_eq!(paged, all);

    let filtered = |query: String| {
        let fixture = &fixture;
        async move { ids(&fixture.request("ann", "GET", &format!("{PLACE}?{query}"), "").await.1) }
    };
    assert_eq!(filtered("agent=boss".to_owned()).await, all[..1], "the parent task waits for this approval");
    assert_eq!(filtered("agent=clerk".to_owned()).await, all);
    assert_eq!(filtered("agent=nobody".to_owned()).await, [""; 0]);
    assert_eq!(filtered(format!("root_task_id={boss}")).await, all[..1]);
    let typed = fixture.client("ann").approvals(Some("boss"), Some(&boss), None).await.unwrap();
    assert_eq!(serde_json::to_value(&typed.approvals).unwrap()[0], list["approvals"][0]);
    assert_eq!(fixture.client("ann").approval(&all[0]).await.unwrap(), typed.approvals[0]);

    let (_, bob) = fixture.request("bob", "GET", PLACE, "").await;
    assert_eq!(ids(&bob), [format!("{bobs}/call-1")]);
    for (who, status, count) in
        [("ann.read", 200, 5), ("ann.read/clerk", 200, 5), ("ann.read/boss", 200, 0), ("ann.no", 403, 0)]
    {
        let (answered, list) = fixture.request(who, "GET", PLACE, "").await;
        assert_eq!((answered, list["approvals"].as_array().map_or(0, Vec::len)), (status, count), "{who}");
    }
    for wrong in ["page_token=1", "page_token=x.y", "page_size=many"] {
        assert_eq!(fixture.request("ann", "GET", &format!("{PLACE}?{wrong}"), "").await.0, 400, "{wrong}");
    }
    assert_eq!(fixture.ran(), [""; 0], "listing runs no tool");
}
