//! Resource pools with a total limit and a limit per principal.

use crate::{
    auth::{Caller, LimitKey},
    error_codes,
};
use baton_api::{ApiError, ApiErrorKind};
use baton_types::ErrorCode;
use foldhash::HashMap;
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A pool of equal units (streams, queries, kilobytes) with a limit per principal. Without authentication, callers are
/// distinguished by address.
#[derive(Clone)]
pub struct Shares(Arc<SharePool>);

struct SharePool {
    total: usize,
    per_principal: usize,
    held: Mutex<HeldUnits>,
}

/// Units in use. A principal without units has no entry, so there are never more entries than units.
#[derive(Default)]
struct HeldUnits {
    total: usize,
    by_key: HashMap<LimitKey, usize>,
}

/// Acquired units, released on drop.
pub struct SharePermit {
    pool: Arc<SharePool>,
    key: LimitKey,
    units: usize,
}

/// Reason for a failed acquisition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareRefusal {
    /// The pool is exhausted.
    TotalFull {
        /// Units in the pool.
        limit: usize,
    },
    /// The caller has reached the limit per principal.
    OwnFull {
        /// Maximum units per principal.
        limit: usize,
    },
}

impl Shares {
    /// A pool of `total` units with at most `per_principal` units each.
    pub fn new(total: usize, per_principal: usize) -> Self {
        Self(Arc::new(SharePool { total, per_principal: per_principal.min(total), held: Mutex::default() }))
    }

    /// A pool with at most `percent` percent per principal, but not fewer than `least` units.
    pub fn with_percent(total: usize, percent: u8, min: usize) -> Self {
        Self::new(total, total.saturating_mul(usize::from(percent)).div_euclid(100).max(min))
    }

    /// Acquires one unit for the caller.
    pub fn acquire(&self, caller: &Caller) -> Result<SharePermit, ShareRefusal> {
        let mut permit = self.empty_permit(caller);
        permit.grow_to(1)?;
        Ok(permit)
    }

    /// A permit without units, which can grow.
    pub fn empty_permit(&self, caller: &Caller) -> SharePermit {
        SharePermit { pool: Arc::clone(&self.0), key: caller.limit_key(), units: 0 }
    }

    /// Maximum units per principal.
    pub fn per_principal(&self) -> usize {
        self.0.per_principal
    }
}

impl SharePool {
    fn held(&self) -> MutexGuard<'_, HeldUnits> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharePermit {
    /// Raises the permit to at least `units`. On failure it keeps the units it has.
    pub fn grow_to(&mut self, units: usize) -> Result<(), ShareRefusal> {
        let additional = units.saturating_sub(self.units);
        if additional == 0 {
            return Ok(());
        }
        let pool = &self.pool;
        let mut held = pool.held();
        let own = held.by_key.get(&self.key).copied().unwrap_or_default();
        // If the share equals the whole pool, only the pool limit applies.
        if pool.per_principal < pool.total && additional > pool.per_principal.saturating_sub(own) {
            return Err(ShareRefusal::OwnFull { limit: pool.per_principal });
        }
        if additional > pool.total.saturating_sub(held.total) {
            return Err(ShareRefusal::TotalFull { limit: pool.total });
        }
        held.total += additional;
        *held.by_key.entry(self.key.clone()).or_default() += additional;
        self.units += additional;
        Ok(())
    }
}

impl SharePermit {
    /// Reduces the permit to at most `units`.
    pub fn shrink_to(&mut self, units: usize) {
        let released = self.units.saturating_sub(units);
        if released == 0 {
            return;
        }
        self.units -= released;
        let mut held = self.pool.held();
        held.total = held.total.saturating_sub(released);
        if let Some(own) = held.by_key.get_mut(&self.key) {
            *own = own.saturating_sub(released);
            if *own == 0 {
                held.by_key.remove(&self.key);
            }
        }
    }
}

impl Drop for SharePermit {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

impl fmt::Debug for SharePermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharePermit").field("units", &self.units).finish_non_exhaustive()
    }
}

