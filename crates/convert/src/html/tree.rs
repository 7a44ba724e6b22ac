//! The elements of a page as a tree.
//!
//! Nodes stand in the order of the page and never move, so that the nodes below one are a range that follows it: a pass
//! over all of them is a loop, and nothing has to be taken apart level by level when the tree is dropped. The rules for
//! end tags that are left out are those of the HTML standard; what is misplaced stays where it was written. The tree is
//! never deeper than allowed: what is nested deeper stands beside its parent, so that a walk may call itself.

use std::borrow::Cow;

use super::entities;
use super::tokens::{Attributes, Tag, Token, Tokens};
use crate::ConvertError;

/// Nodes of one page. The largest pages people write have a few hundred thousand; each takes about 55 bytes while the
/// page is read, and a page can make one of every three bytes.
const MAX_NODES: usize = 2_000_000;

/// A node, by its position in the page. [`Tree::ROOT`] holds all others.
pub(crate) type Id = usize;

pub(crate) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
}

struct Node<'a> {
    /// Positions in 32 bits, which hold all of [`MAX_NODES`].
    parent: u32,
    /// The first node behind all that are below this one.
    end: u32,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Text(Cow<'a, str>),
    Element { name: Cow<'a, str>, attributes: Attributes<'a> },
}

impl<'a> Tree<'a> {
    pub(crate) const ROOT: Id = 0;

    pub(crate) fn parse(text: &'a str, xml: bool, max_depth: usize) -> Result<Self, ConvertError> {
        let mut builder = Builder::new(xml, max_depth.max(8));
        let mut tokens = Tokens::new(text, xml);
        while let Some(token) = tokens.next() {
            if builder.nodes.len() >= MAX_NODES {
                return Err(ConvertError::TooLarge { what: "elements", limit: MAX_NODES as u64 });
            }
            match token {
                Token::Text(text) => builder.text(entities::decode(text)),
                Token::Verbatim(text) => builder.text(text.into()),
                Token::Close(name) => builder.close(&name),
                Token::Open(tag) => builder.open(tag, &mut tokens),
            }
        }
        Ok(builder.finish())
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn parent(&self, id: Id) -> Id {
        self.nodes[id].parent as Id
    }

    /// The parents of a node, nearest first.
    pub(crate) fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(Some(id), |&id| (id != Self::ROOT).then(|| self.parent(id))).skip(1)
    }

    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> + use<'_, 'a> {
        let end = self.nodes[id].end as Id;
        let next = move |id: Id| (id < end).then_some(id);
        std::iter::successors(next(id + 1), move |&child| next(self.nodes[child].end as Id))
    }

    /// All nodes below a node, in the order of the page.
    pub(crate) fn below(&self, id: Id) -> std::ops::Range<Id> {
        id + 1..self.nodes[id].end as Id
    }

    pub(crate) fn contains(&self, outer: Id, inner: Id) -> bool {
        (outer..self.nodes[outer].end as Id).contains(&inner)
    }

    /// The name of an element; text has none.
    pub(crate) fn name(&self, id: Id) -> &str {
        match &self.nodes[id].kind {
            Kind::Element { name, .. } => name,
            Kind::Text(_) => "",
        }
    }

    pub(crate) fn text(&self, id: Id) -> Option<&str> {
        match &self.nodes[id].kind {
            Kind::Text(text) => Some(text),
            Kind::Element { .. } => None,
        }
    }

    pub(crate) fn attribute(&self, id: Id, name: &str) -> Option<Cow<'a, str>> {
        match &self.nodes[id].kind {
            Kind::Element { attributes, .. } => attributes.get(name),
            Kind::Text(_) => None,
        }
    }

    pub(crate) fn has_class(&self, id: Id, class: &str) -> bool {
        self.attribute(id, "class").is_some_and(|classes| classes.split_ascii_whitespace().any(|found| found == class))
    }

    /// All text below a node, as it stands.
    pub(crate) fn raw_text(&self, id: Id) -> String {
        self.below(id).filter_map(|id| self.text(id)).collect()
    }
}

/// Elements that have no content.
pub(crate) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Elements that begin on a line of their own.
pub(crate) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "frameset"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "optgroup"
            | "option"
            | "p"
            | "plaintext"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "title"
            | "tr"
            | "ul"
            | "xmp"
    )
}

pub(crate) fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

fn is_table_part(name: &str) -> bool {
    matches!(name, "caption" | "table" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr")
}

/// Elements whose content is not read as tags.
fn is_raw(name: &str) -> bool {
    matches!(name, "iframe" | "noembed" | "noframes" | "script" | "style" | "textarea" | "title" | "xmp")
}

struct Builder<'a> {
    nodes: Vec<Node<'a>>,
    open: Vec<Id>,
    /// Elements that are open but too deep to be kept open.
    too_deep: usize,
    /// How many of the open elements are `svg` or `math`.
    foreign: usize,
    xml: bool,
    max_depth: usize,
}

