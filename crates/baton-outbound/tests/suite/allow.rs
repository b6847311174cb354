//! Entries of the allow list.

use baton_outbound::{AddressPolicy, AllowProblem};

#[test]
fn domain_entries_match_the_name_or_its_subdomains() {
    let policy = AddressPolicy::allowing(["hooks.internal", "*.Corp.Example", " localhost ", "a_b.test."]).unwrap();
    for (name, allowed) in [
        ("hooks.internal", true),
        ("HOOKS.internal", true),
        ("hooks.internal.", true),
        ("my.hooks.internal", false),
        ("hooks.internal.evil.example", false),
        ("xhooks.internal", false),
        ("a.corp.example", true),
        ("a.b.corp.example.", true),
        ("corp.example", false),
        (".corp.example", false),
        ("evilcorp.example", false),
        ("localhost", true),
        ("sub.localhost", false),
        ("a_b.test", true),
        ("127.0.0.1", false),
        ("", false),
    ] {
        assert_eq!(policy.allows_name(name), allowed, "{name}");
    }
    assert!(policy.check("127.0.0.1".parse().unwrap()).is_err(), "a domain entry allows no address");
}

#[test]
fn invalid_entries_are_rejected_by_name() {
    let most = |most| AllowProblem::Prefix { max: most };
    let rows = [
        ("", AllowProblem::Empty),
        ("  ", AllowProblem::Empty),
        ("*", AllowProblem::Star),
        ("*corp.example", AllowProblem::Star),
        ("a.*.example", AllowProblem::Star),
        ("*.*.example", AllowProblem::Star),
        ("*.", AllowProblem::Name),
        ("http://hooks.internal", AllowProblem::Name),
        ("hooks.internal:8080", AllowProblem::Name),
        ("user@hooks", AllowProblem::Name),
        ("hooks..internal", AllowProblem::Name),
        ("hööks.internal", AllowProblem::Name),
        ("10.0.0", AllowProblem::Name),
        ("0x7f000001", AllowProblem::Name),
        ("300.1.1.1", AllowProblem::Name),
        ("fe80::1%eth0", AllowProblem::Name),
        ("hooks.internal/8", AllowProblem::Address),
        ("10.0.0.0/33", most(32)),
        ("10.0.0.0/", most(32)),
        ("10.0.0.0/+8", most(32)),
        ("10.0.0.0/999", most(32)),
        ("::/129", most(128)),
        ("10.1.2.3/8", AllowProblem::HostBits { first: "10.0.0.0".parse().unwrap(), prefix: 8 }),
        ("fd00::1/8", AllowProblem::HostBits { first: "fd00::".parse().unwrap(), prefix: 8 }),
    ];
    let mut shown = String::new();
    for (entry, problem) in rows {
        let error = AddressPolicy::allowing(["10.0.0.0/8", entry]).unwrap_err();
        assert_eq!((error.entry.as_str(), &error.problem), (entry, &problem));
        shown.push_str(&format!("{error}\n"));
    }
    insta::assert_snapshot!(shown);
    for entry in ["[::1]", "[fd00::]/8", "0.0.0.0/0", "::/0", "127.0.0.1/32", "xn--hks-sna.internal"] {
        AddressPolicy::allowing([entry]).unwrap();
    }
}
