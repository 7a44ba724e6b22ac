//! A page's program: which words it puts where.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::file::File;
use super::font::{Font, Glyph};
use super::object::{Dict, Lexer, Object, Stream, Token};
use super::{accent, annotation};

/// Forms in forms. Real ones go three or four deep.
const MAX_FORM_DEPTH: usize = 12;
/// Operators of the whole file: forms that draw each other twice double at each level.
pub(super) const MAX_OPERATORS: u64 = 20_000_000;
const OPERATORS_PER_FORM: u64 = 50;
const MAX_OPERANDS: usize = 1 << 16;
const MAX_STATES: usize = 256;
/// A gap between glyphs, in font sizes, that is a blank. TeX shrinks blanks to 0.22, kerning stays below 0.1.
const BLANK: f64 = 0.13;
/// Letters in a row with the same distance.
const SPACED_OUT: usize = 4;

/// A word, or a part of one, on one line.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) left: f64,
    pub(super) right: f64,
    /// Its baseline, counted from the top of the page down.
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) text: String,
    pub(super) bold: bool,
    pub(super) mono: bool,
    /// A blank was written after it, however wide.
    pub(super) blank_after: bool,
    /// In quarter turns; places are given as if the page were turned until the word stands upright.
    pub(super) turn: u8,
}

/// Fonts by object, which pages share, and the one of pages that have lost theirs.
#[derive(Default)]
pub(super) struct Fonts(HashMap<u32, Rc<Font>>, OnceCell<Rc<Font>>);

/// What the pages of one file may still cost.
pub(super) struct Work {
    pub(super) operators: u64,
    /// Characters that may still be read.
    pub(super) text: usize,
}

impl Work {
    pub(super) fn new(max_text: usize) -> Work {
        Work { operators: MAX_OPERATORS, text: max_text }
    }
}

pub(super) type Matrix = [f64; 6];
pub(super) const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// First `a`, then `b`.
pub(super) fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4],
        a[4] * b[1] + a[5] * b[3] + b[5],
    ]
}

#[derive(Clone)]
struct State {
    ctm: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// A marked part of a page.
struct Mark {
    /// What the part says, instead of what its glyphs are; taken by the first glyph.
    actual: Option<Option<String>>,
    /// A running header or footer.
    skip: bool,
}

struct Interpreter<'f, 'a> {
    file: &'f File<'a>,
    fonts: &'f mut Fonts,
    work: &'f mut Work,
    bounds: [f64; 4],
    state: State,
    states: Vec<State>,
    text: Matrix,
    line: Matrix,
    marks: Vec<Mark>,
    word: Option<Word>,
    /// From where to where the last glyph of that word goes.
    last: (f64, f64),
    /// Whether the distance of the letters of the text that is being shown is there on purpose.
    is_spaced_out: bool,
    words: Vec<Word>,
}

/// The words of a page, in the order in which it draws them.
pub(super) fn words(
    file: &File,
    page: &Dict,
    resources: &Dict,
    fonts: &mut Fonts,
    work: &mut Work,
    frame: &Frame,
) -> Vec<Word> {
    let state = State {
        ctm: frame.matrix(),
        font: None,
        size: 0.0,
        char_space: 0.0,
        word_space: 0.0,
        stretch: 1.0,
        leading: 0.0,
        rise: 0.0,
    };
    let mut interpreter = Interpreter {
        file,
        fonts,
        work,
        bounds: frame.bounds(),
        state: state.clone(),
        states: Vec::new(),
        text: IDENTITY,
        line: IDENTITY,
        marks: Vec::new(),
        word: None,
        last: (0.0, 0.0),
        is_spaced_out: false,
        words: Vec::new(),
    };
    interpreter.run(&page_program(file, page.get("Contents")), resources, 0);
    interpreter.end_word();
    interpreter.draw_annotations(&state, page, resources);
    interpreter.words
}

/// The streams of a page are one program, cut between any two tokens.
fn page_program(file: &File, contents: &Object) -> Vec<u8> {
    let contents = file.resolve(contents);
    let mut program = Vec::new();
    let mut add = |object: &Object| {
        if let Object::Stream(stream) = object
            && let Some(data) = file.decode(stream)
        {
            program.extend_from_slice(&data);
            program.push(b'\n');
        }
    };
    match &*contents {
        Object::Array(parts) => parts.iter().take(10_000).for_each(|part| add(&file.resolve(part))),
        other => add(other),
    }
    program
}

/// The visible part of a page, and how it is turned.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) bottom: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) turn: i64,
}

