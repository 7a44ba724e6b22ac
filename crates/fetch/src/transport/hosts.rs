//! Which hosts are of this machine or this network.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};

use url::{Host, Url};

use super::{TransportError, shown};

/// Whether an address is of this machine, of a network that is not the internet, or of nobody.
pub(super) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_private_v4(v4),
        IpAddr::V6(v6) => is_private_v6(v6),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        // This network, shared by carriers (RFC 6598), protocol assignments, benchmarks, and what was never given out.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    if let Some(v4) = embedded_v4(segments) {
        return is_private_v4(v4);
    }
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        // Site-local, long given up but still routed here and there, and the NAT64 prefix for local use.
        || segments[0] & 0xffc0 == 0xfec0
        || segments[..3] == [0x64, 0xff9b, 1]
}

/// The IPv4 address that an IPv6 address stands for: mapped, compatible, translated (NAT64) or tunnelled (6to4).
fn embedded_v4(s: [u16; 8]) -> Option<Ipv4Addr> {
    let (high, low) = match s {
        // `::` and `::1` are addresses of their own.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => return None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => (high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => (high, low),
        _ => return None,
    };
    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
    Some(Ipv4Addr::new(a, b, c, d))
}

/// Whether a name always means this machine.
pub(super) fn is_localhost(name: &str) -> bool {
    name.strip_suffix('.').unwrap_or(name).eq_ignore_ascii_case("localhost")
}

/// Whether a host is this machine by its spelling alone: bytes to it never leave the machine.
pub(super) fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
        Host::Domain(name) => is_localhost(name),
    }
}

/// Whether a host is private by its spelling alone. What a name resolves to is asked by the resolver.
pub(super) fn is_private_by_name(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => is_private((*address).into()),
        Host::Ipv6(address) => is_private((*address).into()),
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

/// Whether a URL leads to this machine or this network, by its spelling or by what its name resolves to now. One that can't be
/// resolved does not: where a proxy asks, names mean what they mean there.
pub fn leads_inside(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return true };
    let Some(host) = url.host() else { return true };
    if is_private_by_name(&host) {
        return true;
    }
    let addresses = match host {
        Host::Domain(name) => (name, url.port_or_known_default().unwrap_or(443)).to_socket_addrs(),
        _ => return false,
    };
    addresses.is_ok_and(|mut addresses| addresses.any(|address| is_private(address.ip())))
}

/// A public address of a URL's server, as `HOST:PORT:ADDRESS`. `fixed` are names that are not looked up.
pub(super) fn public_address(url: &Url, fixed: &BTreeMap<String, Vec<IpAddr>>) -> Result<String, TransportError> {
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Err(TransportError::BadUrl { url: shown(url), reason: "it names no server".to_owned() });
    };
    let unknown = |reason: String| TransportError::Connect { url: shown(url), reason };
    let addresses: Vec<IpAddr> = match (url.host(), fixed.get(&host.to_ascii_lowercase())) {
        (Some(Host::Ipv4(address)), _) => vec![address.into()],
        (Some(Host::Ipv6(address)), _) => vec![address.into()],
        (_, Some(addresses)) => addresses.clone(),
        _ => {
            let found = (host, port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
            found.map(|address| address.ip()).collect()
        }
    };
    match addresses.iter().find(|address| !is_private(**address)) {
        Some(IpAddr::V6(address)) => Ok(format!("{host}:{port}:[{address}]")),
        Some(address) => Ok(format!("{host}:{port}:{address}")),
        None => {
            Err(TransportError::PrivateHost { url: shown(url), named_by: "a source that has to be public".to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_asked_where_it_was_judged() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let fixed: BTreeMap<String, Vec<IpAddr>> = [
            ("a.test".to_owned(), vec![ip("10.0.0.1"), ip("8.8.8.8")]),
            ("b.test".to_owned(), vec![ip("127.0.0.1")]),
            ("c.test".to_owned(), vec![ip("2606:4700::1111")]),
        ]
        .into();
        let address = |url: &str| public_address(&Url::parse(url).unwrap(), &fixed).ok();
        assert_eq!(address("https://A.test/x").as_deref(), Some("a.test:443:8.8.8.8"));
        assert_eq!(address("https://c.test:8443/x").as_deref(), Some("c.test:8443:[2606:4700::1111]"));
        assert_eq!((address("https://b.test/"), address("https://127.0.0.1/")), (None, None));
    }

    #[test]
    fn what_leads_inside_is_known_by_name_and_by_address() {
        for url in ["https://127.0.0.1/x", "https://localhost:8443/x", "https://[::1]/", "https://10.0.0.8/a", "no url"]
        {
            assert!(leads_inside(url), "{url}");
        }
        for url in ["https://8.8.8.8/x", "https://name.invalid/x"] {
            assert!(!leads_inside(url), "{url}");
        }
    }

    fn by_name(host: &str) -> bool {
        is_private_by_name(&Url::parse(&format!("https://{host}/")).unwrap().host().unwrap())
    }

    #[test]
    fn private_spellings_are_known() {
        for host in [
            "127.0.0.1",
            "127.255.1.2",
            "0x7f.1",
            "2130706433",
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[fc00::1]",
            "[fdff::1]",
            "[fe80::1]",
            "[fec0::1]",
            "[ff02::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:169.254.169.254]",
            "[::10.0.0.1]",
            "[::ffff:0:10.0.0.1]",
            "[64:ff9b::10.0.0.1]",
            "[64:ff9b:1::1]",
            "[2002:7f00:1::]",
            "localhost",
            "LOCALHOST.",
            "x.localhost",
        ] {
            assert!(by_name(host), "{host}");
        }
    }

    #[test]
    fn public_spellings_are_left_alone() {
        for host in [
            "8.8.8.8", "100.63.0.1", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "198.17.0.1", "11.0.0.1",
            "[2606:4700::1111]", "[::ffff:8.8.8.8]", "[64:ff9b::8.8.8.8]", "[2002:808:808::]", "example.com",
            "localhost.example.com", "mylocalhost",
        ] {
            assert!(!by_name(host), "{host}");
        }
    }

    #[test]
    fn loopback_is_narrower_than_private() {
        for (host, expected) in [
            ("127.9.9.9", true),
            ("[::1]", true),
            ("localhost", true),
            ("localhost.", true),
            ("x.localhost", false),
            ("10.0.0.1", false),
            ("0.0.0.0", false),
            ("[::ffff:127.0.0.1]", false),
        ] {
            let url = Url::parse(&format!("http://{host}/")).unwrap();
            assert_eq!(is_loopback(&url.host().unwrap()), expected, "{host}");
        }
    }
}
