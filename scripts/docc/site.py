#!/usr/bin/env python3
"""Writes an archive of docc as plain HTML pages with relative links, which open from disk.

    site.py ARCHIVE FOLDER

Fails if a page links to a page or a heading that does not exist.
"""
import glob
import html
import json
import os
import re
import shutil
import sys
import urllib.parse

ARCHIVE, FOLDER = sys.argv[1], sys.argv[2]
START = "/documentation/guide"

STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8882; --link: #06c; }
@media (prefers-color-scheme: dark) { :root { --link: #6bf; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 0 1rem 4rem; }
header { display: flex; gap: 1rem; align-items: center; border-bottom: 1px solid var(--line); padding: .6rem 0; }
header input { margin-left: auto; width: 16rem; font: inherit; padding: .2rem .5rem; }
#found { list-style: none; margin: 0; padding: 0; } #found li { padding: .15rem 0; }
nav, .kind, dd { opacity: .8; } nav { font-size: .9rem; padding-top: .6rem; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre { font: 14px/1.45 ui-monospace, monospace; background: var(--soft); border-radius: 4px; }
code { padding: .1em .3em; } pre { padding: .8rem; overflow-x: auto; } pre code { background: none; padding: 0; }
pre.declaration { white-space: pre-wrap; } .keyword, .attribute { color: #a0a; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: .95rem; }
td, th { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; }
blockquote { border-left: 4px solid var(--line); margin: 1rem 0; padding: .1rem 1rem; }
dt { margin-top: .6rem; } dd { margin-left: 1.5rem; } img { max-width: 100%; }
"""

# Loaded as a script, because pages on disk may not fetch files.
SEARCH = """
const input = document.querySelector('header input'), list = document.querySelector('#found');
const root = document.body.dataset.root;
input.addEventListener('input', () => {
  const text = input.value.trim().toLowerCase();
  list.replaceChildren();
  if (text.length < 2) return;
  const rank = page => page[0].toLowerCase().startsWith(text) ? 0 : 1;
  const found = PAGES.filter(page => page[0].toLowerCase().includes(text));
  for (const [title, kind, href] of found.sort((a, b) => rank(a) - rank(b) || a[0].length - b[0].length).slice(0, 40)) {
    const item = document.createElement('li'), link = document.createElement('a');
    link.href = root + href;
    link.textContent = title;
    item.append(link, ' ' + kind);
    list.append(item);
  }
});
"""


def escape(text):
    return html.escape(text, quote=True)


def titled(text):
    """A title, which docc leaves as it is in the document."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def file_of(url):
    """The file of a page, relative to the site."""
    return "index.html" if url == START else url.lstrip("/") + ".html"


class Page:
    def __init__(self, file):
        with open(file, encoding="utf-8") as source:
            self.data = json.load(source)
        self.url = "/" + os.path.relpath(file, f"{ARCHIVE}/data").removesuffix(".json")
        self.file = file_of(self.url)
        self.references = self.data["references"]
        self.anchors, self.links = set(), []

    @property
    def title(self):
        return self.data["metadata"]["title"]

    # Links

    def href(self, url):
        path, _, anchor = url.partition("#")
        relative = os.path.relpath(file_of(path), os.path.dirname(self.file) or ".") if path else ""
        self.links.append((path or self.url, anchor))
        return urllib.parse.quote(relative) + (f"#{urllib.parse.quote(anchor)}" if anchor else "")

    def reference(self, identifier, content=None):
        found = self.references.get(identifier, {})
        if content is None:
            if found.get("kind") == "symbol" and found.get("role") == "symbol":
                content = f"<code>{escape(found['title'])}</code>"
            else:
                content = self.inline(found.get("titleInlineContent")) or titled(found.get("title", identifier))
        url = found.get("url")
        if found.get("type") not in ("topic", "section", "link") or not url:
            return content
        return f'<a href="{escape(url if "://" in url else self.href(url))}">{content}</a>'

    # Text

    def inline(self, items):
        return "".join(self.inline_item(item) for item in items or [])

    def inline_item(self, item):
        kind = item["type"]
        inner = self.inline(item.get("inlineContent"))
        if kind == "text":
            return escape(item["text"])
        if kind == "codeVoice":
            return f"<code>{escape(item['code'])}</code>"
        if kind in ("emphasis", "newTerm"):
            return f"<em>{inner}</em>"
        if kind in ("strong", "inlineHead"):
            return f"<strong>{inner}</strong>"
        if kind == "strikethrough":
            return f"<s>{inner}</s>"
        if kind in ("superscript", "subscript"):
            return f"<{kind[:3]}>{inner}</{kind[:3]}>"
        if kind == "reference":
            title = self.inline(item.get("overridingTitleInlineContent")) or None
            if not item.get("isActive", True):
                return title or escape(item["identifier"])
            return self.reference(item["identifier"], title)
        if kind == "link":
            return f'<a href="{escape(item["destination"])}">{escape(item["title"])}</a>'
        if kind == "image":
            image = self.references[item["identifier"]]
            source = os.path.relpath("images/" + os.path.basename(image["variants"][0]["url"]),
                                     os.path.dirname(self.file) or ".")
            return f'<img src="{escape(urllib.parse.quote(source))}" alt="{escape(image.get("alt") or "")}">'
        raise ValueError(f"{self.url}: unknown inline content {kind}")

    def blocks(self, items):
        return "\n".join(self.block(item) for item in items or [])

    def block(self, item):
        kind = item["type"]
        if kind == "paragraph":
            return f"<p>{self.inline(item['inlineContent'])}</p>"
        if kind == "heading":
            return self.heading(item["level"], item["text"], item["anchor"])
        if kind == "codeListing":
            return f"<pre><code>{escape(chr(10).join(item['code']))}</code></pre>"
        if kind in ("unorderedList", "orderedList"):
            tag = "ul" if kind == "unorderedList" else "ol"
            items = "".join(f"<li>{self.blocks(entry['content'])}</li>" for entry in item["items"])
            return f"<{tag}>{items}</{tag}>"
        if kind == "aside":
            name = item.get("name") or item["style"].capitalize()
            return f"<blockquote><strong>{escape(name)}</strong>{self.blocks(item['content'])}</blockquote>"
        if kind == "table":
            rows = "".join(
                "<tr>" + "".join(f"<{tag}>{self.blocks(cell)}</{tag}>" for cell in row) + "</tr>"
                for number, row in enumerate(item["rows"])
                for tag in ["th" if number == 0 and item.get("header") in ("row", "both") else "td"])
            return f"<table>{rows}</table>"
        if kind == "termList":
            return "<dl>" + "".join(
                f"<dt>{self.inline(entry['term']['inlineContent'])}</dt>"
                f"<dd>{self.blocks(entry['definition']['content'])}</dd>" for entry in item["items"]) + "</dl>"
        if kind == "thematicBreak":
            return "<hr>"
        raise ValueError(f"{self.url}: unknown content {kind}")

    def heading(self, level, text, anchor):
        self.anchors.add(anchor)
        return f'<h{level} id="{escape(anchor)}">{titled(text)}</h{level}>'

    # Sections

    def declaration(self, section):
        parts = []
        for declaration in section["declarations"]:
            tokens = ""
            for token in declaration["tokens"]:
                text = escape(token["text"])
                if token["kind"] in ("keyword", "attribute"):
                    text = f'<span class="{token["kind"]}">{text}</span>'
                if self.references.get(token.get("identifier"), {}).get("url"):
                    text = self.reference(token["identifier"], text)
                tokens += text
            parts.append(f'<pre class="declaration"><code>{tokens}</code></pre>')
        return "".join(parts)

    def primary(self, section):
        if section["kind"] == "declarations":
            return self.declaration(section)
        if section["kind"] == "content":
            return self.blocks(section["content"])
        if section["kind"] == "parameters":
            entries = "".join(f"<dt><code>{escape(entry['name'])}</code></dt><dd>{self.blocks(entry['content'])}</dd>"
                              for entry in section["parameters"])
            return self.heading(2, "Parameters", "parameters") + f"<dl>{entries}</dl>"
        if section["kind"] == "mentions":
            return "<p>Mentioned in " + ", ".join(self.reference(page) for page in section["mentions"]) + "</p>"
        raise ValueError(f"{self.url}: unknown section {section['kind']}")

    def topics(self, title, sections):
        if not sections:
            return ""
        out = self.heading(2, title, title.replace(" ", "-"))
        for section in sections:
            if section.get("title"):
                out += self.heading(3, section["title"], section.get("anchor") or section["title"])
            entries = ""
            for identifier in section["identifiers"]:
                abstract = self.inline(self.references.get(identifier, {}).get("abstract"))
                entries += f"<dt>{self.reference(identifier)}</dt>" + (f"<dd>{abstract}</dd>" if abstract else "")
            out += f"<dl>{entries}</dl>"
        return out

    def relationships(self):
        return "".join(
            f"<p>{escape(section['title'])}: "
            + ", ".join(self.reference(identifier) for identifier in section["identifiers"]) + "</p>"
            for section in self.data.get("relationshipsSections", []))

    def breadcrumb(self):
        paths = self.data.get("hierarchy", {}).get("paths", [])
        parents = [self.reference(identifier) for identifier in (paths[0] if paths else [])]
        return " › ".join(parents)

    def html(self):
        data = self.data
        root = os.path.relpath(".", os.path.dirname(self.file) or ".")
        body = f"<nav>{self.breadcrumb()}</nav>"
        if data["metadata"].get("roleHeading"):
            body += f'<div class="kind">{escape(data["metadata"]["roleHeading"])}</div>'
        body += f"<h1>{titled(self.title)}</h1>\n"
        if data.get("abstract"):
            body += f"<p>{self.inline(data['abstract'])}</p>\n"
        body += "\n".join(self.primary(section) for section in data.get("primaryContentSections", []))
        body += self.relationships()
        body += self.topics("Topics", data.get("topicSections"))
        body += self.topics("Default implementations", data.get("defaultImplementationsSections"))
        body += self.topics("See also", data.get("seeAlsoSections"))
        return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(self.title.replace("`", ""))} – StoreHub</title><link rel="stylesheet" href="{root}/style.css"></head>
<body data-root="{root}/"><header><a href="{root}/index.html"><strong>StoreHub</strong></a>
<input type="search" placeholder="Search" aria-label="Search"></header><ul id="found"></ul>
<main>
{body}
</main>
<script src="{root}/pages.js"></script><script src="{root}/search.js"></script></body></html>
"""


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    pages = [Page(file) for file in glob.glob(f"{ARCHIVE}/data/documentation/**/*.json", recursive=True)]
    for page in pages:
        os.makedirs(os.path.dirname(f"{FOLDER}/{page.file}"), exist_ok=True)
        with open(f"{FOLDER}/{page.file}", "w", encoding="utf-8") as file:
            file.write(page.html())
    by_url = {page.url: page for page in pages}
    if START not in by_url:
        sys.exit(f"{ARCHIVE} has no page {START}")
    dangling = sorted({
        f"{page.url} links to {url}{'#' + anchor if anchor else ''}, which does not exist"
        for page in pages for url, anchor in page.links
        if url not in by_url or (anchor and anchor not in by_url[url].anchors)})
    index = [[page.title.replace("`", ""), page.data["metadata"].get("roleHeading", ""), urllib.parse.quote(page.file)] for page in pages]
    with open(f"{FOLDER}/pages.js", "w", encoding="utf-8") as file:
        file.write("const PAGES = " + json.dumps(sorted(index), ensure_ascii=False) + ";\n")
    for name, text in [("search.js", SEARCH), ("style.css", STYLE)]:
        with open(f"{FOLDER}/{name}", "w", encoding="utf-8") as file:
            file.write(text.lstrip())
    os.makedirs(f"{FOLDER}/images", exist_ok=True)
    for image in glob.glob(f"{ARCHIVE}/images/**/*.*", recursive=True):
        shutil.copy(image, f"{FOLDER}/images")
    for line in dangling:
        print(line, file=sys.stderr)
    if dangling:
        sys.exit(f"{len(dangling)} links lead nowhere")
    print(f"{len(pages)} pages: open {FOLDER}/index.html")


if __name__ == "__main__":
    main()
