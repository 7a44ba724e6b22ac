//! A PDF file: where its objects stand, and the objects.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use memchr::memmem;

use super::crypt::Crypt;
use super::filter::{self, Budget};
use super::object::{Dict, Lexer, Object, Stream, Token, is_space};
use crate::{ConvertError, Limits};

/// Objects of a real file are a few hundred thousand; an entry of the table costs some bytes of memory.
const MAX_OBJECTS: usize = 4 << 20;
/// References that lead to references, and streams whose length is in an object that has a length…
const MAX_HOPS: u32 = 16;
/// Objects that overlap make every one of them as long as the file.
const MAX_WORK: u64 = 512 << 20;
const MAX_CACHED: usize = 20_000;
/// Bytes of the file that the cached objects were read from. Objects that overlap are each as long as the file, and many of them
/// would fill the memory.
const MAX_CACHED_BYTES: u64 = 32 << 20;
/// Unpacked object streams that are kept, because the objects of a page stand near each other.
const MAX_CACHED_STREAMS: usize = 16;

#[derive(Debug, Clone, Copy)]
enum Entry {
    /// Byte of the file at which it stands.
    At(usize),
    /// Number of the object stream, and the place in it.
    In(u32, u32),
}

pub(super) struct File<'a> {
    data: &'a [u8],
    entries: HashMap<u32, Entry>,
    trailer: Dict,
    crypt: Option<Crypt>,
    pub(super) budget: Budget,
    cache: RefCell<HashMap<u32, Rc<Object>>>,
    streams: RefCell<VecDeque<(u32, Rc<ObjectStream>)>>,
    /// Where objects stand by a look at the whole file, for tables that are wrong.
    scanned: OnceCell<HashMap<u32, Entry>>,
    /// That look is taken just now, and what it reads must not ask for its result.
    scanning: Cell<bool>,
    hops: Cell<u32>,
    /// Bytes that were looked at to read objects.
    work: Cell<u64>,
    /// How many of these the cached objects stand for.
    cached: Cell<u64>,
}

struct ObjectStream {
    data: Vec<u8>,
    /// Number and offset of each object.
    index: Vec<(u32, usize)>,
}

impl<'a> File<'a> {
    pub(super) fn open(data: &'a [u8], limits: &Limits) -> Result<File<'a>, ConvertError> {
        let mut file = File {
            data,
            entries: HashMap::new(),
            trailer: Dict::default(),
            crypt: None,
            budget: Budget::new(limits.max_unpacked),
            cache: RefCell::default(),
            streams: RefCell::default(),
            scanned: OnceCell::new(),
            scanning: Cell::new(false),
            hops: Cell::new(0),
            work: Cell::new(0),
            cached: Cell::new(0),
        };
        file.read_tables();
        // The catalog may be in a stream that needs the key.
        file.unlock()?;
        if file.catalog().is_none() {
            file.rebuild();
            file.unlock()?;
        }
        if file.catalog().is_none() && file.loose_pages().is_empty() {
            let detail = "no catalog of pages is in it".to_owned();
            return Err(ConvertError::Malformed { format: "PDF", detail });
        }
        Ok(file)
    }

    fn unlock(&mut self) -> Result<(), ConvertError> {
        let encrypt = self.resolve(self.trailer.get("Encrypt"));
        let Some(encrypt) = encrypt.dict() else { return Ok(()) };
        let mut encrypt = encrypt.clone();
        for value in encrypt.values_mut() {
            *value = (*self.resolve(value)).clone();
        }
        let id = self.resolve(self.trailer.get("ID"));
        let id = id.array().first().map(|id| self.resolve(id));
        let id = id.as_ref().and_then(|id| id.bytes()).unwrap_or_default();
        self.crypt = Some(Crypt::open(&encrypt, id).ok_or(ConvertError::Encrypted)?);
        // What was read so far was read without the key.
        self.cache.take();
        self.streams.take();
        self.scanned.take();
        Ok(())
    }

    /// The root of everything, if it leads to pages.
    pub(super) fn catalog(&self) -> Option<Rc<Object>> {
        let catalog = self.resolve(self.trailer.get("Root"));
        let pages = self.resolve(catalog.dict()?.get("Pages"));
        pages.dict().is_some().then_some(catalog)
    }

    /// The pages of a file whose tree of pages is lost, in the order of their numbers, which is nearly always that of the pages.
    pub(super) fn loose_pages(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.scan().keys().copied().collect();
        numbers.sort_unstable();
        numbers
            .retain(|&number| self.object(number).dict().is_some_and(|dict| dict.get("Type").name() == Some("Page")));
        numbers
    }

    /// Forgets the tables and takes what stands in the file.
    pub(super) fn rebuild(&mut self) {
        self.entries = self.scan().clone();
        self.cache.take();
        self.streams.take();
        let mut at = 0;
        while let Some(found) = memmem::find(&self.data[at..], b"trailer") {
            at += found + 7;
            let trailer = Lexer::new(self.data, at).object();
            // The last one with a root counts, as in a file that was written on.
            if let Object::Dict(trailer) = trailer
                && !trailer.get("Root").is_null()
            {
                self.trailer = trailer;
            }
        }
        if self.catalog().is_some() {
            return;
        }
        let mut numbers: Vec<u32> = self.entries.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let object = self.object(number);
            let Some(dict) = object.dict() else { continue };
            match dict.get("Type").name() {
                Some("Catalog") => self.trailer.insert_first("Root", Object::Ref(number)),
                Some("XRef") if self.trailer.get("Encrypt").is_null() && !dict.get("Encrypt").is_null() => {
                    self.trailer.insert("Encrypt", dict.get("Encrypt").clone());
                    self.trailer.insert("ID", dict.get("ID").clone());
                }
                _ => {}
            }
            if self.budget.is_spent() {
                break;
            }
        }
    }