impl ShareRefusal {
    /// Protocol-independent error; `units` names the resource, such as "streams". The status is 429 only if the
    /// caller's own share is exhausted.
    pub fn error(self, units: &str) -> ApiError {
        match self {
            Self::OwnFull { limit } => {
                let message = format!("you already hold {limit} {units}, the maximum per principal");
                ApiError::new(ApiErrorKind::RateLimited, error_codes::SHARE_FULL, message)
            }
            Self::TotalFull { limit } => {
                let message = format!("{limit} {units} are in use already");
                ApiError::new(ApiErrorKind::Unavailable, ErrorCode::BUSY, message)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    fn caller(last: u8) -> Caller {
        Caller::from_address(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)))
    }

    #[test]
    fn one_caller_cannot_take_all_units() {
        let shares = Shares::new(5, 2);
        let (greedy, modest, late) = (caller(1), caller(2), caller(3));
        let first = shares.acquire(&greedy).unwrap();
        let second = shares.acquire(&greedy).unwrap();
        assert_eq!(shares.acquire(&greedy).unwrap_err(), ShareRefusal::OwnFull { limit: 2 });
        let others =
            [shares.acquire(&modest).unwrap(), shares.acquire(&modest).unwrap(), shares.acquire(&late).unwrap()];
        assert_eq!(shares.acquire(&late).unwrap_err(), ShareRefusal::TotalFull { limit: 5 });
        drop(first);
        assert!(shares.acquire(&greedy).is_ok(), "a dropped permit is available again");
        drop((second, others));
        let held = shares.0.held();
        assert_eq!((held.total, held.by_key.len()), (0, 0), "callers without units are not stored");
    }

    #[test]
    fn permit_grows_by_the_missing_units() {
        let shares = Shares::new(10, 6);
        let (one, other) = (caller(1), caller(2));
        let mut permit = shares.empty_permit(&one);
        for (units, expect) in [(0, Ok(())), (4, Ok(())), (2, Ok(())), (6, Ok(())), (7, Err(6))] {
            let grown = permit.grow_to(units);
            assert_eq!(grown, expect.map_err(|limit| ShareRefusal::OwnFull { limit }), "{units}");
        }
        let mut more = shares.empty_permit(&other);
        assert_eq!(more.grow_to(5), Err(ShareRefusal::TotalFull { limit: 10 }));
        assert_eq!(more.grow_to(4), Ok(()));
        permit.shrink_to(3);
        assert_eq!(shares.0.held().total, 7);
        drop(permit);
        assert_eq!(more.grow_to(6), Ok(()));
        assert_eq!(shares.0.held().total, 6);
    }

    #[test]
    fn small_pools_are_not_divided() {
        let shares = Shares::with_percent(2, 25, 16);
        let _held = [shares.acquire(&caller(1)).unwrap(), shares.acquire(&caller(1)).unwrap()];
        assert_eq!(shares.acquire(&caller(1)).unwrap_err(), ShareRefusal::TotalFull { limit: 2 });
        assert_eq!(Shares::with_percent(4096, 25, 16).0.per_principal, 1024);
    }

    #[test]
    fn addresses_of_one_network_share() {
        let address = |text: &str| Caller::from_address(text.parse().unwrap());
        let shares = Shares::new(4, 1);
        let _held = shares.acquire(&address("2001:db8::1")).unwrap();
        assert!(shares.acquire(&address("2001:db8::2")).is_err());
        assert!(shares.acquire(&address("2001:db8:0:1::1")).is_ok());
        assert!(shares.acquire(&address("192.0.2.1")).is_ok());
    }

    #[test]
    fn refusal_distinguishes_own_and_total_limits() {
        let own = ShareRefusal::OwnFull { limit: 2 }.error("streams");
        let total = ShareRefusal::TotalFull { limit: 8 }.error("streams");
        assert_eq!((own.kind.http_status(), own.code), (429, error_codes::SHARE_FULL));
        assert_eq!((total.kind.http_status(), total.code), (503, ErrorCode::BUSY));
    }
}