impl<'a> Builder<'a> {
    fn new(xml: bool, max_depth: usize) -> Self {
        let root =
            Node { parent: 0, end: 0, kind: Kind::Element { name: "".into(), attributes: Attributes::default() } };
        Builder { nodes: vec![root], open: vec![Tree::ROOT], too_deep: 0, foreign: 0, xml, max_depth }
    }

    fn name(&self, id: Id) -> &str {
        match &self.nodes[id].kind {
            Kind::Element { name, .. } => name,
            Kind::Text(_) => "",
        }
    }

    fn append(&mut self, kind: Kind<'a>) -> Id {
        let id = self.nodes.len();
        let parent = self.open.last().copied().unwrap_or(Tree::ROOT);
        self.nodes.push(Node { parent: parent as u32, end: id as u32 + 1, kind });
        id
    }

    fn text(&mut self, text: Cow<'a, str>) {
        if self.open.last().is_some_and(|&id| self.name(id) == "head") {
            if text.trim().is_empty() {
                return;
            }
            self.pop();
        }
        self.append(Kind::Text(text));
    }

    fn open(&mut self, tag: Tag<'a>, tokens: &mut Tokens<'a>) {
        let Tag { name, attributes, self_closing } = tag;
        if !self.xml && self.foreign == 0 {
            self.close_implied(&name);
        }
        if matches!(&*name, "html" | "body") && self.nodes.iter().skip(1).take(64).any(|node| node.is(&name)) {
            return;
        }
        let raw = is_raw(&name) && !self.xml && self.foreign == 0;
        let closed = self_closing && (self.xml || self.foreign > 0);
        let leaf = is_void(&name) || closed;
        let drops_text = matches!(&*name, "script" | "style" | "iframe" | "noembed" | "noframes" | "textarea");
        let raw_name = raw.then(|| name.clone());
        let id = self.append(Kind::Element { name, attributes });
        if let Some(name) = raw_name {
            let text = tokens.raw_text(&name);
            if !drops_text {
                let end = id as u32 + 2;
                self.nodes.push(Node { parent: id as u32, end, kind: Kind::Text(entities::decode(text)) });
                self.nodes[id].end = end;
            }
        } else if !leaf {
            if self.open.len() >= self.max_depth {
                self.too_deep += 1;
            } else {
                self.foreign += usize::from(matches!(self.name(id), "svg" | "math"));
                self.open.push(id);
            }
        }
    }

    fn close(&mut self, name: &str) {
        if self.too_deep > 0 && !matches!(name, "body" | "html") {
            self.too_deep -= 1;
            return;
        }
        if is_void(name) {
            if name == "br" {
                self.append(Kind::Element { name: "br".into(), attributes: Attributes::default() });
            }
            return;
        }
        // The page goes on behind an early end of its body.
        if matches!(name, "body" | "html") {
            return;
        }
        let wanted = |open: &str| open == name || (is_heading(open) && is_heading(name));
        let block = is_block(name);
        let found = self.open.iter().rposition(|&id| wanted(self.name(id)));
        let Some(found) = found else { return };
        // The end of an inline element does not end the blocks around it, nor does anything in a cell end what is around.
        let crossed = |id: &Id| {
            let open = self.name(*id);
            if block { is_table_part(open) && !is_table_part(name) } else { is_block(open) && !self.xml }
        };
        if !self.open[found + 1..].iter().any(crossed) {
            self.pop_to(found);
        }
    }

    /// Ends what a start tag ends without saying so.
    fn close_implied(&mut self, name: &str) {
        if self.too_deep > 0 {
            return;
        }
        let head_part =
            matches!(name, "base" | "link" | "meta" | "noscript" | "script" | "style" | "template" | "title" | "head");
        if !head_part && self.open.last().is_some_and(|&id| self.name(id) == "head") {
            self.pop();
        }
        match name {
            "li" => self.close_nearest(&["li"], &["ul", "ol", "menu", "dir"]),
            "dt" | "dd" => self.close_nearest(&["dt", "dd"], &["dl"]),
            "tr" => self.close_nearest(&["tr"], &["table"]),
            "td" | "th" => self.close_nearest(&["td", "th"], &["tr", "table"]),
            "tbody" | "thead" | "tfoot" => self.close_nearest(&["tbody", "thead", "tfoot", "caption"], &["table"]),
            "option" | "optgroup" => self.close_nearest(&["option"], &["select"]),
            "a" => self.close_inline("a"),
            _ => {}
        }
        if is_heading(name) && self.open.last().is_some_and(|&id| is_heading(self.name(id))) {
            self.pop();
        }
        if is_block(name) {
            self.close_inline("p");
        }
    }

