//! The generated code equals what the schemas compile to.

use prost_build::{Service, ServiceGenerator};
use prost_types::FileDescriptorSet;
use std::{fs, path::Path};

/// Messages, servers and clients, by the file of their package.
#[test]
fn generated_code_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/generated");
    let output = tempfile::tempdir().unwrap();
    prost_build::Config::new()
        .out_dir(output.path())
        .btree_map(["."])
        .bytes(["."])
        .service_generator(Box::new(ServerAndClient {
            server: half().build_client(false).codec_path("crate::Codec").service_generator(),
            client: half().build_server(false).codec_path("crate::ClientCodec").service_generator(),
        }))
        .compile_fds(schemas())
        .unwrap();
    for file in ["lf.a2a.v1.rs", "a2a.v1.rs"] {
        let code = fs::read_to_string(output.path().join(file)).unwrap();
        if std::env::var_os("BATON_WRITE_SCHEMA").is_some() {
            fs::write(folder.join(file), &code).unwrap();
        }
        let committed = fs::read_to_string(folder.join(file)).unwrap();
        assert!(committed == code, "{file} is outdated: run the test with BATON_WRITE_SCHEMA=1 and commit the file");
    }
}

/// Both schemas and their imports.
pub(crate) fn schemas() -> FileDescriptorSet {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let mut compiler = protox::Compiler::new([folder]).unwrap();
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(["lf/a2a/v1/a2a.proto", "a2a/v1/a2a.proto"]).unwrap();
    compiler.file_descriptor_set()
}

fn half() -> tonic_prost_build::Builder {
    tonic_prost_build::configure().build_transport(false)
}

/// Bytes that are no message mean a wrong request to a server and a wrong answer to a client, so each has its codec.
struct ServerAndClient {
    server: Box<dyn ServiceGenerator>,
    client: Box<dyn ServiceGenerator>,
}

impl ServiceGenerator for ServerAndClient {
    fn generate(&mut self, service: Service, code: &mut String) {
        self.server.generate(service.clone(), code);
        self.client.generate(service, code);
    }
}