impl Frame {
    /// From the page's places to ones that count from the top left corner, as it is shown.
    fn matrix(&self) -> Matrix {
        match self.turn.rem_euclid(360) {
            90 => [0.0, 1.0, 1.0, 0.0, -self.bottom, -self.left],
            180 => [-1.0, 0.0, 0.0, 1.0, self.right, -self.bottom],
            270 => [0.0, -1.0, -1.0, 0.0, self.top, self.right],
            _ => [1.0, 0.0, 0.0, -1.0, -self.left, self.top],
        }
    }

    fn bounds(&self) -> [f64; 4] {
        let (width, height) = (self.right - self.left, self.top - self.bottom);
        let (width, height) = if self.turn.rem_euclid(180) == 90 { (height, width) } else { (width, height) };
        [-0.05 * width, -0.05 * height, 1.05 * width, 1.05 * height]
    }
}

impl Interpreter<'_, '_> {
    fn run(&mut self, program: &[u8], resources: &Dict, depth: usize) {
        let mut lexer = Lexer::new(program, 0);
        let mut operands: Vec<Object> = Vec::new();
        loop {
            match lexer.token() {
                Token::End => return,
                Token::Word(b"BI") => skip_inline_image(&mut lexer),
                Token::Word(word) => {
                    if self.work.operators == 0 || self.work.text == 0 {
                        return;
                    }
                    self.work.operators -= 1;
                    self.operator(word, &operands, resources, depth);
                    operands.clear();
                }
                Token::Value(value) if operands.len() < MAX_OPERANDS => operands.push(value),
                token @ (Token::ArrayStart | Token::DictStart) if operands.len() < MAX_OPERANDS => {
                    operands.extend(lexer.value(token, 0));
                }
                _ => {}
            }
        }
    }

    fn operator(&mut self, word: &[u8], operands: &[Object], resources: &Dict, depth: usize) {
        let number = |at: usize| operands.get(at).and_then(Object::number).unwrap_or(0.0);
        match word {
            b"q" if self.states.len() < MAX_STATES => self.states.push(self.state.clone()),
            b"Q" => {
                if let Some(state) = self.states.pop() {
                    self.state = state;
                }
            }
            b"cm" => self.state.ctm = multiply(&matrix(operands), &self.state.ctm),
            b"BT" => (self.text, self.line) = (IDENTITY, IDENTITY),
            b"ET" => self.end_word(),
            b"Tc" => self.state.char_space = number(0),
            b"Tw" => self.state.word_space = number(0),
            b"Tz" => self.state.stretch = number(0) / 100.0,
            b"TL" => self.state.leading = number(0),
            b"Ts" => self.state.rise = number(0),
            b"Tf" => {
                self.state.size = number(1);
                self.state.font = operands.first().and_then(Object::name).and_then(|name| self.font(name, resources));
            }
            b"Td" => self.move_line(number(0), number(1)),
            b"TD" => {
                self.state.leading = -number(1);
                self.move_line(number(0), number(1));
            }
            b"Tm" => (self.text, self.line) = (matrix(operands), matrix(operands)),
            b"T*" => self.move_line(0.0, -self.state.leading),
            b"Tj" => self.show(operands.first()),
            b"'" => {
                self.move_line(0.0, -self.state.leading);
                self.show(operands.first());
            }
            b"\"" => {
                (self.state.word_space, self.state.char_space) = (number(0), number(1));
                self.move_line(0.0, -self.state.leading);
                self.show(operands.get(2));
            }
            b"TJ" => self.show_spaced(operands.first()),
            b"Do" => self.draw(operands.first(), resources, depth),
            b"BMC" | b"BDC" => self.begin_mark(operands, resources),
            b"EMC" => {
                self.marks.pop();
            }
            _ => {}
        }
    }

