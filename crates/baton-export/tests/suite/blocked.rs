//! Receivers that reject everything, and how often the log reports it.

use crate::{
    fixtures::{Sender, number, to},
    receiver::{Answer, Receiver},
};
use baton_export::OtlpProtocol;
use baton_ports::{ExportMonitor as _, ExportState};
use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
    time::Duration,
};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

/// Captured log lines of this thread.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Lines {
    pub(crate) fn capture() -> (Self, DefaultGuard) {
        let lines = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_max_level(tracing::Level::DEBUG)
            .with_writer(lines.clone())
            .finish();
        (lines, tracing::subscriber::set_default(subscriber))
    }

    pub(crate) fn all(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().filter(|line| line.contains("baton_export")).map(str::to_owned).collect()
    }

    pub(crate) fn of(&self, level: &str) -> Vec<String> {
        self.all().into_iter().filter(|line| line.contains(level)).collect()
    }
}

/// Waits for this export state.
pub(crate) async fn until(sender: &Sender, check: impl Fn(&ExportState) -> bool) -> ExportState {
    let counts = sender.exporter.counts();
    let reached = async {
        loop {
            let state = counts.reports().remove(0).state;
            if check(&state) {
                return state;
            }
            tokio::task::yield_now().await;
        }
    };
    let reached = tokio::time::timeout(Duration::from_secs(20), reached).await;
    reached.unwrap_or_else(|_| panic!("it stays {:?}", counts.reports()))
}

#[tokio::test]
async fn blocked_target_is_reported_once_and_gets_everything_later() {
    use Answer::{Grpc, Http};
    for (protocol, answers, said, advice) in [
        (OtlpProtocol::Http, [Http(401, None), Http(401, None), Http(403, None)], "401", "credentials"),
        (OtlpProtocol::Json, [Http(403, None), Http(403, None), Http(401, None)], "403", "credentials"),
        (OtlpProtocol::Http, [Http(404, None), Http(405, None), Http(301, None)], "404", "address"),
        (OtlpProtocol::Grpc, [Grpc(16, None), Grpc(16, None), Grpc(7, None)], "authentication", "credentials"),
        (OtlpProtocol::Grpc, [Grpc(7, None), Grpc(7, None), Grpc(16, None)], "permission", "credentials"),
        (OtlpProtocol::Grpc, [Grpc(12, None), Grpc(12, None), Grpc(5, None)], "implemented", "address"),
    ] {
        let (lines, _guard) = Lines::capture();
        let receiver = Receiver::start(&answers).await;
        let directory = tempfile::tempdir().unwrap();
        let sender = Sender::start(directory.path(), &to(&receiver.url(), protocol));
        sender.keep(0..4).await;
        let state = until(&sender, |state| matches!(state, ExportState::Blocked { .. })).await;
        let ExportState::Blocked { why } = state else { panic!("{state:?}") };
        assert!(why.contains(said) && why.contains(advice), "{protocol:?}: {why}");
        assert_eq!(sender.counted(), (0, 0), "no span is lost");
        let waits = async {
            while sender.exporter.counts().reports()[0].queued_bytes == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waits).await.expect("rejected spans stay queued");
        let spans = receiver.spans(4).await;
        assert_eq!(spans.iter().map(number).collect::<Vec<_>>(), [0, 1, 2, 3], "{protocol:?}");
        until(&sender, |state| *state == ExportState::Healthy).await;
        let (told, again) = (lines.of(" WARN "), lines.of(" INFO "));
        assert_eq!((told.len(), again.len()), (1, 1), "{protocol:?}: {:#?}", lines.all());
        assert!(told[0].contains("are rejected until") && told[0].contains(advice), "{told:?}");
        assert!(told[0].contains(&receiver.url()) && !told[0].contains("/v1/traces"), "{told:?}");
        sender.close().await;
    }
}

#[tokio::test]
async fn every_state_change_is_reported_once() {
    use Answer::{Accept, Http};
    let (lines, _guard) = Lines::capture();
    let answers = [503, 502, 401, 403, 404, 503, 503].map(|status| Http(status, None));
    let answers: Vec<Answer> = answers.into_iter().chain([Accept, Http(400, None), Http(400, None)]).collect();
    let receiver = Receiver::start(&answers).await;
    let directory = tempfile::tempdir().unwrap();
    let sender = Sender::start(directory.path(), &to(&receiver.url(), OtlpProtocol::Http));
    sender.keep(0..2).await;
    receiver.spans(2).await;
    for (number, requests) in [(2, 9), (3, 10), (4, 11)] {
        sender.keep(number..number + 1).await;
        receiver.until(|came| came.len() >= requests).await;
    }
    receiver.spans(3).await;
    sender.close().await;
    let told = lines.of(" WARN ");
    let expect = ["cannot be sent", "are rejected until", "cannot be sent", "were rejected and are skipped"];
    assert_eq!(told.len(), expect.len(), "{told:#?}");
    for (line, expect) in told.iter().zip(expect) {
        assert!(line.contains(expect), "{expect}: {told:#?}");
    }
    assert_eq!(lines.of(" INFO ").len(), 1, "{:#?}", lines.all());
}

#[tokio::test]
async fn default_target_is_never_reported() {
    let (lines, _guard) = Lines::capture();
    let receiver = Receiver::start(&[Answer::Http(401, None), Answer::Http(503, None)]).await;
    let directory = tempfile::tempdir().unwrap();
    let mut options = to(&receiver.url(), OtlpProtocol::Http);
    options.targets[0].is_default = true;
    let sender = Sender::start(directory.path(), &options);
    sender.keep(0..2).await;
    receiver.until(|came| came.len() >= 3).await;
    assert_eq!(lines.of(" WARN "), Vec::<String>::new());
    assert!(sender.exporter.counts().reports()[0].is_default);
}