    /// The places of all objects that a look at every byte finds.
    fn scan(&self) -> &HashMap<u32, Entry> {
        self.scanned.get_or_init(|| {
            self.scanning.set(true);
            let mut found = HashMap::new();
            let mut streams = Vec::new();
            for at in memmem::find_iter(self.data, b"obj") {
                let Some((number, start)) = object_before(self.data, at) else { continue };
                if found.len() >= MAX_OBJECTS {
                    break;
                }
                found.insert(number, Entry::At(start));
                let head = &self.data[at..self.data.len().min(at + 512)];
                let head = &head[..memmem::find(head, b"stream").unwrap_or(head.len())];
                if memmem::find(head, b"/ObjStm").is_some() {
                    streams.push((number, start));
                }
            }
            for (number, start) in streams {
                let Some(stream) = self.object_at(start, Some(number)).and_then(|object| self.unpack(&object)) else {
                    continue;
                };
                for (place, &(inner, _)) in stream.index.iter().enumerate() {
                    if found.len() < MAX_OBJECTS {
                        found.entry(inner).or_insert(Entry::In(number, place as u32));
                    }
                }
            }
            self.scanning.set(false);
            found
        })
    }

    fn read_tables(&mut self) {
        let tail = self.data.len().saturating_sub(2048);
        let Some(found) = memmem::rfind(&self.data[tail..], b"startxref") else { return };
        let mut next = Lexer::new(self.data, tail + found + 9).object().int();
        let mut seen = HashSet::new();
        while let Some(at) = next.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < self.data.len()) {
            if !seen.insert(at) {
                return;
            }
            let mut lexer = Lexer::new(self.data, at);
            lexer.skip_space();
            let trailer = if self.data[lexer.pos..].starts_with(b"xref") {
                lexer.pos += 4;
                self.read_table(&mut lexer)
            } else {
                self.read_xref_stream(at)
            };
            let Some(trailer) = trailer else { return };
            // A hybrid file has a table for old readers, and the rest in a stream.
            if let Some(hybrid) = trailer.get("XRefStm").int().and_then(|at| usize::try_from(at).ok())
                && seen.insert(hybrid)
            {
                self.read_xref_stream(hybrid);
            }
            next = trailer.get("Prev").int();
            if self.trailer.get("Root").is_null() {
                self.trailer = trailer;
            }
        }
    }

    fn read_table(&mut self, lexer: &mut Lexer) -> Option<Dict> {
        loop {
            let first = match lexer.token() {
                Token::Value(Object::Int(first)) => first,
                Token::Word(b"trailer") => break,
                _ => return None,
            };
            let Token::Value(Object::Int(count)) = lexer.token() else { return None };
            for number in first..first.saturating_add(count) {
                let Token::Value(Object::Int(at)) = lexer.token() else { return None };
                let Token::Value(Object::Int(_)) = lexer.token() else { return None };
                match lexer.token() {
                    Token::Word(b"n") if at > 0 => self.enter(number, Entry::At(at as usize)),
                    Token::Word(_) => {}
                    _ => return None,
                }
            }
        }
        lexer.object().dict().cloned()
    }

    fn enter(&mut self, number: i64, entry: Entry) {
        if let Ok(number) = u32::try_from(number)
            && self.entries.len() < MAX_OBJECTS
        {
            // Newer tables are read first.
            self.entries.entry(number).or_insert(entry);
        }
    }

    fn read_xref_stream(&mut self, at: usize) -> Option<Dict> {
        let Object::Stream(stream) = self.object_at(at, None)? else { return None };
        let dict = stream.dict.clone();
        let data = self.decode_plain(&stream)?;
        let widths: Vec<usize> = dict.get("W").array().iter().filter_map(|w| usize::try_from(w.int()?).ok()).collect();
        let &[kind, second, third] = &widths[..] else { return None };
        let row = [kind, second, third].iter().try_fold(0usize, |sum, &w| sum.checked_add(w)).filter(|&row| row > 0)?;
        let mut rows = data.chunks_exact(row);
        let size = dict.get("Size").int().unwrap_or(0);
        let index: Vec<i64> = dict.get("Index").array().iter().filter_map(Object::int).collect();
        let index = if index.is_empty() { vec![0, size] } else { index };
        let number = |bytes: &[u8]| bytes.iter().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
        for range in index.chunks_exact(2) {
            for object in range[0]..range[0].saturating_add(range[1]) {
                let Some(row) = rows.next() else { return Some(dict) };
                let (a, rest) = row.split_at(kind);
                let (b, c) = rest.split_at(second);
                match if kind == 0 { 1 } else { number(a) } {
                    1 => self.enter(object, Entry::At(number(b) as usize)),
                    2 => self.enter(object, Entry::In(number(b) as u32, number(c) as u32)),
                    _ => {}
                }
            }
        }
        Some(dict)
    }

    /// What a value stands for: itself, or the object it refers to.
    pub(super) fn resolve(&self, object: &Object) -> Rc<Object> {
        match object {
            Object::Ref(number) => self.object(*number),
            other => Rc::new(other.clone()),
        }
    }

    pub(super) fn object(&self, number: u32) -> Rc<Object> {
        if let Some(object) = self.cache.borrow().get(&number) {
            return object.clone();
        }
        if self.hops.get() >= MAX_HOPS {
            return Rc::new(Object::Null);
        }
        self.hops.set(self.hops.get() + 1);
        let before = self.work.get();
        let object = match self.load(number) {
            Some(Object::Ref(next)) => self.object(next),
            object => Rc::new(object.unwrap_or(Object::Null)),
        };
        self.hops.set(self.hops.get() - 1);
        let mut cache = self.cache.borrow_mut();
        let cost = self.work.get() - before;
        if cache.len() >= MAX_CACHED || self.cached.get() + cost > MAX_CACHED_BYTES {
            cache.clear();
            self.cached.set(0);
        }
        self.cached.set(self.cached.get() + cost);
        cache.insert(number, object.clone());
        object
    }

    fn load(&self, number: u32) -> Option<Object> {
        let listed = self.entries.get(&number).and_then(|&entry| self.load_entry(number, entry));
        // A table that is a few bytes off is common: then the object is looked for.
        listed.or_else(|| {
            let scanned = if self.scanning.get() { None } else { Some(self.scan()) };
            scanned?.get(&number).and_then(|&entry| self.load_entry(number, entry))
        })
    }

    fn load_entry(&self, number: u32, entry: Entry) -> Option<Object> {
        match entry {
            Entry::At(at) => {
                let mut object = self.object_at(at, Some(number))?;
                self.decrypt_strings(&mut object, (number, 0));
                Some(object)
            }
            Entry::In(stream, place) => {
                let stream = self.object_stream(stream)?;
                let listed = stream.index.get(place as usize).filter(|(inner, _)| *inner == number);
                let (_, at) = listed.or_else(|| stream.index.iter().find(|(inner, _)| *inner == number))?;
                Some(Lexer::new(&stream.data, *at).object())
            }
        }
    }

    fn decrypt_strings(&self, object: &mut Object, id: (u32, u16)) {
        let Some(crypt) = &self.crypt else { return };
        match object {
            Object::Str(bytes) => *bytes = crypt.string(bytes, id),
            Object::Array(items) => items.iter_mut().for_each(|item| self.decrypt_strings(item, id)),
            Object::Dict(dict) => dict.values_mut().for_each(|value| self.decrypt_strings(value, id)),
            Object::Stream(stream) => {
                let id = stream.id;
                stream.dict.values_mut().for_each(|value| self.decrypt_strings(value, id));
            }
            _ => {}
        }
    }

    /// The object that stands at a byte: `12 0 obj …`. With a number, only if it is that one.
    fn object_at(&self, at: usize, number: Option<u32>) -> Option<Object> {
        if self.work.get() > MAX_WORK {
            return None;
        }
        let mut lexer = Lexer::new(self.data, at);
        let Token::Value(Object::Int(found)) = lexer.token() else { return None };
        let Token::Value(Object::Int(generation)) = lexer.token() else { return None };
        if lexer.token() != Token::Word(b"obj") || number.is_some_and(|number| i64::from(number) != found) {
            return None;
        }
        let object = lexer.object();
        self.work.set(self.work.get() + (lexer.pos.saturating_sub(at)) as u64);
        let Object::Dict(dict) = object else { return Some(object) };
        lexer.skip_space();
        if !self.data[lexer.pos..].starts_with(b"stream") {
            return Some(Object::Dict(dict));
        }
        let mut start = lexer.pos + 6;
        start += match self.data.get(start..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([b'\r' | b'\n', ..]) => 1,
            _ => 0,
        };
        let end = self.stream_end(&dict, start);
        Some(Object::Stream(Stream { dict, start, end, id: (found as u32, generation as u16) }))
    }

    fn stream_end(&self, dict: &Dict, start: usize) -> usize {
        let length = self.resolve(dict.get("Length")).int().and_then(|length| usize::try_from(length).ok());
        if let Some(end) = length.and_then(|length| start.checked_add(length)).filter(|&end| end <= self.data.len()) {
            let mut after = end;
            while self.data.get(after).copied().is_some_and(is_space) {
                after += 1;
            }
            if self.data[after..].starts_with(b"endstream") || self.data[after..].starts_with(b"endobj") {
                return end;
            }
        }
        let start = start.min(self.data.len());
        let end = memmem::find(&self.data[start..], b"endstream").map_or(self.data.len(), |found| start + found);
        // A search is that much faster than reading.
        self.work.set(self.work.get() + (end - start) as u64 / 16);
        end
    }

    fn object_stream(&self, number: u32) -> Option<Rc<ObjectStream>> {
        if let Some((_, stream)) = self.streams.borrow().iter().find(|(held, _)| *held == number) {
            return Some(stream.clone());
        }
        // An object stream in an object stream is not allowed, and could go round for ever.
        let at = match self.entries.get(&number).or_else(|| self.scanned.get()?.get(&number))? {
            Entry::At(at) => *at,
            Entry::In(..) => return None,
        };
        let stream = self.object_at(at, Some(number));
        let stream = Rc::new(stream.and_then(|object| self.unpack(&object))?);
        let mut streams = self.streams.borrow_mut();
        if streams.len() >= MAX_CACHED_STREAMS {
            streams.pop_front();
        }
        streams.push_back((number, stream.clone()));
        Some(stream)
    }

    fn unpack(&self, object: &Object) -> Option<ObjectStream> {
        let Object::Stream(stream) = object else { return None };
        let first = usize::try_from(stream.dict.get("First").int()?).ok()?;
        let count = usize::try_from(stream.dict.get("N").int()?).ok()?;
        let data = self.decode(stream)?;
        let mut lexer = Lexer::new(&data, 0);
        let mut index = Vec::new();
        while index.len() < count {
            let (Token::Value(Object::Int(number)), Token::Value(Object::Int(offset))) = (lexer.token(), lexer.token())
            else {
                break;
            };
            let at = usize::try_from(offset).ok().and_then(|offset| first.checked_add(offset));
            if let (Ok(number), Some(at)) = (u32::try_from(number), at) {
                index.push((number, at));
            }
        }
        Some(ObjectStream { data, index })
    }

    /// The bytes of a stream without its filters; nothing for an image.
    pub(super) fn decode(&self, stream: &Stream) -> Option<Vec<u8>> {
        let raw = self.data.get(stream.start..stream.end)?;
        match &self.crypt {
            Some(crypt) if stream.dict.get("Type").name() != Some("XRef") => {
                self.unfilter(crypt.stream(raw, stream.id), &stream.dict)
            }
            _ => self.unfilter_borrowed(raw, &stream.dict),
        }
    }

    fn decode_plain(&self, stream: &Stream) -> Option<Vec<u8>> {
        self.unfilter_borrowed(self.data.get(stream.start..stream.end)?, &stream.dict)
    }

    fn unfilter_borrowed(&self, raw: &[u8], dict: &Dict) -> Option<Vec<u8>> {
        let filters = self.filters(dict);
        let Some((name, params)) = filters.first() else { return Some(raw.to_vec()) };
        let first = filter::decode(name, raw, params.as_ref(), &self.budget)?;
        self.apply(first, &filters[1..])
    }

    fn unfilter(&self, data: Vec<u8>, dict: &Dict) -> Option<Vec<u8>> {
        self.apply(data, &self.filters(dict))
    }

    fn filters(&self, dict: &Dict) -> Vec<(String, Option<Dict>)> {
        let either = |long, short| {
            let value = dict.get(long);
            self.resolve_deep(if value.is_null() { dict.get(short) } else { value })
        };
        filter::filters(&either("Filter", "F"), &either("DecodeParms", "DP"))
    }

    /// A value in whose first level nothing is a reference.
    fn resolve_deep(&self, object: &Object) -> Object {
        match &*self.resolve(object) {
            Object::Array(items) => {
                Object::Array(items.iter().take(16).map(|item| (*self.resolve(item)).clone()).collect())
            }
            other => other.clone(),
        }
    }

    fn apply(&self, mut data: Vec<u8>, filters: &[(String, Option<Dict>)]) -> Option<Vec<u8>> {
        for (name, params) in filters {
            data = filter::decode(name, &data, params.as_ref(), &self.budget)?;
        }
        Some(data)
    }
}

/// Number and start of the object whose word `obj` stands at a byte.
fn object_before(data: &[u8], at: usize) -> Option<(u32, usize)> {
    let head = &data[at.saturating_sub(24)..at];
    let back =
        |end: usize, test: fn(u8) -> bool| head[..end].iter().rposition(|&byte| !test(byte)).map_or(0, |p| p + 1);
    let digit = |byte: u8| byte.is_ascii_digit();
    let generation_end = back(head.len(), is_space);
    let generation = back(generation_end, digit);
    let number_end = back(generation, is_space);
    let number = back(number_end, digit);
    if generation == generation_end || number_end == generation || number == number_end {
        return None;
    }
    let text = std::str::from_utf8(&head[number..number_end]).ok()?;
    Some((text.parse().ok()?, at - (head.len() - number)))
}