    fn move_line(&mut self, x: f64, y: f64) {
        self.line = multiply(&[1.0, 0.0, 0.0, 1.0, x, y], &self.line);
        self.text = self.line;
    }

    fn font(&mut self, name: &str, resources: &Dict) -> Option<Rc<Font>> {
        let fonts = self.file.resolve(resources.get("Font"));
        // What says which fonts a page has may be lost with the tree of pages; most text is written in letters that stand for themselves.
        let Some(fonts) = fonts.dict() else {
            let unknown = self.fonts.1.get_or_init(|| Rc::new(Font::load(self.file, &Object::Null)));
            return Some(Rc::clone(unknown));
        };
        match fonts.get(name) {
            Object::Ref(number) => {
                if let Some(font) = self.fonts.0.get(number) {
                    return Some(font.clone());
                }
                let font = Rc::new(Font::load(self.file, &self.file.object(*number)));
                self.fonts.0.insert(*number, font.clone());
                Some(font)
            }
            direct @ Object::Dict(_) => {
                // It is read anew each time it is chosen.
                self.work.operators = self.work.operators.saturating_sub(1000);
                Some(Rc::new(Font::load(self.file, direct)))
            }
            _ => None,
        }
    }

    fn begin_mark(&mut self, operands: &[Object], resources: &Dict) {
        if self.marks.len() >= MAX_STATES {
            return;
        }
        let properties = match operands.get(1) {
            Some(Object::Name(name)) => {
                let all = self.file.resolve(resources.get("Properties"));
                all.dict().map(|all| self.file.resolve(all.get(name)))
            }
            Some(direct) => Some(Rc::new(direct.clone())),
            None => None,
        };
        let properties = properties.as_ref().and_then(|object| object.dict());
        let actual = properties.and_then(|dict| text_string(self.file.resolve(dict.get("ActualText")).bytes()?));
        let is_artifact = operands.first().and_then(Object::name) == Some("Artifact");
        let is_running = properties.is_some_and(|dict| dict.get("Type").name() == Some("Pagination"));
        self.marks.push(Mark { actual: actual.map(Some), skip: is_artifact && is_running });
    }

    /// Draws what lies upon the page, whatever state its program has left behind.
    fn draw_annotations(&mut self, fresh: &State, page: &Dict, resources: &Dict) {
        let appearances = annotation::appearances(self.file, page);
        if appearances.is_empty() {
            return;
        }
        let defaults = annotation::default_resources(self.file);
        let defaults = defaults.as_ref().and_then(|object| object.dict()).unwrap_or(resources);
        for appearance in &appearances {
            if self.work.operators == 0 {
                return;
            }
            self.work.operators -= 1;
            let Some(form) = appearance.form() else { continue };
            self.states.clear();
            self.marks.clear();
            self.state = State { ctm: multiply(&appearance.place, &fresh.ctm), ..fresh.clone() };
            self.draw_form(form, defaults, 0);
        }
    }

    fn draw(&mut self, name: Option<&Object>, resources: &Dict, depth: usize) {
        let Some(name) = name.and_then(Object::name) else { return };
        let objects = self.file.resolve(resources.get("XObject"));
        let Some(object) = objects.dict().map(|objects| self.file.resolve(objects.get(name))) else { return };
        let Object::Stream(form) = &*object else { return };
        if depth < MAX_FORM_DEPTH && form.dict.get("Subtype").name() == Some("Form") {
            self.draw_form(form, resources, depth);
        }
    }