    /// Ends the nearest open element of these names, unless one of the barriers stands in between.
    fn close_nearest(&mut self, names: &[&str], barriers: &[&str]) {
        let ends = |id: &Id| {
            let name = self.name(*id);
            names.contains(&name) || barriers.contains(&name) || name == "table"
        };
        if let Some(found) = self.open.iter().rposition(ends)
            && names.contains(&self.name(self.open[found]))
        {
            self.pop_to(found);
        }
    }

    /// Ends an open element if only inline elements are open in it.
    fn close_inline(&mut self, name: &str) {
        let found = self.open.iter().rposition(|&id| self.name(id) == name || is_block(self.name(id)));
        if let Some(found) = found
            && self.name(self.open[found]) == name
        {
            self.pop_to(found);
        }
    }

    fn pop_to(&mut self, position: usize) {
        while self.open.len() > position.max(1) {
            self.pop();
        }
    }

    fn pop(&mut self) {
        if self.open.len() > 1
            && let Some(id) = self.open.pop()
        {
            self.foreign -= usize::from(matches!(self.name(id), "svg" | "math"));
            self.nodes[id].end = self.nodes.len() as u32;
        }
    }

    fn finish(mut self) -> Tree<'a> {
        self.pop_to(1);
        self.nodes[Tree::ROOT].end = self.nodes.len() as u32;
        Tree { nodes: self.nodes }
    }
}

impl Node<'_> {
    fn is(&self, wanted: &str) -> bool {
        matches!(&self.kind, Kind::Element { name, .. } if name == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(tree: &Tree<'_>, id: Id) -> String {
        let inner = |id| tree.children(id).map(|child| shown(tree, child)).collect::<Vec<_>>().join(" ");
        match tree.text(id) {
            Some(text) => text.trim().to_owned(),
            None if tree.below(id).is_empty() => tree.name(id).to_owned(),
            None => format!("{}({})", tree.name(id), inner(id)),
        }
    }

    #[test]
    fn end_tags_may_be_left_out() {
        let cases = [
            ("<p>a<p>b<div>c</div>", "(p(a) p(b) div(c))"),
            ("<ul><li>a<ul><li>b</ul><li>c</ul>d", "(ul(li(a ul(li(b))) li(c)) d)"),
            ("<dl><dt>a<dd>b<dt>c</dl>", "(dl(dt(a) dd(b) dt(c)))"),
            ("<table><tr><td>a<td>b<tr><th>c</table>d", "(table(tr(td(a) td(b)) tr(th(c))) d)"),
            ("<table><tbody><tr><td><p>a</table>d", "(table(tbody(tr(td(p(a))))) d)"),
            ("<h2>a<h3>b</h2>c", "(h2(a) h3(b) c)"),
            ("<b><p>a</b>b</p>c", "(b(p(a b) c))"),
            ("<a name=x>a<a href=y>b</a>c", "(a(a) a(b) c)"),
            ("<div><span>a</div>b", "(div(span(a)) b)"),
            ("a</p></b></br>b", "(a br b)"),
            ("<head><title>a</title><p>b", "(head(title(a)) p(b))"),
            ("<td>a</div>b</td>", "(td(a b))"),
            ("<svg><path/><a/></svg><p/>b", "(svg(path a) p(b))"),
            ("<html><body>a</body></html>b<body>c", "(html(body(a b c)))"),
            ("<script>a<p></script><textarea>b</textarea>c", "(script textarea c)"),
        ];
        for (text, tree) in cases {
            assert_eq!(shown(&Tree::parse(text, false, 256).unwrap(), Tree::ROOT), tree, "{text}");
        }
    }

    /// Of tiny tags a page of 6 MB has all the nodes that it may have.
    #[test]
    fn a_node_is_small() {
        let each = size_of::<Node>() + size_of::<crate::html::content::Facts>() + size_of::<bool>();
        assert!(each <= 53, "{each} bytes for each node");
    }

    #[test]
    fn xml_closes_what_says_so() {
        let tree = Tree::parse("<title/><p><a id='x'/>b<script/></p>", true, 256).unwrap();
        assert_eq!(shown(&tree, Tree::ROOT), "(title p(a b script))");
    }

    #[test]
    fn what_is_too_deep_stands_beside_its_parent() {
        let text = format!("{}a{}b", "<div>".repeat(100), "</div>".repeat(100));
        let tree = Tree::parse(&text, false, 10).unwrap();
        let deepest = (0..tree.len()).map(|id| tree.ancestors(id).count()).max().unwrap();
        assert_eq!(deepest, 10);
        assert_eq!(tree.parent(tree.len() - 1), Tree::ROOT);
    }

    #[test]
    fn a_page_of_too_many_elements_is_refused() {
        let text = "<b>".repeat(MAX_NODES + 1);
        assert_eq!(
            Tree::parse(&text, false, 256).err(),
            Some(ConvertError::TooLarge { what: "elements", limit: 2_000_000 })
        );
    }
}
