//! Many files at once.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};

use ai_assist_base::Cancel;
use tokio::task::JoinSet;

use super::attempt::fetch;
use super::sink::Sink;
use super::{Answer, Client, Request, RequestQueue, Result, TransportError, answer, lost, receive, shown};

type Outcome = Result<Answer>;

/// A host that could not be reached so often in a row is not asked for the rest.
const MOST_FAILURES: usize = 5;

pub(super) fn get_all(
    client: &Client,
    requests: &[Request],
    cancel: &Cancel,
    deliver: &mut dyn FnMut(usize, Outcome) -> ControlFlow<()>,
) -> Result<()> {
    if client.options.offline {
        return refuse_all(requests, cancel, deliver);
    }
    if requests.is_empty() {
        return Ok(());
    }
    let engine = client.engine()?;
    let limits = &client.options.limits;
    let mut queues = Queues::new(requests, limits.parallel_per_host.max(1));
    let (sender, receiver) = channel();
    // Dropped on every way out, which ends the tasks that are still under way.
    let mut tasks = JoinSet::new();
    let mut under_way = 0;
    loop {
        // A request counts as under way until it is delivered, so that there are never more bodies than that in memory.
        while under_way < limits.parallel.max(1) {
            let Some((host, number)) = queues.next() else { break };
            let (connections, request, most) =
                (engine.connections.clone(), requests[number].clone(), limits.max_file_bytes);
            let mut reply = Reply { number: (host, number), sender: Some(sender.clone()) };
            let work = async move {
                let mut sink = Sink::Memory(Vec::new());
                reply.send(
                    fetch(&connections, &request, most, &mut sink).await.map(|got| answer(got, sink.into_bytes())),
                );
            };
            tasks.spawn_on(work, &engine.handle);
            under_way += 1;
        }
        if under_way == 0 {
            return Ok(());
        }
        let ((host, number), outcome) = receive(&receiver, cancel)?;
        while tasks.try_join_next().is_some() {}
        let given_up = queues.note(host, outcome.as_ref().err());
        if deliver(number, outcome).is_break() {
            return Ok(());
        }
        queues.done(host);
        under_way -= 1;
        for (number, reason) in given_up {
            let (url, failures) = (shown(&requests[number].url), MOST_FAILURES);
            if deliver(number, Err(TransportError::GivenUp { url, failures, reason })).is_break() {
                return Ok(());
            }
        }
    }
}

pub(super) fn get_growing(
    client: &Client,
    queue: &mut dyn RequestQueue,
    at_once: usize,
    cancel: &Cancel,
) -> Result<()> {
    let (sender, receiver) = channel();
    // Dropped on every way out, which ends the tasks that are still under way.
    let mut tasks = JoinSet::new();
    let mut under_way = 0;
    loop {
        while under_way < at_once.max(1) {
            let Some((number, request)) = queue.next() else { break };
            if client.options.offline {
                return Err(TransportError::Offline { url: shown(&request.url) });
            }
            let engine = client.engine()?;
            let (connections, most) = (engine.connections.clone(), client.options.limits.max_file_bytes);
            let mut reply = Reply { number, sender: Some(sender.clone()) };
            let work = async move {
                let mut sink = Sink::Memory(Vec::new());
                reply.send(
                    fetch(&connections, &request, most, &mut sink).await.map(|got| answer(got, sink.into_bytes())),
                );
            };
            tasks.spawn_on(work, &engine.handle);
            under_way += 1;
        }
        if under_way == 0 {
            return Ok(());
        }
        let (number, outcome) = receive(&receiver, cancel)?;
        while tasks.try_join_next().is_some() {}
        under_way -= 1;
        if queue.take(number, outcome).is_break() {
            return Ok(());
        }
    }
}

fn refuse_all(
    requests: &[Request],
    cancel: &Cancel,
    deliver: &mut dyn FnMut(usize, Outcome) -> ControlFlow<()>,
) -> Result<()> {
    for (number, request) in requests.iter().enumerate() {
        if cancel.is_cancelled() {
            return Err(TransportError::Cancelled);
        }
        if deliver(number, Err(TransportError::Offline { url: shown(&request.url) })).is_break() {
            break;
        }
    }
    Ok(())
}