    fn draw_form(&mut self, form: &Stream, resources: &Dict, depth: usize) {
        // To unpack one and to keep what it may change costs as much as many operators.
        self.work.operators = self.work.operators.saturating_sub(OPERATORS_PER_FORM);
        let Some(program) = self.file.decode(form) else { return };
        let saved = (self.state.clone(), std::mem::take(&mut self.states), self.text, self.line);
        let placed = self.file.resolve(form.dict.get("Matrix"));
        if !placed.array().is_empty() {
            self.state.ctm = multiply(&matrix(placed.array()), &self.state.ctm);
        }
        let own = self.file.resolve(form.dict.get("Resources"));
        self.run(&program, own.dict().unwrap_or(resources), depth + 1);
        self.end_word();
        (self.state, self.states, self.text, self.line) = saved;
    }

    fn show_spaced(&mut self, items: Option<&Object>) {
        for item in items.map_or(&[][..], Object::array) {
            match item.number() {
                Some(adjust) => self.advance(-adjust / 1000.0 * self.state.size * self.state.stretch),
                None => self.show(Some(item)),
            }
        }
    }

    fn advance(&mut self, x: f64) {
        self.text = multiply(&[1.0, 0.0, 0.0, 1.0, x, 0.0], &self.text);
    }

    fn show(&mut self, text: Option<&Object>) {
        let (Some(bytes), Some(font)) = (text.and_then(Object::bytes), self.state.font.clone()) else { return };
        self.is_spaced_out = bytes.len() >= SPACED_OUT;
        font.glyphs(bytes, |glyph| self.glyph(&font, glyph));
    }

    #[expect(clippy::needless_pass_by_value, reason = "a glyph is drawn once")]
    fn glyph(&mut self, font: &Font, glyph: Glyph) {
        let State { size, char_space, word_space, stretch, rise, ctm, .. } = self.state;
        let to_page = multiply(&self.text, &ctm);
        let width = glyph.width * size * stretch;
        let place =
            |x: f64| [to_page[0] * x + to_page[2] * rise + to_page[4], to_page[1] * x + to_page[3] * rise + to_page[5]];
        // Letters that are set apart on purpose belong together all the same. Ghostscript writes a blank between two letters so, too.
        let belongs = char_space > 0.0 && char_space < size.abs() * if self.is_spaced_out { 0.5 } else { BLANK };
        let spaced = width + if belongs { char_space * stretch } else { 0.0 };
        let (start, end) = (place(0.0), place(spaced));
        let height = (to_page[2].hypot(to_page[3]) * size * font.scale).abs();
        self.put(font, &glyph.text, start, end, height, [to_page[0] * size.signum(), to_page[1] * size.signum()]);
        self.advance(width + (char_space + if glyph.is_blank { word_space } else { 0.0 }) * stretch);
    }

