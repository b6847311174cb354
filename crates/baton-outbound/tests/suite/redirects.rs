//! Redirects: supported statuses, limits, and headers on other origins.

use crate::fixtures::{Answer, Receiver, ScriptedResolver, client, client_with, post};
use baton_outbound::{OutboundError, OutboundOptions};

const LOOPBACK: &[&str] = &["127.0.0.0/8"];

#[tokio::test]
async fn only_method_preserving_redirects_are_followed() {
    let receiver = Receiver::start(|request| match request.path.trim_start_matches('/').parse() {
        Ok(status) => Answer::redirect(status, "/end?a=b"),
        Err(_) => Answer::status(204),
    })
    .await;
    let client = client(LOOPBACK);
    for status in [307, 308] {
        let reply = client.send(post(&receiver.url(&format!("/{status}")))).await.unwrap();
        assert_eq!(reply.status, 204);
        let last = receiver.received().pop().unwrap();
        assert_eq!(
            (last.method.as_str(), last.path.as_str(), last.body.as_ref()),
            ("POST", "/end?a=b", b"hello".as_ref())
        );
        assert_eq!(last.header("authorization"), Some("Bearer secret"), "the same origin gets the credentials");
        assert_eq!(last.header("x-token"), Some("t0ken"));
    }
    let seen = receiver.received().len();
    for status in [301, 302, 303] {
        let error = client.send(post(&receiver.url(&format!("/{status}")))).await.unwrap_err();
        assert!(matches!(error, OutboundError::Redirect { status: given, .. } if given == status), "{error:?}");
    }
    assert_eq!(receiver.received().len(), seen + 3, "no further request was sent");
    assert_eq!(client.send(post(&receiver.url("/304"))).await.unwrap().status, 304);
}

#[tokio::test]
async fn secrets_are_not_sent_to_another_origin() {
    let second = Receiver::start(|_| Answer::status(200)).await;
    let to = second.url("/moved");
    let first = Receiver::start(move |_| Answer::redirect(307, to.clone())).await;
    assert_eq!(client(LOOPBACK).send(post(&first.url("/"))).await.unwrap().status, 200);
    let [last] = second.received().try_into().unwrap();
    assert_eq!((last.path.as_str(), last.body.as_ref()), ("/moved", b"hello".as_ref()));
    assert_eq!(last.header("content-type"), Some("text/plain"));
    assert_eq!((last.header("authorization"), last.header("x-token")), (None, None));
    assert_eq!(last.header("host"), Some(second.address.to_string().as_str()));
}

#[tokio::test]
async fn secrets_do_not_return_via_another_origin() {
    let (first, listener) = Receiver::bind(|request| match request.path.as_str() {
        "/back" => Answer::status(200),
        away => Answer::redirect(308, format!("http:{away}")),
    })
    .await;
    let back = first.url("/back");
    let second = Receiver::start(move |_| Answer::redirect(308, back.clone())).await;
    let serving = first.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(serving.clone().serve(stream));
        }
    });
    let away = format!("//{}/away", second.address);
    client(LOOPBACK).send(post(&first.url(&away))).await.unwrap();
    assert_eq!(second.received()[0].header("authorization"), None);
    let seen: Vec<Option<String>> =
        first.received().iter().map(|got| got.header("authorization").map(str::to_owned)).collect();
    assert_eq!(seen, [Some("Bearer secret".to_owned()), None]);
}

#[tokio::test]
async fn redirect_targets_are_checked_by_the_policy() {
    let receiver = Receiver::start(|request| {
        let to = request.headers["x-to"].to_str().unwrap();
        Answer::redirect(307, to)
    })
    .await;
    let names = ScriptedResolver::of(&[("inside.example", &[&["10.0.0.1"]]), ("localhost", &[&["::1"]])]);
    let client = client_with(LOOPBACK, names, &OutboundOptions::default());
    for to in [
        "http://10.0.0.1/",
        "http://169.254.169.254/",
        "http://169.254.169.254/latest/meta-data/iam/",
        "//169.254.169.254/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "https://192.168.0.1/",
        "http://inside.example/",
        "http://localhost/",
    ] {
        let mut request = post(&receiver.url("/"));
        request.headers_mut().insert("x-to", to.parse().unwrap());
        let error = client.send(request).await.unwrap_err();
        assert!(matches!(error, OutboundError::Refused(_)), "{to}: {error:?}");
    }
    for to in ["ftp://hooks.example/", "file:///etc/passwd", "http://user@127.0.0.1/", "http://127.1/", "javascript:x"]
    {
        let mut request = post(&receiver.url("/"));
        request.headers_mut().insert("x-to", to.parse().unwrap());
        let error = client.send(request).await.unwrap_err();
        assert!(matches!(error, OutboundError::Redirect { .. }), "{to}: {error:?}");
    }
}

#[tokio::test]
async fn three_redirects_are_allowed() {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/a/3" => Answer::redirect(307, "2"),
        "/a/2" => Answer::redirect(308, "?1"),
        "/a/2?1" => Answer::redirect(307, "/end"),
        "/end" => Answer::status(200),
        "/a/4" => Answer::redirect(307, "/a/3#part"),
        loops => Answer::redirect(307, loops),
    })
    .await;
    let client = client(LOOPBACK);
    assert_eq!(client.send(post(&receiver.url("/a/3"))).await.unwrap().status, 200);
    assert_eq!(receiver.received().len(), 4);
    for (path, requests) in [("/a/4", 4), ("/loop", 4)] {
        let before = receiver.received().len();
        let error = client.send(post(&receiver.url(path))).await.unwrap_err();
        assert!(error.to_string().ends_with("a redirect that exceeds the limit of 3 redirects"), "{error}");
        assert_eq!(receiver.received().len() - before, requests, "{path}");
    }
}

#[tokio::test]
async fn redirect_without_location_is_an_error() {
    let receiver = Receiver::start(|_| Answer::status(307)).await;
    let error = client(LOOPBACK).send(post(&receiver.url("/"))).await.unwrap_err();
    assert!(error.to_string().ends_with("answered 307, a redirect that has no Location header"), "{error}");
}

#[tokio::test]
async fn same_origin_client_rejects_redirects_to_other_origins() {
    let second = Receiver::start(|_| Answer::status(200)).await;
    let away = second.url("/moved");
    let first = Receiver::start(move |request| match request.path.as_str() {
        "/away" => Answer::redirect(307, away.clone()),
        "/within" => Answer::redirect(307, "/end"),
        _ => Answer::status(204),
    })
    .await;
    let options = OutboundOptions { same_origin: true, ..OutboundOptions::default() };
    let refused =
        client(&[]).with_options(options.clone()).unwrap().send(post(&first.url("/within"))).await.unwrap_err();
    assert!(refused.is_forbidden(), "loopback is not allowed: {refused}");
    let client = client(&[]).with_allowed(LOOPBACK, options).unwrap();
    assert_eq!(client.send(post(&first.url("/within"))).await.unwrap().status, 204);
    let mut bare = post(&first.url("/away"));
    bare.headers_mut().clear();
    let error = client.send(bare).await.unwrap_err();
    assert!(error.to_string().ends_with("another origin"), "{error}");
    assert!(second.received().is_empty());
}
