//! Through a proxy on this machine, which plays the internet.

use std::net::TcpStream;
use std::sync::Mutex;

use ai_assist_base::Cancel;
use ai_assist_fetch::{Answer, Client, ClientOptions, Credentials, Proxies, Request, TransportError};
use url::Url;

use crate::server::{Authority, Hit, Raw, Server, ok, read_head, redirect, say};
use crate::support::{SMALL, body, error, in_environment, options, url};

fn through(proxy: Url, except: &str) -> ClientOptions {
    ClientOptions { allow_http: true, proxies: Proxies::One { url: proxy, except: except.to_owned() }, ..options() }
}

fn host(hit: &Hit) -> &str {
    hit.uri.host().expect("a proxy is told the whole URL")
}

#[test]
fn a_public_server_can_not_redirect_to_this_machine() {
    let target = Server::http(|_| ok("inside"));
    for to in [target.url("/"), target.url_at("localhost", "/"), target.url_at("[::ffff:127.0.0.1]", "/")] {
        let proxy = Server::http(move |_| redirect(to.as_str()));
        let found = error(&Client::new(through(proxy.url("/"), "")), &url("http://public.example/start"));
        assert!(matches!(found, TransportError::PrivateHost { .. }), "{found:?}");
        assert!(found.to_string().contains("redirect of `http://public.example/start`"), "{found}");
        assert_eq!(proxy.count(), 1);
    }
    assert_eq!((target.count(), target.connections()), (0, 0));
}

#[test]
fn nor_to_a_name_of_this_machine_that_is_reached_without_the_proxy() {
    let target = Server::http(|_| ok("inside"));
    let to = target.url_at("inside.example", "/").to_string();
    let proxy = Server::http(move |_| redirect(&to));
    let hosts = [("inside.example".to_owned(), vec![target.address.ip()])].into();
    let client = Client::new(ClientOptions { hosts, ..through(proxy.url("/"), "inside.example") });
    let found = error(&client, &url("http://public.example/"));
    assert!(matches!(found, TransportError::PrivateHost { .. }), "{found:?}");
    assert_eq!((proxy.count(), target.connections()), (1, 0));
    assert_eq!(body(&client, &target.url_at("inside.example", "/")).bytes, b"inside", "the user may");
}

#[test]
fn a_proxy_on_this_machine_makes_no_server_private() {
    let proxy = Server::http(|hit| match host(hit) {
        "first.example" => redirect("http://second.example/file"),
        other => ok(other.to_owned()),
    });
    let client = Client::new(through(proxy.url("/"), ""));
    for (at, expected, private) in
        [("http://first.example/", "second.example", false), ("http://10.1.2.3/", "10.1.2.3", true)]
    {
        let answer = body(&client, &url(at));
        assert_eq!((answer.bytes.as_slice(), answer.private), (expected.as_bytes(), private), "{at}");
    }
    let request = Request::by_package(url("http://first.example/"), false);
    assert!(
        matches!(client.get(&request, SMALL, &Cancel::default()), Ok(Answer::Body(_))),
        "the proxy itself is no target"
    );
    let request = Request::by_package(url("http://10.1.2.3/"), false);
    assert!(matches!(client.get(&request, SMALL, &Cancel::default()), Err(TransportError::PrivateHost { .. })));
    assert_eq!(proxy.count(), 5);
}

#[test]
fn this_machine_is_reached_without_a_proxy() {
    let server = Server::http(|_| ok("direct"));
    let proxy = Server::http(|_| ok("proxied"));
    let client = Client::new(through(proxy.url("/"), ""));
    assert_eq!(body(&client, &server.url("/")).bytes, b"direct");
    assert_eq!(body(&client, &server.url_at("localhost", "/")).bytes, b"direct");
    assert_eq!(proxy.connections(), 0);
}

/// A proxy that connects every tunnel to one address, and remembers the heads it was sent.
fn tunnel(to: std::net::SocketAddr, heads: &'static Mutex<Vec<String>>) -> Raw {
    Raw::start(move |_, stream| {
        heads.lock().unwrap().push(read_head(stream));
        let mut server = TcpStream::connect(to).unwrap();
        say(stream, "HTTP/1.1 200 Connected\r\n\r\n");
        let (mut from, mut back) = (stream.try_clone().unwrap(), server.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut from, &mut server));
        let _ = std::io::copy(&mut back, stream);
    })
}

#[test]
fn https_goes_through_a_tunnel_that_sees_no_credentials() {
    static HEADS: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let authority = Authority::new();
    let server = Server::https(authority.certificate(&["secure.example"]), |_| ok("hello"));
    let proxy = tunnel(server.address, &HEADS);
    let client = Client::new(ClientOptions {
        ca_file: Some(authority.file()),
        credentials: Credentials::from_list("secure.example=bearer:hush").unwrap(),
        ..through(url(&format!("http://me:proxy-password@{}", proxy.address)), "")
    });
    let answer = body(&client, &url("https://secure.example/file"));
    assert_eq!((answer.bytes.as_slice(), answer.private), (&b"hello"[..], false));
    assert_eq!(server.hits()[0].header("authorization"), Some("Bearer hush"));
    let heads = HEADS.lock().unwrap().join("");
    assert!(heads.starts_with("CONNECT secure.example:443") && !heads.contains("hush"), "{heads}");
    // printf me:proxy-password | base64
    assert!(heads.to_lowercase().contains("proxy-authorization: basic bwu6chjvehktcgfzc3dvcmq="), "{heads}");
    assert!(!format!("{client:?}").contains("proxy-password"));
}

#[test]
fn a_socks_proxy_is_refused_in_words() {
    let found = error(&Client::new(through(url("socks5://127.0.0.1:1"), "")), &url("http://public.example/"));
    assert!(matches!(&found, TransportError::Proxy { scheme, .. } if scheme == "socks5"), "{found:?}");
}

#[test]
fn the_environment_names_proxies() {
    let proxy = Server::http(|hit| ok(format!("proxied {}", host(hit))));
    let at = proxy.url("/").to_string();
    in_environment("proxy::child_of_the_environment", &[("HTTP_PROXY", &at), ("NO_PROXY", "direct.example")]);
    assert_eq!(proxy.count(), 1);
    in_environment("proxy::child_of_the_environment", &[("all_proxy", &at), ("no_proxy", "direct.example")]);
    assert_eq!(proxy.count(), 2);
}

#[test]
#[ignore = "run by the test above, in an environment with proxies"]
fn child_of_the_environment() {
    let server = Server::http(|_| ok("direct"));
    let hosts = [("direct.example".to_owned(), vec![server.address.ip()])].into();
    let options = ClientOptions { allow_http: true, proxies: Proxies::Environment, hosts, ..options() };
    let client = Client::new(options);
    assert_eq!(body(&client, &url("http://public.example/")).bytes, b"proxied public.example");
    assert_eq!(body(&client, &server.url_at("direct.example", "/")).bytes, b"direct");
    assert_eq!(body(&client, &server.url("/")).bytes, b"direct");
}
