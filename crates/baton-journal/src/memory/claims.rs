//! Idempotency keys by principal.

use baton_ports::Claim;
use baton_types::{Principal, StreamId};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Tenant, subject, key.
type ClaimKey = (Arc<str>, Arc<str>, String);

#[derive(Default)]
pub(super) struct ClaimMap(HashMap<ClaimKey, Claim>);

impl ClaimMap {
    pub(super) fn add(&mut self, claim: Claim) {
        let owner = Principal { scopes: Vec::new(), ..(*claim.principal).clone() };
        let key = claim_key(&owner, &claim.key);
        self.0.insert(key, Claim { principal: Arc::new(owner), ..claim });
    }

    pub(super) fn find(&self, principal: &Principal, key: &str) -> Option<Claim> {
        self.0.get(&claim_key(principal, key)).cloned()
    }

    pub(super) fn remove_streams(&mut self, streams: &HashSet<StreamId>) {
        self.0.retain(|_, claim| !streams.contains(&claim.stream));
    }
}

fn claim_key(principal: &Principal, key: &str) -> ClaimKey {
    (principal.tenant.clone(), principal.subject.clone(), key.to_owned())
}
