//! Idempotency keys by principal.

use baton_ports::Claim;
use baton_types::{Principal, StreamId};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Tenant, subject, key.
type Place = (Arc<str>, Arc<str>, String);

#[derive(Default)]
pub(super) struct Claims(HashMap<Place, Claim>);

impl Claims {
    pub(super) fn add(&mut self, claim: Claim) {
        let owner = Principal { scopes: Vec::new(), ..(*claim.principal).clone() };
        let place = place(&owner, &claim.key);
        self.0.insert(place, Claim { principal: Arc::new(owner), ..claim });
    }

    pub(super) fn find(&self, principal: &Principal, key: &str) -> Option<Claim> {
        self.0.get(&place(principal, key)).cloned()
    }

    pub(super) fn forget(&mut self, streams: &HashSet<StreamId>) {
        self.0.retain(|_, claim| !streams.contains(&claim.stream));
    }
}

fn place(principal: &Principal, key: &str) -> Place {
    (principal.tenant.clone(), principal.subject.clone(), key.to_owned())
}
