"""Takes from each saved page what its content is, for the test to compare with: `python expect.py`, with beautifulsoup4.

A second reader on purpose: it knows for each generator where the content stands, and nothing of how we find it.
"""

import gzip
import json
import pathlib
import re

from bs4 import BeautifulSoup, NavigableString

# Generator: where its content stands, and what of that is no content.
RULES = [
    ("vitepress", ".vp-doc", ".header-anchor, button, span.lang, .line-numbers-wrapper, input"),
    ("docusaurus", ".theme-doc-markdown", ".hash-link, button, svg"),
    ("mkdocs-material", "article.md-content__inner", ".headerlink, .md-content__button, .linenos, input, .footnote-backref"),
    ("mkdocs", "div[role=main]", ".headerlink, .linenos, input, .footnote-backref, .wy-breadcrumbs, footer"),
    ("sphinx-furo", "article[role=main]", ".headerlink, .linenos, .contents"),
    ("sphinx-rtd", "div[itemprop=articleBody]", ".headerlink, .linenos, .contents"),
    ("sphinx-pydata", "article.bd-article", ".headerlink, .linenos, .contents"),
    ("sphinx", "div.body[role=main]", ".headerlink, .linenos, .contents"),
    ("mdbook", "main", ".boring, button"),
    (
        "rustdoc",
        "#main-content",
        "button, .out-of-band, .rightside, .src, .srclink, .anchor, .hideme, .tooltip, .notable-traits, .doc-anchor,"
        " rustdoc-toolbar, .test-arrow, .rustdoc-breadcrumbs",
    ),
    ("javadoc", "main", "button, nav"),
    ("github", "article.markdown-body", ".anchor, svg, clipboard-copy"),
    ("hand", "[data-main]", "[data-chrome]"),
]
PARTING = "p div li td th dt dd h1 h2 h3 h4 h5 h6 br tr pre section summary label caption".split()


def words(text):
    return re.findall(r"\w+", text)


def parsed(raw):
    return BeautifulSoup(raw, "html.parser")


def shown_text(node):
    parts = []
    for below in node.descendants:
        if type(below) is NavigableString:
            parts.append(str(below))
        elif getattr(below, "name", None) in PARTING:
            parts.append(" ")
    return "".join(parts).replace("\xad", "").replace("\u200b", "")


def listing(pre):
    pre = parsed(str(pre))
    for br in pre.select("br"):
        br.replace_with("\n")
    return "\n".join(line.rstrip() for line in pre.get_text().replace("\xa0", " ").split("\n")).strip("\n")


def expectation(name, raw):
    selector, no_content = next(rule[1:] for rule in RULES if name.startswith(rule[0]))
    main = parsed(raw).select(selector)[0]
    hidden = "[hidden], [aria-hidden=true], script, style, template"
    for node in main.select(f"{no_content}, {hidden}"):
        if not node.decomposed and node.get("role") != "tabpanel":
            node.decompose()
    for image in main.select("img"):
        image.replace_with(NavigableString(f" {image.get('alt') or ''} "))

    page = parsed(raw)
    title = page.title.get_text() if page.title else ""
    around = " ".join("".join(map(str, node.contents)) for node in page.select("script, style, template"))[:20000]
    around += " ".join(node.get_text(" ") for node in page.select("[data-chrome]"))
    page.select(selector)[0].extract()
    around += page.get_text(" ")
    inside = {word.lower() for word in words(main.get_text(" ") + " " + title)}
    absent = {word.lower() for word in words(around) if len(word) > 3 and not word.isdigit()} - inside

    tables = [table for table in main.select("table") if not table.select("pre, table")]
    return {
        "main": " ".join(words(shown_text(main))),
        "code": [code for code in map(listing, main.select("pre")) if code],
        "tables": [
            [[" ".join(words(cell.get_text())) for cell in row.find_all(["td", "th"])] for row in table.find_all("tr")]
            for table in tables
        ],
        "absent": " ".join(sorted(absent)[:600]),
    }


for page in sorted(pathlib.Path(__file__).parent.glob("*.html.gz")):
    name = page.name.removesuffix(".html.gz")
    found = expectation(name, gzip.decompress(page.read_bytes()))
    with gzip.GzipFile(page.with_name(f"{name}.json.gz"), "wb", 9, mtime=0) as file:
        file.write(json.dumps(found, ensure_ascii=False, indent=1).encode())
    print(f"{name:36} words {len(found['main'].split()):5} code {len(found['code']):2} tables {len(found['tables'])}")
