//! Being asked to stop.

use tokio::sync::oneshot;

/// Resolves when the process is asked to stop.
pub(crate) struct StopRequest(oneshot::Receiver<()>);

impl StopRequest {
    /// Begins to listen; a second request ends the process at once, as it would have without us.
    pub(crate) fn listen() -> Self {
        let (tell, asked) = oneshot::channel();
        tokio::spawn(async move {
            next().await;
            let _ = tell.send(());
            next().await;
            std::process::exit(130);
        });
        Self(asked)
    }

    /// Waits for it.
    pub(crate) async fn came(&mut self) {
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
