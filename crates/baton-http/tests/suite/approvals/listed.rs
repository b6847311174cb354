//! Lists.

use super::office::{Office, snapshot};
use baton_client::SendRequest;
use serde_json::Value;

const PLACE: &str = "/api/v1/approvals";

fn ids(list: &Value) -> Vec<String> {
    let approvals = list["approvals"].as_array().unwrap().iter();
    approvals.map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

/// Every kind once, at the task whose call it is, the newest first; nobody else's.
#[tokio::test(start_paused = true)]
async fn what_waits_is_listed_once_at_the_task_that_asks() {
    let office = Office::new();
    for text in ["pay", "both", "visit", "ask", "hello"] {
        office.says("clerk", text).await;
    }
    let boss = office.says("boss", "let pay").await;
    let bobs = office.client("bob").send("clerk", SendRequest::new(crate::world::message("pay"))).await.unwrap().id;
    let (status, list) = office.asked("ann", "GET", PLACE, "").await;
    assert_eq!(status, 200);
    assert_eq!(list["approvals"][0]["root_task_id"], boss);
    snapshot(|| insta::assert_snapshot!(format!("{list:#}")));

    let all = ids(&list);
    let (mut paged, mut token) = (Vec::new(), String::new());
    loop {
        let (_, page) = office.asked("ann", "GET", &format!("{PLACE}?page_size=1&page_token={token}"), "").await;
        let found = ids(&page);
        assert!(found.len() <= 1, "{page:#}");
        paged.extend(found);
        let Some(next) = page["next_page_token"].as_str() else { break };
        token = next.to_owned();
    }
    assert_eq!(paged, all);

    let filtered = |query: String| {
        let office = &office;
        async move { ids(&office.asked("ann", "GET", &format!("{PLACE}?{query}"), "").await.1) }
    };
    assert_eq!(filtered("agent=boss".to_owned()).await, all[..1], "it waits for this one");
    assert_eq!(filtered("agent=clerk".to_owned()).await, all);
    assert_eq!(filtered("agent=nobody".to_owned()).await, [""; 0]);
    assert_eq!(filtered(format!("root_task_id={boss}")).await, all[..1]);
    let typed = office.client("ann").approvals(Some("boss"), Some(&boss), None).await.unwrap();
    assert_eq!(serde_json::to_value(&typed.approvals).unwrap()[0], list["approvals"][0]);
    assert_eq!(office.client("ann").approval(&all[0]).await.unwrap(), typed.approvals[0]);

    let (_, bob) = office.asked("bob", "GET", PLACE, "").await;
    assert_eq!(ids(&bob), [format!("{bobs}/call-1")]);
    for (who, status, count) in
        [("ann.read", 200, 5), ("ann.read/clerk", 200, 5), ("ann.read/boss", 200, 0), ("ann.no", 403, 0)]
    {
        let (answered, list) = office.asked(who, "GET", PLACE, "").await;
        assert_eq!((answered, list["approvals"].as_array().map_or(0, Vec::len)), (status, count), "{who}");
    }
    for wrong in ["page_token=1", "page_token=x.y", "page_size=many"] {
        assert_eq!(office.asked("ann", "GET", &format!("{PLACE}?{wrong}"), "").await.0, 400, "{wrong}");
    }
    assert_eq!(office.ran(), [""; 0], "looking runs nothing");
}
