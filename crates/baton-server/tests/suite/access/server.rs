//! A server with authentication: a token contains its tenant, subject and scopes in plain text.

use crate::world::{
    DiscardingWebhooks, ScriptedModel, SequentialIds, StaticAgents, TickingClock, WeatherTools, agent, configured,
    options,
};
use axum::Router;
use baton_client::Client;
use baton_engine::{Engine, EngineOptions, Ports};
use baton_http::{AccessOptions, RouteEntry, Surface};
use baton_journal::MemoryJournal;
use baton_ports::{
    AccessDenial, AdminChange, AuditLog, AuthenticatedCaller, Authenticator, BoxFuture, IssuedToken, Model, ModelCall,
    ModelError, ModelResolver, ModelStream, NewToken, TokenError, TokenIssuer, TokenRecord, TokenRejection,
};
use baton_server::{SurfaceOptions, surface};
use baton_types::{AgentSpec, Digest, HandoffTarget, Principal, Timestamp};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// A server with authentication, its journal, and records of model calls and audit entries.
pub(super) struct TestServer {
    pub(super) app: Router,
    pub(super) operations: Vec<RouteEntry>,
    pub(super) journal: MemoryJournal,
    pub(super) model_calls: Arc<Mutex<Vec<ModelCall>>>,
    pub(super) audit: Arc<RecordingAuditLog>,
}

impl TestServer {
    pub(super) fn new() -> Self {
        Self::with_access(|_| {})
    }

    pub(super) fn with_access(change: impl FnOnce(&mut AccessOptions)) -> Self {
        Self::with_options(change, |_| {})
    }

    pub(super) fn with_options(
        change: impl FnOnce(&mut AccessOptions),
        more: impl FnOnce(&mut SurfaceOptions),
    ) -> Self {
        let (journal, model_calls, audit) =
            (MemoryJournal::new(), Arc::default(), Arc::new(RecordingAuditLog::default()));
        let mut weather = agent("weather");
        weather.enable_handoff = true;
        weather.handoffs = vec![HandoffTarget { agent: "clock".into(), description: String::new(), url: None }];
        let ports = Ports {
            journal: Arc::new(journal.clone()),
            models: Arc::new(RecordingModel(Arc::clone(&model_calls))),
            tools: Arc::new(WeatherTools),
            agents: Arc::new(StaticAgents(vec![Arc::new(agent("clock")), Arc::new(weather)])),
            peers: Arc::new(baton_engine::NoPeers),
            webhooks: Arc::new(DiscardingWebhooks),
            watch: None,
            clock: Arc::new(TickingClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        let mut access = AccessOptions {
            identity: Some(Arc::new(PlainTextAuthenticator)),
            tokens: Some(Arc::new(MemoryTokenIssuer::default())),
            audit: Some(Arc::<RecordingAuditLog>::clone(&audit)),
            clock: Arc::new(TickingClock::default()),
            ..AccessOptions::default()
        };
        change(&mut access);
        let mut options = configured(options(), |options| {
            options.http.access = access;
        });
        more(&mut options);
        let Surface { router: app, operations } = surface(Engine::new(EngineOptions::default(), ports), options);
        Self { app, operations, journal, model_calls, audit }
    }

    pub(super) fn client(&self, token: &str) -> Client {
        Client::in_memory(self.app.clone()).with_token(token).unwrap()
    }
}

/// Waits until all pending work is done: paused time advances only when every task is idle.
pub(super) async fn wait_until_idle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// A token such as `acme.ann.call/weather~read`.
pub(super) fn token(tenant: &str, subject: &str, scopes: &str) -> String {
    format!("{tenant}.{subject}.{}", scopes.replace(':', "/").replace(' ', "~"))
}

/// Value of the `Authorization` header.
pub(super) fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

pub(super) fn principal(token: &str) -> Option<Principal> {
    let mut words = token.splitn(3, '.');
    let (tenant, subject, scopes) = (words.next()?, words.next()?, words.next()?);
    let scopes = scopes.split('~').filter(|scope| !scope.is_empty());
    Some(Principal {
        tenant: tenant.into(),
        subject: subject.into(),
        scopes: scopes.map(|scope| scope.replace('/', ":").into()).collect(),
    })
}

struct PlainTextAuthenticator;

impl Authenticator for PlainTextAuthenticator {
    fn authenticate<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<AuthenticatedCaller, TokenRejection>> {
        let identified = match bearer {
            "expired" => Err(TokenRejection::Expired),
            "revoked" => Err(TokenRejection::Revoked),
            "away" => Err(TokenRejection::KeysUnavailable("no answer".to_owned())),
            known => principal(known).ok_or(TokenRejection::Unknown).map(|principal| {
                let credential = format!("token of {}", principal.subject).into();
                AuthenticatedCaller { principal: Arc::new(principal), credential }
            }),
        };
        Box::pin(std::future::ready(identified))
    }

    fn issuers(&self) -> Vec<String> {
        vec!["https://issuer.example.com".to_owned()]
    }
}

/// Records audit entries.
#[derive(Default)]
pub(super) struct RecordingAuditLog(Mutex<Vec<AccessDenial>>, Mutex<Vec<AdminChange>>);

impl RecordingAuditLog {
    /// Denials since the last call.
    pub(super) fn take(&self) -> Vec<AccessDenial> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Changes by administrators since the last call.
    pub(super) fn take_changes(&self) -> Vec<AdminChange> {
        std::mem::take(&mut *self.1.lock().unwrap())
    }
}

impl AuditLog for RecordingAuditLog {
    fn record_denial(&self, denial: AccessDenial) {
        self.0.lock().unwrap().push(denial);
    }

    fn record_change(&self, change: AdminChange) {
        self.1.lock().unwrap().push(change);
    }
}

/// Records the calls of a [`ScriptedModel`].
struct RecordingModel(Arc<Mutex<Vec<ModelCall>>>);

impl ModelResolver for RecordingModel {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(Self(Arc::clone(&self.0))))
    }
}

impl Model for RecordingModel {
    fn name(&self) -> &str {
        "listening"
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        self.0.lock().unwrap().push(call.clone());
        ScriptedModel.call(call)
    }
}

/// Keeps tokens in memory; all of them have the same secret.
#[derive(Default)]
struct MemoryTokenIssuer(Mutex<Vec<TokenRecord>>);

impl TokenIssuer for MemoryTokenIssuer {
    fn create(&self, token: NewToken) -> BoxFuture<'_, Result<IssuedToken, TokenError>> {
        let mut records = self.0.lock().unwrap();
        let NewToken { name, principal, expires_at } = token;
        let record = TokenRecord {
            id: format!("t{}", records.len() + 1),
            name,
            principal,
            secret: Digest::compute(b"secret"),
            created_at: Timestamp::from_millis(1_794_770_760_000),
            expires_at,
            revoked_at: None,
        };
        records.push(record.clone());
        let token = format!("btn_{}_secret", record.id);
        Box::pin(std::future::ready(Ok(IssuedToken { record, token })))
    }

    fn list(&self) -> Vec<TokenRecord> {
        self.0.lock().unwrap().clone()
    }

    fn revoke<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<TokenRecord, TokenError>> {
        let mut records = self.0.lock().unwrap();
        let found = records.iter_mut().find(|record| record.id == id);
        let revoked = found.map(|record| {
            record.revoked_at = Some(Timestamp::from_millis(1_794_770_761_000));
            record.clone()
        });
        Box::pin(std::future::ready(revoked.ok_or_else(|| TokenError::NotFound(id.to_owned()))))
    }
}
