//! Stop requests: SIGINT and SIGTERM, or Ctrl-C.

use tokio::sync::watch;

/// Counts stop requests: the first asks for an orderly shutdown, the second for an immediate exit.
#[derive(Clone, Debug)]
pub(crate) struct StopRequests {
    count: watch::Receiver<u8>,
}

impl StopRequests {
    /// Installs the signal handlers; from now on the signals do not end the process.
    pub(crate) fn listen() -> Self {
        let (tell, count) = watch::channel(0);
        tokio::spawn(async move {
            let mut signals = Signals::new();
            for times in 1..=2 {
                signals.next().await;
                let _ = tell.send(times);
            }
        });
        Self { count }
    }

    /// Waits for the first request.
    pub(crate) async fn first(&mut self) {
        self.wait_for_count(1).await;
    }

    /// Waits for the second request, which means exit immediately.
    pub(crate) async fn second(&mut self) {
        self.wait_for_count(2).await;
    }

    async fn wait_for_count(&mut self, times: u8) {
        if self.count.wait_for(|count| *count >= times).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self { interrupt: signal(SignalKind::interrupt()).ok(), terminate: signal(SignalKind::terminate()).ok() }
    }

    async fn next(&mut self) {
        tokio::select! {
            () = wait_for_signal(&mut self.interrupt) => {}
            () = wait_for_signal(&mut self.terminate) => {}
        }
    }
}

#[cfg(unix)]
async fn wait_for_signal(signal: &mut Option<tokio::signal::unix::Signal>) {
    let received = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if received.is_none() {
        std::future::pending::<()>().await;
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Self {
        Self
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// SIGHUP signals.
#[cfg(unix)]
pub(crate) struct Hangups(Option<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Hangups {
    /// Installs the signal handler; from now on the signal does not end the process.
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let hangups = signal(SignalKind::hangup()).inspect_err(|error| {
            tracing::warn!(%error, "the SIGHUP handler could not be installed; restart to reload agents and models");
        });
        Self(hangups.ok())
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        wait_for_signal(&mut self.0).await;
    }
}

/// SIGHUP signals, which this platform does not have.
#[cfg(not(unix))]
pub(crate) struct Hangups;

#[cfg(not(unix))]
impl Hangups {
    pub(crate) fn listen() -> Self {
        Self
    }

    pub(crate) async fn next(&mut self) {
        std::future::pending::<()>().await;
    }
}
