//! Where the bytes of an answer go.

use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use flate2::read::MultiGzDecoder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Url;

use super::attempt::Got;
use super::{Result, TransportError, shown};

/// How many pieces of a download may wait to be written.
const PIECES_WAITING: usize = 16;

/// Into memory, or to the thread that asked for them.
pub(super) enum Sink {
    Memory(Vec<u8>),
    Pipe { sender: Sender<Piece>, slots: Arc<Semaphore> },
}

/// What goes through the pipe.
pub(super) enum Piece {
    /// An attempt begins; what came before is void. With the length, if the server told it.
    Begin(Option<u64>),
    /// Some bytes, and the slot that they take until they are written.
    Bytes(Vec<u8>, OwnedSemaphorePermit),
    End(Result<Got>),
}

impl Sink {
    pub(super) fn pipe(sender: Sender<Piece>) -> Self {
        Sink::Pipe { sender, slots: Arc::new(Semaphore::new(PIECES_WAITING)) }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            Sink::Memory(bytes) => bytes,
            Sink::Pipe { .. } => Vec::new(),
        }
    }

    /// Forgets what an attempt before this one brought.
    pub(super) fn begin(&mut self, length: Option<u64>) -> Result<()> {
        match self {
            Sink::Memory(bytes) => {
                bytes.clear();
                // A length is a claim: memory beyond this is taken as bytes come.
                const BELIEVED: u64 = 1 << 20;
                bytes.reserve(usize::try_from(length.unwrap_or_default().min(BELIEVED)).unwrap_or_default());
                Ok(())
            }
            Sink::Pipe { sender, .. } => sender.send(Piece::Begin(length)).map_err(|_| TransportError::Cancelled),
        }
    }

    /// Puts the bytes themselves in place of how they were compressed for the way.
    pub(super) fn decode(&mut self, encoding: &str, most: u64, url: &Url) -> Result<()> {
        let Sink::Memory(bytes) = self else { return Ok(()) };
        let bad = |reason: String| TransportError::Encoding { url: shown(url), reason };
        if !matches!(encoding, "gzip" | "x-gzip") {
            return Err(bad(format!("`{encoding}`")));
        }
        let mut plain = Vec::new();
        let decoder = MultiGzDecoder::new(bytes.as_slice());
        decoder.take(most.saturating_add(1)).read_to_end(&mut plain).map_err(|error| bad(error.to_string()))?;
        if plain.len() as u64 > most {
            return Err(TransportError::TooLarge { url: shown(url), limit: most, announced: None });
        }
        *bytes = plain;
        Ok(())
    }

    /// Takes some bytes; waits if those before them are not written yet.
    pub(super) async fn take(&mut self, piece: &[u8]) -> Result<()> {
        match self {
            Sink::Memory(bytes) => {
                bytes.extend_from_slice(piece);
                Ok(())
            }
            Sink::Pipe { sender, slots } => {
                let slot = slots.clone().acquire_owned().await.map_err(|_| TransportError::Cancelled)?;
                sender.send(Piece::Bytes(piece.to_vec(), slot)).map_err(|_| TransportError::Cancelled)
            }
        }
    }
}
