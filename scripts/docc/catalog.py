#!/usr/bin/env python3
"""Writes the catalog for docc: the catalogs of the modules, and the documents of the repository as articles.

    catalog.py FOLDER

The documents stay as they are in the repository: their links become links of docc, and the comments that say how their
code is compiled are left out. Links to files that are not part of the site become plain text.
"""
import glob
import os
import re
import shutil
import sys
import unicodedata

# The articles below the README, which is the first page.
GROUPS = [
    ("Features", ["docs/TUTORIAL.md", "docs/TCA-COMPATIBILITY.md", "docs/MIGRATION.md", "docs/PORTING.md"]),
    ("Hubs and programs", [
        "docs/VIEWS.md", "docs/SHARED-MODEL.md", "docs/SERVICE.md", "docs/GATEWAY.md", "docs/CLUSTER.md", "docs/SCALING.md", "docs/SECURITY.md", "docs/DURABILITY.md", "docs/MIGRATIONS.md", "docs/REPLAY.md",
        "docs/TERMINAL.md",
        "docs/TERMINAL-VIEWS.md", "docs/INSPECTOR.md", "docs/SCHEMA.md", "docs/LOAD-TESTING.md"]),
    ("The inside", [
        "docs/ARCHITECTURE.md", "docs/decisions/README.md", "docs/PROTOCOL.md", "docs/PERFORMANCE.md",
        "docs/PERFORMANCE-LOG.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]
START = "Guide"


def article(path):
    """The name of the article of a document."""
    if path == "README.md":
        return START
    if path.endswith("/README.md"):
        return os.path.basename(os.path.dirname(path))
    return os.path.basename(path).removesuffix(".md")


def documents():
    return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *sorted(glob.glob("docs/**/*.md", recursive=True))]


def lines_outside_code(text):
    """The lines of a page, each with whether it is outside of blocks of code."""
    fenced = False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        yield line, not (fenced or fence)
        fenced ^= fence


def headings(path):
    with open(path, encoding="utf-8") as page:
        return [line.lstrip("#").strip() for line, prose in lines_outside_code(page.read())
                if prose and line.startswith("#")]


def github_anchor(heading):
    kept = [c for c in heading.lower() if c.isalpha() or c in "0123456789 -_"]
    return "".join(kept).replace(" ", "-")


def docc_anchor(heading):
    """The fragment by which docc finds a heading."""
    words = [word for word in re.split(r"[\s\-–—]+", heading) if word]
    text = "-".join(words)
    return "".join(c for c in text if c == "-" or not (unicodedata.category(c).startswith("P") or c == "`"))


def destination(target, page, images):
    """The destination in docc of a link on a page, or None if it leads out of the site."""
    if "://" in target:
        return target
    path, _, fragment = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if os.path.splitext(path)[1] in (".svg", ".png"):
        images.add(path)
        return os.path.basename(path)
    if path not in documents():
        return None
    if not fragment:
        return f"doc:{article(path)}"
    found = [heading for heading in headings(path) if github_anchor(heading) == fragment]
    # docc reports what is not found here.
    return f"doc:{article(path)}#{docc_anchor(found[0]) if found else fragment}"


LINK = re.compile(r"(!?)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)")


def converted(page, images):
    with open(page, encoding="utf-8") as file:
        text = file.read()

    def link(match):
        to = destination(match[3], page, images)
        if to is None:
            return match[2]
        return f"{match[1]}[{match[2]}]({to})"

    paragraphs, prose_lines = [], []

    def flush():
        # A link may begin on one line and end on the next.
        if prose_lines:
            paragraphs.append(LINK.sub(link, "\n".join(prose_lines)))
            prose_lines.clear()

    for line, prose in lines_outside_code(text):
        if not prose:
            flush()
            paragraphs.append(line)
        elif not re.fullmatch(r"<!--.*-->", line):
            prose_lines.append(line)
    flush()
    return "\n".join(paragraphs)


def main():
    folder = sys.argv[1]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    images = set()
    modules = sorted(glob.glob("Sources/**/*.docc/*.md", recursive=True))
    for file in modules:
        shutil.copy(file, folder)
    for page in documents():
        text = converted(page, images)
        if page == "README.md":
            title, rest = text.split("\n", 1)
            text = f"{title}\n\n@Metadata {{\n  @TechnologyRoot\n}}\n{rest}\n## Topics\n"
            text += "\n### Libraries\n\n"
            text += "".join(f"- ``/{os.path.basename(file).removesuffix('.md')}``\n" for file in modules)
            for name, pages in GROUPS:
                text += f"\n### {name}\n\n" + "".join(f"- <doc:{article(page)}>\n" for page in pages)
        elif article(page) == "decisions":
            text = re.sub(r"^## ", "### ", text, flags=re.M).replace("### ", "## Topics\n\n### ", 1)
            text = re.sub(r"^- \[.*\]\((doc:.*)\)$", r"- <\1>", text, flags=re.M)
        with open(f"{folder}/{article(page)}.md", "w", encoding="utf-8") as file:
            file.write(text)
    for image in images:
        shutil.copy(image, folder)


if __name__ == "__main__":
    main()
