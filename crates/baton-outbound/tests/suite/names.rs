//! Host names are checked by the addresses that the connection uses.

use crate::fixtures::{Answer, Receiver, ScriptedResolver, client_with, post};
use baton_outbound::{OutboundError, OutboundOptions};

#[tokio::test]
async fn host_name_is_checked_by_its_resolved_addresses() {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let port = receiver.address.port();
    let names = ScriptedResolver::of(&[
        ("inside.example", &[&["10.0.0.1", "192.168.0.1"]]),
        ("loopback.example", &[&["127.0.0.1"]]),
        ("wrapped.example", &[&["::ffff:10.0.0.1"]]),
        ("mixed.example", &[&["10.0.0.1", "169.254.169.254", "127.0.0.1"]]),
        ("empty.example", &[&[]]),
        ("hooks.internal", &[&["127.0.0.1"]]),
        ("a.corp.example", &[&["127.0.0.1"]]),
        ("localhost", &[&["127.0.0.1"]]),
    ]);
    let blocks: &[&str] = &["127.0.0.0/8"];
    let hosts: &[&str] = &["hooks.internal", "*.corp.example", "localhost"];
    let cases: &[(&str, &[&str], &str)] = &[
        ("inside.example", blocks, "refused"),
        ("wrapped.example", blocks, "refused"),
        ("loopback.example", blocks, "sent"),
        ("loopback.example", hosts, "refused"),
        ("LOOPBACK.example.", blocks, "sent"),
        // Forbidden addresses are not even tried.
        ("mixed.example", blocks, "sent"),
        ("mixed.example", hosts, "refused"),
        ("empty.example", blocks, "unresolved"),
        ("missing.example", blocks, "unresolved"),
        ("hooks.internal", hosts, "sent"),
        ("Hooks.Internal.", &["hooks.internal"], "sent"),
        ("a.corp.example", hosts, "sent"),
        ("localhost", hosts, "sent"),
        ("localhost", &[], "refused"),
    ];
    for (name, allow, expected) in cases {
        let client = client_with(allow, names.clone(), &OutboundOptions::default());
        let url = format!("http://{name}:{port}/");
        let verdict = |result: Result<(), OutboundError>| match result {
            Ok(()) => "sent",
            Err(OutboundError::Refused(_)) => "refused",
            Err(OutboundError::Unresolved { .. }) => "unresolved",
            Err(other) => panic!("{url}: {other:?}"),
        };
        let sent = verdict(client.send(post(&url)).await.map(|_| ()));
        assert_eq!((sent, *allow), (*expected, *allow), "{url}");
    }
}

#[tokio::test]
async fn changed_resolution_between_check_and_use_is_rejected() {
    let names = ScriptedResolver::of(&[("rebind.example", &[&["127.0.0.1"], &["10.0.0.1"]])]);
    let client = client_with(&["127.0.0.0/8"], names, &OutboundOptions::default());
    client.check_url("http://rebind.example/").await.unwrap();
    let error = client.send(post("http://rebind.example/")).await.unwrap_err();
    assert_eq!(error.to_string(), "rebind.example may not be called: it resolves to a private address");
}
