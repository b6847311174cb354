//! System clock and id generator.

use baton_system::{SystemClock, TimeOrderedIds};
use baton_types::{Clock, IdGenerator, Timestamp};

#[test]
fn clock_returns_the_current_time() {
    let long_ago = Timestamp::parse("2025-01-01T00:00:00Z").unwrap();
    let first = SystemClock.now();
    assert!(first > long_ago);
    assert!(SystemClock.now() >= first);
}

#[test]
fn ids_are_unique_and_ordered() {
    let ids: Vec<String> = (0..10_000).map(|_| TimeOrderedIds.next_id()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
}
