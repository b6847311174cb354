//! Persistence of vectors.

use baton_local::VectorFiles;
use baton_ports::{CachedVectors, EmbeddingCache};
use baton_types::{AgentName, Digest};
use std::{fs, sync::Arc};

#[tokio::test]
async fn vectors_are_stored_by_agent_and_model() {
    let directory = tempfile::tempdir().unwrap();
    let inside = directory.path().join("relevance");
    let files = || VectorFiles::new(&inside);
    let agent = AgentName::from("weather");
    assert!(files().read(&agent, "small").await.is_empty());
    assert!(!inside.exists(), "reading creates no directory");
    let vectors: CachedVectors =
        (0..3_u8).map(|number| (Digest::compute(&[number]), vec![0.1 * f32::from(number), -0.33333334])).collect();
    files().write(&agent, "small", Arc::new(vectors.clone())).await.unwrap();
    assert_eq!(files().read(&agent, "small").await, vectors);
    assert!(files().read(&agent, "large").await.is_empty());
    assert!(files().read(&"other".into(), "small").await.is_empty());

    // An agent name that is not a valid file name stays inside the directory.
    let odd = AgentName::from("../odd name");
    files().write(&odd, "small", Arc::new(vectors.clone())).await.unwrap();
    assert_eq!(files().read(&odd, "small").await, vectors);
    let names: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["relevance"]);

    fs::write(inside.join("weather.json"), "{\"model\": \"small\", \"vec").unwrap();
    assert!(files().read(&agent, "small").await.is_empty());
    fs::remove_dir_all(&inside).unwrap();
    fs::write(&inside, "in the way").unwrap();
    assert!(files().write(&agent, "small", Arc::new(vectors)).await.is_err());
}
