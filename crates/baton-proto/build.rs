//! Compiles the schemas into messages, servers and clients, and keeps the descriptors that tests and reflection read.

use prost_build::{Service, ServiceGenerator};
use std::{env, error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(["lf/a2a/v1/a2a.proto", "a2a/v1/a2a.proto"])?;
    prost_build::Config::new()
        .btree_map(["."])
        .bytes(["."])
        .service_generator(Box::new(ServerAndClient {
            server: half().build_client(false).codec_path("crate::Codec").service_generator(),
            client: half().build_server(false).codec_path("crate::ClientCodec").service_generator(),
        }))
        .compile_fds(compiler.file_descriptor_set())?;
    compiler.include_source_info(false).include_imports(false);
    std::fs::write(PathBuf::from(env::var("OUT_DIR")?).join("descriptors.bin"), compiler.encode_file_descriptor_set())?;
    Ok(())
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
