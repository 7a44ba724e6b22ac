//! The vectors: one file of int8 rows and one of their scales, both only ever appended to.
//!
//! A commit says how many rows it owns. What stands after them was left by a writer that died, and is cut off by the
//! next one; readers never map it.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ai_assist_embed::Quantised;
use memmap2::Mmap;
use rayon::prelude::*;

use crate::{Error, Result};

const ROWS: &str = "vectors.i8";
const SCALES: &str = "scales.f32";

/// The files that are written in place.
pub(crate) const VECTOR_FILES: [&str; 2] = [ROWS, SCALES];

/// Rows in one task of a scan: enough to be worth handing to another core, small enough to share the work evenly.
const ROWS_PER_TASK: usize = 16 * 1024;

/// The rows of one commit.
#[derive(Debug)]
pub(crate) struct DenseReader {
    dim: usize,
    rows: usize,
    /// `None` when there are no rows: an empty file can't be mapped.
    maps: Option<(Mmap, Mmap)>,
}

impl DenseReader {
    pub(crate) fn open(folder: &Path, dim: usize, rows: u64) -> Result<Self> {
        let rows = usize::try_from(rows).map_err(|_| Error::damaged(folder, "more vectors than memory can address"))?;
        if rows == 0 {
            return Ok(DenseReader { dim, rows, maps: None });
        }
        let values = map(&folder.join(ROWS), rows * dim)?;
        let scales = map(&folder.join(SCALES), rows * 4)?;
        Ok(DenseReader { dim, rows, maps: Some((values, scales)) })
    }

    /// The cosine of a query with every row.
    pub(crate) fn scan(&self, query: &[i8], query_scale: f32) -> Vec<f32> {
        let Some((values, scales)) = &self.maps else { return Vec::new() };
        let values = as_i8(values);
        let mut cosines = vec![0f32; self.rows];
        let task = |(at, out): (usize, &mut [f32])| {
            let start = at * ROWS_PER_TASK;
            let rows = &values[start * self.dim..(start + out.len()) * self.dim];
            let mut dots = vec![0i32; out.len()];
            ai_assist_embed::scan(query, rows, self.dim, &mut dots);
            let scales = scales[start * 4..].chunks_exact(4);
            for ((cosine, dot), scale) in out.iter_mut().zip(dots).zip(scales) {
                let scale = f32::from_le_bytes([scale[0], scale[1], scale[2], scale[3]]);
                *cosine = dot as f32 * (scale * query_scale);
            }
        };
        // Waking the other cores costs more than scanning a few thousand rows.
        if self.rows <= ROWS_PER_TASK {
            task((0, &mut cosines));
        } else {
            cosines.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(task);
        }
        cosines
    }

    pub(crate) fn row(&self, row: usize) -> Option<(&[i8], f32)> {
        let (values, scales) = self.maps.as_ref()?;
        let values = as_i8(values).get(row * self.dim..(row + 1) * self.dim)?;
        let scale = scales.get(row * 4..)?.first_chunk::<4>()?;
        Some((values, f32::from_le_bytes(*scale)))
    }
}

fn map(path: &Path, length: usize) -> Result<Mmap> {
    let file = File::open(path).map_err(Error::io("opening", path))?;
    let found = file.metadata().map_err(Error::io("reading", path))?.len();
    if found < length as u64 {
        let folder = path.parent().unwrap_or(path);
        let name = path.file_name().unwrap_or_default().display().to_string();
        return Err(Error::damaged(folder, format!("{name} has {found} bytes where {length} were committed")));
    }
    // SAFETY: the mapped range lies within what a commit owns. Writers only append behind it, and a file is replaced by
    // another file, never changed in place; a process outside this program that cuts it short is not guarded against.
    unsafe { memmap2::MmapOptions::new().len(length).map(&file) }.map_err(Error::io("mapping", path))
}

fn as_i8(bytes: &[u8]) -> &[i8] {
    // SAFETY: i8 and u8 have the same size, alignment and valid bit patterns; the slice keeps its length and lifetime.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<i8>(), bytes.len()) }
}

#[derive(Debug)]
pub(crate) struct DenseWriter {
    values: Appender,
    scales: Appender,
    dim: usize,
    pub(crate) rows: u64,
}

impl DenseWriter {
    /// Opens the files behind `rows` committed rows and cuts off whatever stands after them.
    pub(crate) fn open(folder: &Path, dim: usize, rows: u64) -> Result<Self> {
        Ok(DenseWriter {
            values: Appender::open(folder.join(ROWS), rows * dim as u64)?,
            scales: Appender::open(folder.join(SCALES), rows * 4)?,
            dim,
            rows,
        })
    }

    /// Appends rows and gives the number of the first.
    pub(crate) fn append(&mut self, vectors: &Quantised) -> Result<u64> {
        let first = self.rows;
        for row in 0..vectors.len() {
            let (values, scale) = vectors.row(row);
            debug_assert_eq!(values.len(), self.dim);
            // SAFETY: as in `as_i8`, the other way round.
            let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), values.len()) };
            self.values.write(bytes)?;
            self.scales.write(&scale.to_le_bytes())?;
            self.rows += 1;
        }
        Ok(first)
    }

    /// Makes the rows durable. Must come before the commit that owns them.
    pub(crate) fn sync(&mut self) -> Result<()> {
        self.values.sync()?;
        self.scales.sync()
    }
}

#[derive(Debug)]
struct Appender {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Appender {
    fn open(path: PathBuf, length: u64) -> Result<Self> {
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(Error::io("opening", &path))?;
        let found = file.metadata().map_err(Error::io("reading", &path))?.len();
        if found < length {
            let folder = path.parent().unwrap_or(&path);
            return Err(Error::damaged(
                folder,
                format!("a vector file has {found} bytes where {length} were committed"),
            ));
        }
        // Windows refuses it where somebody has the file open for reading, even if it has that length.
        if found > length {
            file.set_len(length).map_err(Error::io("writing", &path))?;
        }
        file.seek(SeekFrom::Start(length)).map_err(Error::io("writing", &path))?;
        Ok(Appender { path, file: BufWriter::with_capacity(1 << 18, file) })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(Error::io("writing", &self.path))
    }

    fn sync(&mut self) -> Result<()> {
        self.file.flush().map_err(Error::io("writing", &self.path))?;
        self.file.get_ref().sync_data().map_err(Error::io("writing", &self.path))
    }
}
