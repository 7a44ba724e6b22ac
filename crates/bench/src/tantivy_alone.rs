//! The peer: tantivy with its own tokenizer and scorer, over the same chunks.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{STORED, STRING, Schema, TEXT};
use tantivy::{Index, IndexWriter, TantivyDocument};

use crate::timing::time;

/// A chunk as plain tantivy gets it.
pub(crate) struct Plain {
    pub(crate) path: String,
    pub(crate) heading: String,
    pub(crate) text: String,
}

/// Indexes chunks on all cores and commits once.
pub(crate) fn index(folder: &Path, chunks: Vec<Plain>) -> Result<(Index, Duration)> {
    std::fs::create_dir_all(folder)?;
    let mut schema = Schema::builder();
    let path = schema.add_text_field("path", STRING | STORED);
    let heading = schema.add_text_field("heading", TEXT | STORED);
    let body = schema.add_text_field("body", TEXT | STORED);
    let index = Index::create_in_dir(folder, schema.build())?;
    time(|| {
        let mut writer: IndexWriter = index.writer(2 * (48 << 20))?;
        for chunk in chunks {
            let mut document = TantivyDocument::default();
            document.add_text(path, &chunk.path);
            document.add_text(heading, &chunk.heading);
            document.add_text(body, &chunk.text);
            writer.add_document(document)?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        Ok(index)
    })
}

/// The times of top-10 queries for the same words, in heading and body.
pub(crate) fn query(index: &Index, queries: &[String]) -> Result<Vec<Duration>> {
    let schema = index.schema();
    let parser = QueryParser::for_index(index, vec![schema.get_field("heading")?, schema.get_field("body")?]);
    let searcher = index.reader()?.searcher();
    let mut times = Vec::with_capacity(queries.len());
    for query in queries {
        let (_, taken) = time(|| {
            let (query, _) = parser.parse_query_lenient(query);
            let found = searcher.search(&query, &TopDocs::with_limit(10).order_by_score())?;
            for (_, address) in &found {
                let _: TantivyDocument = searcher.doc(*address)?;
            }
            Ok(())
        })?;
        times.push(taken);
    }
    Ok(times)
}
