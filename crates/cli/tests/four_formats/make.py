"""Writes the guide in four formats: `python make.py`, with python-docx and docutils. `guide.txt` is the source.

Lines of the source: `# title`, `## section`, `- item`, `| cell | cell`, `    code`, else a paragraph.
"""

import pathlib

from docutils.core import publish_string
from docx import Document

HERE = pathlib.Path(__file__).parent


def blocks():
    """Runs of lines of one kind: (kind, lines)."""
    marks = {"# ": "title", "## ": "section", "- ": "item", "| ": "row", "    ": "code"}
    found = []
    for line in (HERE / "guide.txt").read_text().splitlines():
        if not line.strip():
            found.append(("", []))
            continue
        mark, kind = next(((mark, kind) for mark, kind in marks.items() if line.startswith(mark)), ("", "text"))
        if not found or found[-1][0] != kind:
            found.append((kind, []))
        found[-1][1].append(line[len(mark):])
    return [(kind, lines) for kind, lines in found if kind]


def cells(row):
    return [cell.strip() for cell in row.split("|")]


def markdown():
    out = []
    for kind, lines in blocks():
        if kind == "title":
            out.append("# " + lines[0])
        elif kind == "section":
            out.append("## " + lines[0])
        elif kind == "item":
            out.append("\n".join("- " + line for line in lines))
        elif kind == "row":
            rows = ["| " + " | ".join(cells(line)) + " |" for line in lines]
            out.append("\n".join([rows[0], "|" + "---|" * len(cells(lines[0]))] + rows[1:]))
        elif kind == "code":
            out.append("```sh\n" + "\n".join(lines) + "\n```")
        else:
            out.append("\n".join(lines))
    return "\n\n".join(out) + "\n"


def rst():
    out = []
    for kind, lines in blocks():
        if kind in ("title", "section"):
            rule = ("=" if kind == "title" else "-") * len(lines[0])
            out.append(f"{lines[0]}\n{rule}")
        elif kind == "item":
            out.append("\n".join("* " + line for line in lines))
        elif kind == "row":
            rows = [f"   * - " + "\n     - ".join(cells(line)) for line in lines]
            out.append(".. list-table::\n   :header-rows: 1\n\n" + "\n".join(rows))
        elif kind == "code":
            out.append(".. code-block:: sh\n\n" + "\n".join("   " + line for line in lines))
        else:
            out.append("\n".join(lines))
    return "\n\n".join(out) + "\n"


def docx(path):
    document = Document()
    for kind, lines in blocks():
        if kind == "title":
            document.add_heading(lines[0], 0)
        elif kind == "section":
            document.add_heading(lines[0], 1)
        elif kind == "item":
            for line in lines:
                document.add_paragraph(line, style="List Bullet")
        elif kind == "row":
            rows = [cells(line) for line in lines]
            table = document.add_table(rows=0, cols=len(rows[0]))
            for row in rows:
                for cell, text in zip(table.add_row().cells, row):
                    cell.text = text
        elif kind == "code":
            document.add_paragraph("\n".join(lines), style="macro")
        else:
            document.add_paragraph(" ".join(lines))
    document.save(path)


(HERE / "guide.md").write_text(markdown())
(HERE / "guide.rst").write_text(rst())
(HERE / "guide.html").write_bytes(publish_string(rst(), writer_name="html5", settings_overrides={"embed_stylesheet": False, "stylesheet_path": None, "generator": False, "syntax_highlight": "none"}))
docx(HERE / "guide.docx")
