//! From names of hosts to addresses.

use std::collections::BTreeMap;
use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::hosts;

/// A name that has private addresses only, where none is allowed.
#[derive(Debug, thiserror::Error)]
#[error("the name stands for a private address")]
pub(super) struct PrivateAddress;

/// The resolver of one client. What is refused here is never connected to, so a name can't change its meaning between
/// the check and the use.
#[derive(Clone)]
pub(super) struct Names {
    pub(super) fixed: Arc<BTreeMap<String, Vec<IpAddr>>>,
    pub(super) public_only: bool,
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.clone();
        Box::pin(async move { names.addresses(name.as_str()).await })
    }
}

impl Names {
    async fn addresses(&self, name: &str) -> Result<Addrs, Box<dyn Error + Send + Sync>> {
        let found: Vec<IpAddr> = if hosts::is_localhost(name) {
            // Plain HTTP and credentials are allowed to `localhost`, so it must not depend on what a resolver says.
            vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
        } else if let Some(addresses) = self.fixed.get(&name.to_ascii_lowercase()) {
            addresses.clone()
        } else {
            tokio::net::lookup_host((name, 0)).await?.map(|a| a.ip()).collect()
        };
        let some = !found.is_empty();
        let kept: Vec<SocketAddr> = found
            .into_iter()
            .filter(|address| !(self.public_only && hosts::is_private(*address)))
            .map(|address| SocketAddr::new(address, 0))
            .collect();
        if some && kept.is_empty() {
            return Err(Box::new(PrivateAddress));
        }
        Ok(Box::new(kept.into_iter()))
    }
}
