//! Sealed state that a client carries between the rounds of a call: readable, but protected against changes and against
//! use by another caller, for another call, or after expiry.

use baton_types::{Digest, Principal};
use parking_lot::Mutex;
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{
    Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use std::{
    collections::{HashSet, VecDeque},
    fmt,
    time::Duration,
};

/// Seals and opens client-carried state.
pub struct StateSeal {
    codec: RequestStateCodec,
    used: Mutex<UsedStates>,
    ttl: Duration,
    /// Process id of a state: distinguishes states of this process from those of an earlier one with the same key.
    process: [u8; 8],
}

/// Binding of a sealed state; it opens only with the same values.
#[derive(Clone, Copy, Debug)]
pub struct SealBinding<'a> {
    /// The principal that may return it.
    pub principal: &'a Principal,
    /// The endpoint, such as `agents/weather`.
    pub endpoint: &'a str,
    /// The method, such as `tools/call`.
    pub method: &'a str,
    /// The tool, prompt or resource.
    pub name: &'a str,
    /// The arguments as JSON text.
    pub arguments: &'a str,
}

/// Reasons why a state is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The keys are invalid.
    #[error("the keys of request states must be different and at least 32 bytes long")]
    Keys,
    /// No randomness is available.
    #[error("the system provides no random numbers")]
    NoRandomness,
    /// The state cannot be serialized.
    #[error("the request state cannot be encoded")]
    Unwritable,
    /// Forged, changed, or bound to another principal or call.
    #[error("the requestState does not belong to this call; call again without it")]
    Foreign,
    /// Expired.
    #[error("the requestState has expired; call again without it")]
    Expired,
    /// Already used.
    #[error("the requestState was used before; call again without it")]
    AlreadyUsed,
    /// Earlier use is unknown: used states are remembered only by the process.
    #[error("Baton was restarted after it issued the requestState; call again without it")]
    Restarted,
}

/// Used states that have not expired; bounded, the oldest are evicted.
#[derive(Default)]
struct UsedStates {
    order: VecDeque<Digest>,
    digests: HashSet<Digest>,
}

/// Maximum number of remembered used states.
const MAX_USED_STATES: usize = 16_384;

impl fmt::Debug for StateSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateSeal").finish_non_exhaustive()
    }
}

impl StateSeal {
    /// Seals with `active` and also opens states sealed with `older` keys; `lasts` is their lifetime.
    pub fn new(active: &[u8], older: &[Vec<u8>], lasts: Duration) -> Result<Self, SealError> {
        let name = |key: &[u8]| Digest::compute(key).to_string();
        let keys = std::iter::once(active).chain(older.iter().map(Vec::as_slice));
        let ring: Vec<(String, Vec<u8>)> = keys.map(|key| (name(key), key.to_vec())).collect();
        let codec = RequestStateCodec::new_with_keyring(name(active), ring).map_err(|_| SealError::Keys)?;
        let mut process = [0; 8];
        getrandom::fill(&mut process).map_err(|_| SealError::NoRandomness)?;
        Ok(Self { codec, used: Mutex::default(), ttl: lasts, process })
    }

