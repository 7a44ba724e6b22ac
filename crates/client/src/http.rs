//! As much of HTTP/1.1 as a client of our own service needs: one request at a time over a connection that may be used again.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use ai_assist_base::platform::{LocalStream, connect_local};

/// No line of a head is longer, and no head has more lines.
const LONGEST_LINE: usize = 16 << 10;
const MOST_LINES: usize = 100;
const CONNECT: Duration = Duration::from_secs(2);

/// Where a service is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Socket(PathBuf),
    Tcp(SocketAddr),
}

/// A connection to a service.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<Stream>,
    host: String,
}

#[derive(Debug)]
enum Stream {
    Local(LocalStream),
    Tcp(TcpStream),
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Local(stream) => stream.read(into),
            Stream::Tcp(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Local(stream) => stream.write(bytes),
            Stream::Tcp(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Local(stream) => stream.flush(),
            Stream::Tcp(stream) => stream.flush(),
        }
    }
}

/// What is asked. Header names are in lower case.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    pub method: &'r str,
    /// Path and query, as they go over the wire.
    pub target: &'r str,
    pub headers: &'r [(&'r str, &'r str)],
    pub body: &'r [u8],
}

/// The head of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Head {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn length(&self) -> io::Result<Length> {
        if self.header("transfer-encoding").is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked")) {
            return Ok(Length::Chunked);
        }
        match self.header("content-length") {
            Some(length) => Ok(Length::Known(length.trim().parse().map_err(|_| broken("a length that is no number"))?)),
            None if matches!(self.status, 204 | 304) => Ok(Length::Known(0)),
            None => Ok(Length::ToTheEnd),
        }
    }

    /// Whether another request can go over the same connection.
    fn goes_on(&self) -> bool {
        !self.header("connection").is_some_and(|said| said.eq_ignore_ascii_case("close"))
    }
}

enum Length {
    Known(u64),
    Chunked,
    ToTheEnd,
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the answer has {what}"))
}

impl Connection {
    /// Connects. `patience` is how long the service may be silent.
    pub fn open(address: &Address, patience: Duration) -> io::Result<Self> {
        let (stream, host) = match address {
            Address::Socket(path) => {
                let stream = connect_local(path)?;
                stream.set_read_timeout(Some(patience))?;
                stream.set_write_timeout(Some(patience))?;
                (Stream::Local(stream), "localhost".to_owned())
            }
            Address::Tcp(address) => {
                let stream = TcpStream::connect_timeout(address, CONNECT)?;
                stream.set_read_timeout(Some(patience))?;
                stream.set_write_timeout(Some(patience))?;
                // Head and body of a request go out at once, and the next one must not wait for an acknowledgement.
                stream.set_nodelay(true)?;
                (Stream::Tcp(stream), address.to_string())
            }
        };
        Ok(Connection { stream: BufReader::new(stream), host })
    }

    /// Sends a request, and reads the head of its answer. The body has to be read before the next one.
    pub fn send(&mut self, request: &Request<'_>) -> io::Result<Answer<'_>> {
        let Request { method, target, headers, body } = request;
        let mut out = format!("{method} {target} HTTP/1.1\r\nhost: {}\r\n", self.host).into_bytes();
        for (name, value) in *headers {
            // A value with a line end would be another header.
            if value.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("the header {name} has a control character"),
                ));
            }
            out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        if !body.is_empty() || *method == "POST" {
            out.extend_from_slice(format!("content-length: {}\r\n", body.len()).as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(body);
        self.stream.get_mut().write_all(&out)?;
        let head = self.head()?;
        let body = match head.length()? {
            Length::Known(left) => Body::Known(left),
            Length::Chunked => Body::Chunk(0, true),
            Length::ToTheEnd => Body::ToTheEnd,
        };
        Ok(Answer { head, body, connection: self })
    }

    fn head(&mut self) -> io::Result<Head> {
        let first = self.line()?;
        let mut words = first.split_ascii_whitespace();
        let is_http = words.next().is_some_and(|version| version.starts_with("HTTP/1."));
        let status = words.next().and_then(|status| status.parse().ok()).filter(|_| is_http);
        let status = status.ok_or_else(|| broken("no status"))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok(Head { status, headers });
            }
            if headers.len() >= MOST_LINES {
                return Err(broken("too many headers"));
            }
            let (name, value) = line.split_once(':').ok_or_else(|| broken("a header without a name"))?;
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// A line without its end.
    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        (&mut self.stream).take(LONGEST_LINE as u64).read_until(b'\n', &mut line)?;
        match line.pop() {
            Some(b'\n') => {}
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
            Some(_) => return Err(broken("a line that does not end")),
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        String::from_utf8(line).map_err(|_| broken("a head that is not UTF-8"))
    }
}

/// An answer whose body is still to be read.
#[derive(Debug)]
pub struct Answer<'c> {
    pub head: Head,
    body: Body,
    connection: &'c mut Connection,
}

#[derive(Debug)]
enum Body {
    Known(u64),
    /// How much is left of a chunk, and whether it is the first.
    Chunk(u64, bool),
    ToTheEnd,
    Done,
}

