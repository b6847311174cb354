//! Runs work on large request bodies off the request threads.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Poll, ready},
    thread::available_parallelism,
};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
};

/// Bodies up to this size in bytes are parsed inline: that is cheaper than a thread switch.
const INLINE_LIMIT: usize = 64 * 1024;

/// Maximum concurrent parsers; fewer if there are fewer processors.
const MAX_PARSERS: usize = 8;

/// Bounds the number of large bodies processed at once. Clones share the bound.
#[derive(Clone)]
pub struct LargeRequests {
    permits: Arc<Semaphore>,
}

type Acquire = Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, AcquireError>> + Send>>;

impl LargeRequests {
    /// A bound for this process.
    #[expect(clippy::new_without_default, reason = "the bound depends on the machine")]
    pub fn new() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self { permits: Arc::new(Semaphore::new(processors.clamp(2, MAX_PARSERS))) }
    }

    /// Drives `work` on a body of `bytes` bytes. Large work holds a permit and blocks its thread only while it
    /// computes, not while it waits.
    pub async fn drive<F: Future>(&self, bytes: usize, mut work: Pin<&mut F>) -> F::Output {
        if bytes <= INLINE_LIMIT {
            return work.await;
        }
        let mut acquire: Option<Acquire> = None;
        poll_fn(|context| {
            let next = acquire.get_or_insert_with(|| Box::pin(Arc::clone(&self.permits).acquire_owned()));
            let permit: Result<_, AcquireError> = ready!(next.as_mut().poll(context));
            acquire = None;
            let polled: Poll<F::Output> = off_request_threads(|| work.as_mut().poll(context));
            drop(permit);
            polled
        })
        .await
    }
}

/// Computes while another thread takes over the other tasks of this one. A single-threaded runtime computes inline.
fn off_request_threads<T>(compute: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(compute),
        _ => compute(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{pin::pin, sync::mpsc, time::Duration};

    const LARGE: usize = INLINE_LIMIT + 1;
    const RECV_TIMEOUT: Duration = Duration::from_secs(20);

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    }

    #[test]
    fn the_only_request_thread_serves_others_while_a_large_body_is_parsed() {
        let (served, waits) = mpsc::channel();
        let runtime = runtime();
        let parsed = runtime.spawn(async move {
            // Runs on the only worker thread, after this task.
            tokio::spawn(async move { served.send(()).unwrap() });
            LargeRequests::new().drive(LARGE, pin!(async move { waits.recv_timeout(RECV_TIMEOUT).is_ok() })).await
        });
        assert!(runtime.block_on(parsed).unwrap(), "the request thread waited for the parser");
    }

    #[test]
    fn permits_are_bounded_and_released_while_work_waits() {
        let requests = Arc::new(LargeRequests { permits: Arc::new(Semaphore::new(1)) });
        let runtime = runtime();
        let (first, second) = (Arc::clone(&requests), Arc::clone(&requests));
        let (tell, told) = tokio::sync::oneshot::channel();
        let waiting = runtime.spawn(async move { first.drive(LARGE, pin!(async { told.await.unwrap() })).await });
        let other = runtime.spawn(async move {
            let work = async {
                assert_eq!(requests.permits.available_permits(), 0);
                tell.send(7).unwrap();
            };
            second.drive(LARGE, pin!(work)).await;
        });
        assert_eq!(runtime.block_on(waiting).unwrap(), 7);
        runtime.block_on(other).unwrap();
    }
}
