//! Whom we believe: the certificate authorities of this machine, and how TLS is spoken.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::TransportError;

/// The settings of TLS, and how many authorities are trusted.
pub(super) fn tls(ca_file: Option<&Path>) -> Result<(ClientConfig, usize), TransportError> {
    let mut roots = RootCertStore::empty();
    // What of the system's store can't be read is passed over: the rest is enough, or the TLS error says that there is none.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca_file {
        add_file(&mut roots, path)?;
    }
    let authorities = roots.len();
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| TransportError::Setup { reason: error.to_string() })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok((config, authorities))
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), TransportError> {
    let bad = |reason: String| TransportError::CaFile { path: path.to_owned(), reason };
    let mut found = 0;
    for certificate in CertificateDer::pem_file_iter(path).map_err(|e| bad(e.to_string()))? {
        let certificate = certificate.map_err(|e| bad(e.to_string()))?;
        roots.add(certificate).map_err(|e| bad(e.to_string()))?;
        found += 1;
    }
    if found == 0 {
        return Err(bad("there is no certificate in it".to_owned()));
    }
    Ok(())
}