impl Answer<'_> {
    /// All of the body, if it has no more than `most` bytes; and whether the connection can be used again.
    pub fn read_whole(mut self, most: u64) -> io::Result<(Head, Vec<u8>, bool)> {
        let mut whole = Vec::new();
        (&mut self).take(most + 1).read_to_end(&mut whole)?;
        if whole.len() as u64 > most {
            return Err(broken("more bytes than are taken"));
        }
        let again = matches!(self.body, Body::Done | Body::Known(0)) && self.head.goes_on();
        Ok((self.head, whole, again))
    }
}

impl Read for Answer<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let left = match &mut self.body {
                Body::Done | Body::Known(0) => return Ok(0),
                Body::ToTheEnd => return self.connection.stream.read(into),
                Body::Known(left) => left,
                Body::Chunk(0, is_first) => {
                    if !std::mem::take(is_first) {
                        // The end of the chunk before.
                        self.connection.line()?;
                    }
                    let line = self.connection.line()?;
                    let size = line.split(';').next().unwrap_or_default().trim();
                    let size = u64::from_str_radix(size, 16).map_err(|_| broken("a chunk without a size"))?;
                    if size == 0 {
                        while !self.connection.line()?.is_empty() {}
                        self.body = Body::Done;
                    } else {
                        self.body = Body::Chunk(size, false);
                    }
                    continue;
                }
                Body::Chunk(left, _) => left,
            };
            let room = usize::try_from(*left).unwrap_or(usize::MAX).min(into.len());
            let read = self.connection.stream.read(&mut into[..room])?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            *left -= read as u64;
            return Ok(read);
        }
    }
}

/// The events of a stream (`text/event-stream`), one after the other.
pub fn read_events(from: impl Read, each: &mut dyn FnMut(&str, &str) -> io::Result<bool>) -> io::Result<()> {
    let mut from = BufReader::new(from);
    let (mut event, mut data) = (String::new(), String::new());
    let mut line = String::new();
    loop {
        line.clear();
        if from.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let text = line.trim_end_matches(['\n', '\r']);
        match text.split_once(':') {
            _ if text.is_empty() => {
                if !data.is_empty() && !each(&event, data.trim_end_matches('\n'))? {
                    return Ok(());
                }
                event.clear();
                data.clear();
            }
            Some(("event", value)) => event = value.trim_start().to_owned(),
            Some(("data", value)) => {
                data.push_str(value.strip_prefix(' ').unwrap_or(value));
                data.push('\n');
            }
            // A comment keeps the connection alive; other fields are not ours.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Answers one request for each text, on one connection.
    fn serve(answers: &'static [&'static str]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            for answer in answers {
                let mut seen = Vec::new();
                while !seen.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).unwrap();
                    seen.push(byte[0]);
                }
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        address
    }

    fn get(connection: &mut Connection) -> io::Result<(Head, Vec<u8>, bool)> {
        let request = Request { method: "GET", target: "/", headers: &[], body: &[] };
        connection.send(&request)?.read_whole(1000)
    }

    #[test]
    fn bodies_come_in_three_forms() {
        let address = serve(&[
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none",
            "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ntw\r\n1;x=y\r\no\r\n0\r\nTrailer: 1\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n",
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nrest",
        ]);
        let mut connection = Connection::open(&Address::Tcp(address), Duration::from_secs(5)).unwrap();
        let (head, body, again) = get(&mut connection).unwrap();
        assert_eq!((head.status, body.as_slice(), again), (200, b"one".as_slice(), true));
        let (head, body, again) = get(&mut connection).unwrap();
        assert_eq!((head.status, body.as_slice(), again), (404, b"two".as_slice(), true));
        let (head, body, again) = get(&mut connection).unwrap();
        assert_eq!((head.status, head.header("etag"), body.len(), again), (304, Some("\"x\""), 0, true));
        let (_, body, again) = get(&mut connection).unwrap();
        assert_eq!((body.as_slice(), again), (b"rest".as_slice(), false));
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        for answer in [
            "garbage\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n",
            "",
        ] {
            let address = serve(Box::leak(Box::new([answer])));
            let mut connection = Connection::open(&Address::Tcp(address), Duration::from_secs(5)).unwrap();
            assert!(get(&mut connection).is_err(), "{answer:?}");
        }
    }

    #[test]
    fn a_header_is_one_line() {
        let address = serve(&["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]);
        let mut connection = Connection::open(&Address::Tcp(address), Duration::from_secs(5)).unwrap();
        let request = Request { method: "GET", target: "/", headers: &[("a", "b\r\nc: d")], body: &[] };
        assert!(connection.send(&request).is_err());
    }

    #[test]
    fn events_are_read_one_by_one() {
        let text = ": hello\n\nevent: progress\ndata: {\"a\":\ndata: 1}\n\ndata: last\r\n\r\ndata: cut off";
        let mut seen = Vec::new();
        read_events(text.as_bytes(), &mut |event, data| {
            seen.push((event.to_owned(), data.to_owned()));
            Ok(true)
        })
        .unwrap();
        assert_eq!(seen, [("progress".to_owned(), "{\"a\":\n1}".to_owned()), (String::new(), "last".to_owned())]);
    }
}
