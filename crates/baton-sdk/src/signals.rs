//! Stop signals of the process.

use tokio::sync::oneshot;

/// Resolves on the first stop signal.
pub(crate) struct StopSignal(oneshot::Receiver<()>);

impl StopSignal {
    /// Starts listening; a second signal exits the process immediately.
    pub(crate) fn listen() -> Self {
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(async move {
            next().await;
            let _ = sender.send(());
            next().await;
            std::process::exit(130);
        });
        Self(receiver)
    }

    /// Waits for the signal.
    pub(crate) async fn wait(&mut self) {
        if (&mut self.0).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
async fn next() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn next() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
