//! How long an input may take: readers are linear, so time is bounded by length.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What any input may take, whatever its length.
const BASE: Duration = Duration::from_millis(100);
/// What each byte may take on top; an ordinary one takes a fiftieth of it, with the instrumentation.
const PER_BYTE: Duration = Duration::from_micros(5);

/// Processor time of this thread, which other processes of a busy machine do not lengthen.
pub(crate) fn spent(work: impl FnOnce()) -> Duration {
    let now = || {
        let at = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(at.tv_sec.unsigned_abs(), u32::try_from(at.tv_nsec).unwrap_or_default())
    };
    let begun = now();
    work();
    now().saturating_sub(begun)
}

/// Fails when `work` on an input of `length` bytes takes longer than a linear reader would.
pub(crate) fn within_reason(length: usize, work: impl FnOnce()) {
    let (spent, most) = (spent(work), BASE + PER_BYTE * u32::try_from(length).unwrap_or(u32::MAX));
    assert!(spent <= most, "{length} bytes took {spent:?} of processor time; at most {most:?} was expected");
}
