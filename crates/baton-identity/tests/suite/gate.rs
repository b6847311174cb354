//! Every kind of token at one door.

use crate::{
    desk::{Desk, ISSUER, claims, config},
    signer::Signer,
    tokens::new,
};
use baton_identity::{Documents, Gate, Issuers, TokenRegistry};
use baton_journal::MemoryJournal;
use baton_ports::{Identity as _, Tokens as _, Unidentified};
use baton_types::Principal;
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn each_token_goes_to_whoever_knows_it() {
    let signer = Signer::p256("k");
    let desk = Desk::with([&signer]);
    let documents: Arc<dyn Documents> = desk.site.clone();
    let issuers = || Issuers::new(vec![config()], &documents, desk.clock.clone()).unwrap();
    let tokens = TokenRegistry::open(Arc::new(MemoryJournal::new()), desk.clock.clone()).await.unwrap();
    let gate = Gate::new(Some("0123456789abcdef"), tokens.clone(), issuers());
    assert_eq!(gate.issuers(), [ISSUER]);

    let made = tokens.create(new("ci")).await.unwrap();
    let jwt = signer.sign(&claims(&json!({})));
    let table = [
        ("0123456789abcdef", "owner".to_owned(), Principal::local().subject),
        (made.token.as_str(), format!("token:{}", made.record.id), "ci".into()),
        (jwt.as_str(), "jwt:id.example:ann".to_owned(), "ann".into()),
    ];
    for (bearer, credential, subject) in table {
        let known = gate.identify(bearer).await.unwrap();
        assert_eq!((&*known.credential, &known.principal.subject), (credential.as_str(), &subject));
    }
    assert_eq!(gate.identify("0123456789abcdef").await.unwrap().principal, Arc::new(Principal::local()));

    let own = |text: &str| text.to_owned();
    let refused = [
        (own(""), Unidentified::Malformed),
        (own("0123456789abcdeF"), Unidentified::Malformed),
        (own("0123456789abcde"), Unidentified::Malformed),
        (own("a.b"), Unidentified::Malformed),
        (own("a.b.c"), Unidentified::Malformed),
        (own("a.b.c.d"), Unidentified::Malformed),
        ("a.".repeat(9_000), Unidentified::Malformed),
        (own("btn_"), Unidentified::Malformed),
        (own("btn_00_00"), Unidentified::Unknown),
        (jwt.replace('.', ".."), Unidentified::Malformed),
        (signer.sign(&claims(&json!({"iss": "https://other.example"}))), Unidentified::WrongIssuer),
    ];
    for (bearer, reason) in refused {
        assert_eq!(gate.identify(&bearer).await, Err(reason), "{bearer}");
    }

    // Without an owner's token, nothing stands for it, least of all nothing.
    for owner in [None, Some("")] {
        let gate = Gate::new(owner, tokens.clone(), Issuers::none(desk.clock.clone()));
        assert_eq!(gate.identify(&jwt).await, Err(Unidentified::WrongIssuer));
        for bearer in ["", "0123456789abcdef"] {
            assert_eq!(gate.identify(bearer).await, Err(Unidentified::Malformed));
        }
    }
}
