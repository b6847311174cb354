//! Every kind of token through one authenticator.

use crate::{
    issuer_fixture::{ISSUER, IssuerFixture, claims, config},
    signer::Signer,
    tokens::new,
};
use baton_identity::{BearerAuthenticator, IssuerDocuments, Issuers, TokenRegistry};
use baton_journal::MemoryJournal;
use baton_ports::{Authenticator as _, TokenIssuer as _, TokenRejection};
use baton_types::Principal;
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn each_token_is_checked_by_its_authority() {
    let signer = Signer::p256("k");
    let fixture = IssuerFixture::with([&signer]);
    let documents: Arc<dyn IssuerDocuments> = fixture.site.clone();
    let issuers = || Issuers::new(vec![config()], &documents, fixture.clock.clone()).unwrap();
    let tokens = TokenRegistry::open(Arc::new(MemoryJournal::new()), fixture.clock.clone()).await.unwrap();
    let gate = BearerAuthenticator::new(Some("0123456789abcdef"), tokens.clone(), issuers());
    assert_eq!(gate.issuers(), [ISSUER]);

    let made = tokens.create(new("ci")).await.unwrap();
    let jwt = signer.sign(&claims(&json!({})));
    let table = [
        ("0123456789abcdef", "owner".to_owned(), Principal::local().subject),
        (made.token.as_str(), format!("token:{}", made.record.id), "ci".into()),
        (jwt.as_str(), "jwt:id.example:ann".to_owned(), "ann".into()),
    ];
    for (bearer, credential, subject) in table {
        let known = gate.authenticate(bearer).await.unwrap();
        assert_eq!((&*known.credential, &known.principal.subject), (credential.as_str(), &subject));
    }
    assert_eq!(gate.authenticate("0123456789abcdef").await.unwrap().principal, Arc::new(Principal::local()));

    let own = |text: &str| text.to_owned();
    let refused = [
        (own(""), TokenRejection::Malformed),
        (own("0123456789abcdeF"), TokenRejection::Malformed),
        (own("0123456789abcde"), TokenRejection::Malformed),
        (own("a.b"), TokenRejection::Malformed),
        (own("a.b.c"), TokenRejection::Malformed),
        (own("a.b.c.d"), TokenRejection::Malformed),
        ("a.".repeat(9_000), TokenRejection::Malformed),
        (own("btn_"), TokenRejection::Malformed),
        (own("btn_00_00"), TokenRejection::Unknown),
        (jwt.replace('.', ".."), TokenRejection::Malformed),
        (signer.sign(&claims(&json!({"iss": "https://other.example"}))), TokenRejection::WrongIssuer),
    ];
    for (bearer, reason) in refused {
        assert_eq!(gate.authenticate(&bearer).await, Err(reason), "{bearer}");
    }

    // Without an owner token, no token is accepted as the owner, not even an empty one.
    for owner in [None, Some("")] {
        let gate = BearerAuthenticator::new(owner, tokens.clone(), Issuers::none(fixture.clock.clone()));
        assert_eq!(gate.authenticate(&jwt).await, Err(TokenRejection::WrongIssuer));
        for bearer in ["", "0123456789abcdef"] {
            assert_eq!(gate.authenticate(bearer).await, Err(TokenRejection::Malformed));
        }
    }
}
