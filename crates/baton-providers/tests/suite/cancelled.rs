//! Whoever drops an answer stops the one who writes it.

use crate::{
    ask::{provider, user},
    pieces::{first, form},
    scripted::{Reply, Scripted},
};
use baton_ports::ModelEvent;
use baton_providers::ProviderKind;
use futures_util::StreamExt;
use std::time::Duration;

/// How long the service may be left talking.
const AT_ONCE: Duration = Duration::from_millis(100);

#[tokio::test]
async fn the_service_sees_the_connection_close_at_once() {
    for kind in ProviderKind::ALL {
        let mut server = Scripted::new(Reply::hanging(form(kind), &first(kind))).await;
        let model = provider(kind, &server.url).model("m");
        let mut stream = model.call(user("tell me a story"));
        assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Half".to_owned()))), "{kind:?}");
        drop(stream);
        assert_eq!(tokio::time::timeout(AT_ONCE, server.left.recv()).await, Ok(Some(())), "{kind:?}");
    }
}

#[tokio::test]
async fn an_answer_that_never_begins_is_given_up_too() {
    for kind in ProviderKind::ALL {
        let mut server = Scripted::new(Reply::Hanging(Vec::new())).await;
        let model = provider(kind, &server.url).model("m");
        let mut stream = model.call(user("tell me a story"));
        let waiting = tokio::select! {
            event = stream.next() => panic!("{kind:?}: {event:?}"),
            request = server.requests.recv() => request,
        };
        assert!(waiting.is_some());
        drop(stream);
        assert_eq!(tokio::time::timeout(AT_ONCE, server.left.recv()).await, Ok(Some(())), "{kind:?}");
    }
}