    fn put(&mut self, font: &Font, text: &str, start: [f64; 2], end: [f64; 2], size: f64, way: [f64; 2]) {
        let [left, top, right, bottom] = self.bounds;
        let inside = (left..=right).contains(&start[0]) && (top..=bottom).contains(&start[1]);
        if !inside || size.is_nan() || size <= 0.0 || self.marks.iter().any(|mark| mark.skip) {
            return;
        }
        let Some(turn) = turn_of(way) else { return };
        let actual = self.marks.iter_mut().rev().find_map(|mark| mark.actual.as_mut());
        let text: std::borrow::Cow<str> = match actual {
            Some(actual) => actual.take().unwrap_or_default().into(),
            None => text.into(),
        };
        if self.work.text == 0 {
            return;
        }
        self.work.text = self.work.text.saturating_sub(text.len());
        let turned = |[x, y]: [f64; 2]| match turn {
            0 => (x, y),
            // Up the page.
            1 => (-y, x),
            2 => (-x, -y),
            _ => (y, -x),
        };
        let ((left, y), (right, _)) = (turned(start), turned(end));
        let (left, right) = (left.min(right), left.max(right));
        if text.trim().is_empty() && !text.is_empty() {
            if let Some(word) = &mut self.word {
                word.blank_after = true;
            }
            self.end_word();
            return;
        }
        let (bold, mono) = (font.bold, font.mono);
        if let Some(word) = &mut self.word {
            let gap = left - word.right;
            let alike = word.turn == turn && (word.size - size).abs() < 0.1 * size;
            let fits = alike && (word.y - y).abs() < 0.1 * size;
            let over = right.min(self.last.1) - left.max(self.last.0);
            let is_over = over > 0.5 * (right - left).min(self.last.1 - self.last.0);
            // The accent of a capital stands higher.
            if alike && is_over && (word.y - y).abs() < 0.35 * size && accent::join(&mut word.text, &text) {
                (word.left, word.right, word.y) = (word.left.min(left), word.right.max(right), word.y.max(y));
                self.last = (self.last.0.min(left), self.last.1.max(right));
                return;
            }
            // A shadow begins anew before the word ends.
            let goes_on = gap < BLANK * size && gap > -0.5 * size && left > self.last.0 - 0.05 * size;
            if fits && word.bold == bold && word.mono == mono && goes_on {
                push_text(&mut word.text, &text);
                word.right = word.right.max(right);
                self.last = (left, right);
                return;
            }
        }
        self.end_word();
        let mut word = Word { left, right, y, size, text: String::new(), bold, mono, blank_after: false, turn };
        push_text(&mut word.text, &text);
        self.last = (left, right);
        self.word = Some(word);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take().filter(|word| !word.text.is_empty()) else { return };
        // Bold is sometimes made by drawing twice, a shadow likewise.
        let twice = self.words.iter().rev().take(40).any(|other| {
            other.text == word.text
                && other.turn == word.turn
                && (other.left - word.left).abs() < 0.3 * word.size
                && (other.y - word.y).abs() < 0.3 * word.size
        });
        if !twice {
            self.words.push(word);
        }
    }
}

/// Text without what is only of use for drawing: ligatures are taken apart, control characters left out.
fn push_text(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            'ﬅ' | 'ﬆ' => out.push_str("st"),
            '\u{a0}' => out.push(' '),
            '\u{200b}'..='\u{200f}' | '\u{feff}' => {}
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
}

/// Quarter turns of a direction on the page, or nothing for text at a slant: water marks, labels of figures.
fn turn_of([x, y]: [f64; 2]) -> Option<u8> {
    let slant = |along: f64, across: f64| across.abs() <= 0.2 * along.abs();
    match (x, y) {
        _ if slant(x, y) && x > 0.0 => Some(0),
        _ if slant(y, x) && y < 0.0 => Some(1),
        _ if slant(x, y) && x < 0.0 => Some(2),
        _ if slant(y, x) && y > 0.0 => Some(3),
        _ => None,
    }
}

pub(super) fn matrix(operands: &[Object]) -> Matrix {
    let mut matrix = IDENTITY;
    for (slot, operand) in matrix.iter_mut().zip(operands) {
        *slot = operand.number().unwrap_or(0.0);
    }
    matrix
}

/// A text of the file itself: a title, a bookmark.
pub(super) fn text_string(bytes: &[u8]) -> Option<String> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xfe, 0xff, rest @ ..] => Some(utf16(rest, u16::from_be_bytes)),
        [0xff, 0xfe, rest @ ..] => Some(utf16(rest, u16::from_le_bytes)),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8(rest.to_vec()).ok(),
        _ => {
            let table = super::encoding::win_ansi();
            Some(bytes.iter().filter_map(|&byte| table[usize::from(byte)]).collect())
        }
    }
}

/// An image in the program itself ends with `EI` between blanks; its bytes may be anything.
fn skip_inline_image(lexer: &mut Lexer) {
    let data = lexer.data;
    let start = memchr::memmem::find(&data[lexer.pos..], b"ID").map_or(data.len(), |found| lexer.pos + found + 2);
    let blank = |at: usize| data.get(at).copied().is_none_or(super::object::is_space);
    let mut at = start;
    while let Some(found) = memchr::memmem::find(&data[at.min(data.len())..], b"EI") {
        at += found + 2;
        if blank(at) && at >= 3 && blank(at - 3) {
            break;
        }
    }
    lexer.pos = at.min(data.len());
}
