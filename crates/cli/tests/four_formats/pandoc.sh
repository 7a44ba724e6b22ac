#!/bin/sh
# Writes two pages of docs/ in four formats, with pandoc 2.17: run it here. The pages are kept as they were, so that a change of docs/ is
# no change of these.
set -e
for page in guides/websites concepts/formats; do
    name=$(basename "$page")
    cp "../../../../docs/$page.md" "$name.md"
    pandoc -f gfm -t rst "$name.md" -o "$name.rst"
    pandoc -f gfm -t docx "$name.md" -o "$name.docx"
    pandoc -f gfm -t html -s --metadata pagetitle="$name" "$name.md" -o "$name.html"
done
