//! Time limit of an input: readers are linear, so the limit grows with the length.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Time budget of any input, regardless of its length.
const BASE_TIME_BUDGET: Duration = Duration::from_millis(100);
/// Additional budget per byte; typically a fiftieth of it is used, with instrumentation.
const PER_BYTE_BUDGET: Duration = Duration::from_micros(5);

/// CPU time of this thread, independent of the load of the machine.
pub(crate) fn cpu_time(work: impl FnOnce()) -> Duration {
    let now = || {
        let at = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(at.tv_sec.unsigned_abs(), u32::try_from(at.tv_nsec).unwrap_or_default())
    };
    let begun = now();
    work();
    now().saturating_sub(begun)
}

/// Fails if `work` on an input of `length` bytes exceeds the linear time budget.
pub(crate) fn assert_within_budget(length: usize, work: impl FnOnce()) {
    let (used, budget) =
        (cpu_time(work), BASE_TIME_BUDGET + PER_BYTE_BUDGET * u32::try_from(length).unwrap_or(u32::MAX));
    assert!(used <= budget, "{length} bytes took {used:?} of CPU time; the budget is {budget:?}");
}