    /// Uses a random key that exists only in this process.
    pub fn random(lasts: Duration) -> Result<Self, SealError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|_| SealError::NoRandomness)?;
        Self::new(&key, &[], lasts)
    }

    /// Seals a state with a binding.
    pub fn seal<T: Serialize>(&self, bound: SealBinding<'_>, state: &T) -> Result<String, SealError> {
        self.seal_for(bound, state, Duration::ZERO)
    }

    /// The same with a minimum lifetime.
    pub fn seal_for<T: Serialize>(
        &self,
        bound: SealBinding<'_>,
        state: &T,
        at_least: Duration,
    ) -> Result<String, SealError> {
        let bound = bound.digest();
        let mut nonce = [0; 16];
        getrandom::fill(&mut nonce).map_err(|_| SealError::NoRandomness)?;
        let options = SealOptions::new().associated_data(bound.as_str().as_bytes()).ttl(self.ttl.max(at_least));
        self.codec.seal_json_with(&(self.process, nonce, state), &options).map_err(|_| SealError::Unwritable)
    }

    /// Opens a state.
    pub fn open<T: DeserializeOwned>(&self, bound: SealBinding<'_>, sealed: &str) -> Result<T, SealError> {
        Ok(self.open_with_process(bound, sealed)?.1)
    }

    fn open_with_process<T: DeserializeOwned>(
        &self,
        bound: SealBinding<'_>,
        sealed: &str,
    ) -> Result<([u8; 8], T), SealError> {
        let opened = self.codec.open_json_with::<([u8; 8], [u8; 16], T)>(sealed, bound.digest().as_str().as_bytes());
        let (process, _nonce, state) = opened.map_err(|error| match error {
            rmcp::model::RequestStateError::Expired => SealError::Expired,
            _ => SealError::Foreign,
        })?;
        Ok((process, state))
    }

    /// Marks a state as used; a second use is rejected, and so is a state of an earlier process.
    pub fn mark_used(&self, bound: SealBinding<'_>, sealed: &str) -> Result<(), SealError> {
        let (process, _) = self.open_with_process::<IgnoredAny>(bound, sealed)?;
        if process != self.process {
            return Err(SealError::Restarted);
        }
        let digest = Digest::compute(sealed.as_bytes());
        let mut spent = self.used.lock();
        if !spent.digests.insert(digest.clone()) {
            return Err(SealError::AlreadyUsed);
        }
        spent.order.push_back(digest);
        if spent.order.len() > MAX_USED_STATES
            && let Some(oldest) = spent.order.pop_front()
        {
            spent.digests.remove(&oldest);
        }
        Ok(())
    }
}

impl SealBinding<'_> {
    /// Digest over all fields; length prefixes keep adjacent fields distinct.
    fn digest(&self) -> Digest {
        let Self { principal, endpoint, method, name, arguments } = self;
        let parts = [&*principal.tenant, &*principal.subject, endpoint, method, name, arguments];
        let mut text = String::with_capacity(arguments.len() + 128);
        for part in parts {
            text.push_str(&part.len().to_string());
            text.push(':');
            text.push_str(part);
        }
        Digest::compute(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(arguments: &str) -> SealBinding<'_> {
        static ANN: std::sync::LazyLock<Principal> = std::sync::LazyLock::new(Principal::local);
        SealBinding { principal: &ANN, endpoint: "agents/a", method: "tools/call", name: "t", arguments }
    }

    #[test]
    fn key_rotation_keeps_sealed_states() {
        let hour = Duration::from_secs(3600);
        let (old, new) = (vec![1; 32], vec![2; 32]);
        let before = StateSeal::new(&old, &[], hour).unwrap();
        let state = before.seal(bound("{}"), &"kept").unwrap();
        let after = StateSeal::new(&new, std::slice::from_ref(&old), hour).unwrap();
        assert_eq!(after.open::<String>(bound("{}"), &state), Ok("kept".to_owned()));
        let later = StateSeal::new(&new, &[], hour).unwrap();
        assert_eq!(later.open::<String>(bound("{}"), &state), Err(SealError::Foreign));
        assert_eq!(after.open::<String>(bound("[]"), &state), Err(SealError::Foreign));
        assert_eq!(StateSeal::new(&[1; 31], &[], hour).err(), Some(SealError::Keys));
        assert!(!format!("{after:?}").contains("[2, 2"));
    }

    #[test]
    fn state_is_accepted_once() {
        let seal = StateSeal::random(Duration::from_secs(60)).unwrap();
        let state = seal.seal(bound("{}"), &1).unwrap();
        assert_eq!(seal.open::<u8>(bound("{}"), &state), Ok(1));
        let spend = |seal: &StateSeal| seal.mark_used(bound("{}"), &state);
        assert_eq!((spend(&seal), spend(&seal)), (Ok(()), Err(SealError::AlreadyUsed)));
        assert_eq!(seal.mark_used(bound("[]"), &state), Err(SealError::Foreign));
        let key = [1; 32];
        let (before, after) =
            (StateSeal::new(&key, &[], seal.ttl).unwrap(), StateSeal::new(&key, &[], seal.ttl).unwrap());
        let state = before.seal(bound("{}"), &1).unwrap();
        assert_eq!(after.mark_used(bound("{}"), &state), Err(SealError::Restarted));
        assert_eq!(before.mark_used(bound("{}"), &state), Ok(()));
    }
}
