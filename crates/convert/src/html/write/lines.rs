//! Lines of Markdown, within quotes and lists.

use crate::place;

pub(crate) struct Lines {
    pub(crate) text: String,
    /// What every line of the blocks that are open begins with, outermost first.
    prefixes: Vec<Prefix>,
    /// Whether something was written that the next block needs a blank line after.
    gap: bool,
    /// Blank lines written so far, by which an item of a list knows that it has several blocks.
    gaps: usize,
    limit: usize,
}

struct Prefix {
    /// For the first line, as the bullet of an item.
    first: Option<String>,
    rest: String,
}

/// An item that is open: the blank lines there were when it began.
pub(crate) struct Item {
    gaps: usize,
}

impl Lines {
    pub(crate) fn new(limit: usize) -> Self {
        Lines { text: String::new(), prefixes: Vec::new(), gap: false, gaps: 0, limit }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.text.len() > self.limit
    }

    /// Whether lines stand in no list and no quote.
    pub(crate) fn is_outermost(&self) -> bool {
        self.prefixes.is_empty()
    }

    pub(crate) fn depth(&self) -> usize {
        self.prefixes.len()
    }

    /// Whether so much more text is more than there is room for.
    pub(crate) fn is_beyond(&self, more: usize) -> bool {
        self.text.len() + more > self.limit
    }

    pub(crate) fn open_quote(&mut self) {
        self.prefixes.push(Prefix { first: Some("> ".to_owned()), rest: "> ".to_owned() });
    }

    pub(crate) fn close_quote(&mut self) {
        self.prefixes.pop();
    }

    /// Begins an item of a list.
    pub(crate) fn open_item(&mut self, bullet: String) -> Item {
        let rest = " ".repeat(bullet.len());
        self.prefixes.push(Prefix { first: Some(bullet), rest });
        Item { gaps: self.gaps + usize::from(self.gap && !self.text.is_empty()) }
    }

    /// Ends an item; the next one follows without a blank line if this one has none.
    #[expect(clippy::needless_pass_by_value, reason = "an item is closed once")]
    pub(crate) fn close_item(&mut self, item: Item) {
        self.prefixes.pop();
        self.gap &= self.gaps > item.gaps;
    }

    /// Makes the next block follow without a blank line.
    pub(crate) fn join(&mut self) {
        self.gap = false;
    }

    /// Parts the next block from what was written.
    pub(crate) fn part(&mut self) {
        self.gap = true;
    }

    /// Writes a block, a blank line before it where it needs one.
    pub(crate) fn block(&mut self, block: &str) {
        self.start_block();
        for line in block.lines() {
            self.line(line);
        }
        self.gap = true;
    }

    /// Writes the place that the next block stands at, for which it has to be outermost.
    pub(crate) fn place(&mut self, unit: &str, label: &str) {
        if self.is_outermost() && !self.is_full() {
            self.start_block();
            place::write(&mut self.text, unit, label);
            self.gap = false;
        }
    }

    fn start_block(&mut self) {
        // The bullet of an item opens a line of its own, whatever the block before it.
        if std::mem::take(&mut self.gap) && !self.text.is_empty() {
            self.gaps += 1;
            let len = self.prefixes.iter().position(|prefix| prefix.first.is_some()).unwrap_or(self.prefixes.len());
            let blank: String = self.prefixes[..len].iter().map(|prefix| prefix.rest.as_str()).collect();
            self.text.push_str(blank.trim_end());
            self.text.push('\n');
        }
    }

    fn line(&mut self, line: &str) {
        if self.is_full() {
            return;
        }
        let start = self.text.len();
        for prefix in &mut self.prefixes {
            match prefix.first.take() {
                Some(first) => self.text.push_str(&first),
                None => self.text.push_str(&prefix.rest),
            }
        }
        self.text.push_str(line);
        self.text.truncate(start + self.text[start..].trim_end().len());
        // What the page says must not look like a place of ours.
        if place::of_line(&self.text[start..]).is_some() {
            let escaped = place::escape(&self.text[start..]).into_owned();
            self.text.replace_range(start.., &escaped);
        }
        self.text.push('\n');
    }
}
