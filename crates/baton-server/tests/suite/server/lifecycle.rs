//! Opening, serving and stopping.

use super::{greet, options};
use baton_client::Client;
use baton_ports::error_codes;
use baton_server::{LostJournal, Persistence, Server, ServerError};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_stopped_server_releases_its_directory_with_all_tasks() {
    let home = tempfile::tempdir().expect("a directory");
    let data = home.path().join("data");
    let open = || Server::open(options(home.path(), Persistence::Directory(data.clone())));
    let server = open().await.expect("it opens");
    let second = open().await.err().expect("the directory is locked");
    assert!(matches!(&second, ServerError::DataDirectoryLocked(locked) if *locked == data), "{second}");

    let running = server.listen(TcpListener::bind("127.0.0.1:0").await.expect("a port")).expect("it listens").start();
    assert_eq!(running.handle().recovered_runs().await, Some(0));
    let task = greet(&Client::tcp(running.url()).expect("a URL")).await;
    let (url, handle) = (running.url().to_owned(), running.handle().clone());
    running.stop().await;
    assert!(Client::tcp(&url).expect("a URL").health().await.is_err(), "nothing listens any more");
    assert_eq!(handle.agents().len(), 1, "a handle may outlive its server");

    let again = open().await.expect("it opens again");
    let client = Client::in_memory(again.local_surface().router);
    assert_eq!(client.get("desk", &task, None).await.expect("the task is there").id, task);
    again.close().await;
}

#[tokio::test]
async fn a_service_runs_until_it_is_shut_down() {
    let home = tempfile::tempdir().expect("a directory");
    let server = Server::open(options(home.path(), Persistence::default())).await.expect("it opens");
    let service = server.listen(TcpListener::bind("127.0.0.1:0").await.expect("a port")).expect("it listens");
    let (client, shutdown) = (Client::tcp(service.url()).expect("a URL"), CancellationToken::new());
    let caller = async {
        greet(&client).await;
        shutdown.cancel();
    };
    tokio::join!(service.run(shutdown.clone()), caller);
    assert!(client.health().await.is_err());
}

#[tokio::test]
async fn a_lost_journal_is_replaced_only_on_request() {
    let home = tempfile::tempdir().expect("a directory");
    let data = home.path().join("data");
    let options = |lost| {
        let mut options = options(home.path(), Persistence::Directory(data.clone()));
        options.lost_journal = lost;
        options
    };
    let first = Server::open(options(LostJournal::Reject)).await.expect("it opens");
    greet(&Client::in_memory(first.local_surface().router)).await;
    first.listen(TcpListener::bind("127.0.0.1:0").await.expect("a port")).expect("it listens").start().stop().await;
    std::fs::remove_file(data.join("journal.db")).expect("removed");
    let lost = Server::open(options(LostJournal::Reject)).await.err().expect("the journal is lost");
    assert_eq!(lost.code(), error_codes::JOURNAL_MISSING, "{lost}");
    Server::open(options(LostJournal::Replace)).await.expect("a new journal").close().await;
}