/// Sends one outcome, in any case: a caller that counts outcomes would else wait for ever for a task that panicked.
struct Reply<N: Copy> {
    number: N,
    sender: Option<Sender<(N, Outcome)>>,
}

impl<N: Copy> Reply<N> {
    fn send(&mut self, outcome: Outcome) {
        if let Some(sender) = self.sender.take() {
            // If nobody listens any more, nobody wants it.
            let _ = sender.send((self.number, outcome));
        }
    }
}

impl<N: Copy> Drop for Reply<N> {
    fn drop(&mut self) {
        self.send(Err(lost()));
    }
}

/// What is still to be asked for, by host: each in order, the hosts in turn, and not too much of one at once.
struct Queues {
    hosts: Vec<Queue>,
    /// Hosts that have something waiting and may be asked.
    ready: VecDeque<usize>,
    per_host: usize,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<usize>,
    under_way: usize,
    /// Since somebody answered.
    failures: usize,
}

impl Queues {
    fn new(requests: &[Request], per_host: usize) -> Self {
        let mut hosts: Vec<Queue> = Vec::new();
        let mut known = HashMap::new();
        for (number, request) in requests.iter().enumerate() {
            let place = (request.url.host_str(), request.url.port_or_known_default());
            let host = *known.entry(place).or_insert_with(|| {
                hosts.push(Queue::default());
                hosts.len() - 1
            });
            hosts[host].waiting.push_back(number);
        }
        let ready = (0..hosts.len()).collect();
        Queues { hosts, ready, per_host }
    }

    /// The next request to make, with its host.
    fn next(&mut self) -> Option<(usize, usize)> {
        let host = self.ready.pop_front()?;
        let queue = &mut self.hosts[host];
        let number = queue.waiting.pop_front()?;
        queue.under_way += 1;
        if queue.under_way < self.per_host && !queue.waiting.is_empty() {
            self.ready.push_back(host);
        }
        Some((host, number))
    }

    /// Notes what became of a request. If a host is not asked any more, these are the requests that were waiting for it, and why.
    fn note(&mut self, host: usize, error: Option<&TransportError>) -> Vec<(usize, String)> {
        let queue = &mut self.hosts[host];
        let Some(error) = error.filter(|error| error.is_unreachable()) else {
            queue.failures = 0;
            return Vec::new();
        };
        queue.failures += 1;
        if queue.failures < MOST_FAILURES {
            return Vec::new();
        }
        self.ready.retain(|ready| *ready != host);
        let reason = error.to_string();
        queue.waiting.drain(..).map(|number| (number, reason.clone())).collect()
    }

    fn done(&mut self, host: usize) {
        let queue = &mut self.hosts[host];
        if queue.under_way == self.per_host && !queue.waiting.is_empty() {
            self.ready.push_back(host);
        }
        queue.under_way -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    #[test]
    fn hosts_take_turns_and_none_gets_too_much() {
        let urls =
            ["http://a/1", "http://a/2", "http://a/3", "http://a/4", "http://b/1", "https://b/2", "http://b:80/3"];
        let requests: Vec<_> = urls.iter().map(|url| Request::by_user(Url::parse(url).unwrap())).collect();
        let mut queues = Queues::new(&requests, 2);
        let first: Vec<_> = std::iter::from_fn(|| queues.next()).collect();
        assert_eq!(first, [(0, 0), (1, 4), (2, 5), (0, 1), (1, 6)]);
        queues.done(1);
        assert_eq!(queues.next(), None, "nothing waits for `b`, and `a` has enough");
        queues.done(0);
        assert_eq!(queues.next(), Some((0, 2)));
        assert_eq!(queues.next(), None);
        queues.done(0);
        queues.done(0);
        assert_eq!(queues.next(), Some((0, 3)));
        assert_eq!(queues.next(), None);
    }
}
