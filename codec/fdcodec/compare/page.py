"""The frame, the style and the common parts of the HTML page of a report."""

import base64
from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from fdcodec.words import counted

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d8dee4; --paper: #ffffff; --panel: #f6f8fa;
  --accent: #cf3f35; --save: #2da44e40; --cost: #cf222e38; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --paper: #0d1117;
  --panel: #151b23; --accent: #f47067; --save: #2ea04359; --cost: #f8514952; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, "Segoe UI", sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 2.5rem 1.5rem 5rem; }
header p { color: var(--soft); margin: .2rem 0 0; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0; letter-spacing: -.015em; }
h2 { font-size: 1.25rem; margin: 3.2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 2rem 0 .5rem; }
h3 small { font-weight: 400; color: var(--soft); margin-left: .5em; }
.note { color: var(--soft); max-width: 78ch; margin: .3rem 0 1rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(250px, 1fr)); gap: 1rem; margin-top: 1.6rem; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.2rem; }
.tile b { display: block; font-size: 2.1rem; line-height: 1.15; font-weight: 650; letter-spacing: -.02em;
  color: var(--accent); }

.tile span { color: var(--soft); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 360px), 1fr)); gap: 1rem; }
.plots svg { width: 100%; height: auto; display: block; }
.plots div, .scroll { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; }
.plots div { padding: .8rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: .5rem .8rem; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); }
thead th { border-top: 0; font-weight: 600; color: var(--soft); vertical-align: bottom; }
th:first-child { text-align: left; }
tbody th { font-weight: 500; }
tr.own th { font-weight: 700; }
td small { display: block; color: var(--soft); font-size: .78rem; }
td.save { background: linear-gradient(to left, var(--save) var(--w), transparent 0) right / 100% 100% no-repeat; }
td.cost { background: linear-gradient(to left, var(--cost) var(--w), transparent 0) right / 100% 100% no-repeat; }
td.none { color: var(--soft); }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 3px; margin-right: .6em; }
th img { height: 40px; width: 60px; object-fit: cover; border-radius: 4px; vertical-align: middle; margin-right: .7em; }
.detail { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(45%, 215px), 1fr)); gap: .9rem; }
figure { margin: 0; }
figure a { position: relative; display: block; border-radius: 6px; overflow: hidden; border: 1px solid var(--line); }
figure img { display: block; width: 100%; image-rendering: pixelated; }
figure.own a { outline: 2px solid var(--accent); outline-offset: -1px; }
.whole { aspect-ratio: 1; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; display: flex;
  align-items: center; justify-content: center; overflow: hidden; }
.frame { position: relative; max-width: 100%; max-height: 100%; }
.frame img { image-rendering: auto; height: 100%; }
.frame i { position: absolute; border: 2px solid var(--accent); box-shadow: 0 0 0 1px #fffa; }
figcaption { font-size: .84rem; line-height: 1.35; margin-top: .35rem; }
figcaption small { color: var(--soft); display: block; font-size: .8rem; }
figure a:is(:hover, :focus)::after { content: ""; position: absolute; inset: 0; background: var(--original);
  background-size: 100% 100%; image-rendering: pixelated; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.4rem; margin: 0; font-size: .92rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: .88em ui-monospace, Menlo, Consolas, monospace; }
@media print { .detail { grid-template-columns: repeat(5, 1fr); } }
"""

PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>$style</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
""")


def page(title: str, body: str) -> str:
    """Return a complete HTML document that needs no other file."""
    return PAGE.substitute(title=title, style=STYLE, body=body)


def header(title: str, subject: str, environment: dict[str, Any], tiles: Iterable[str]) -> str:
    """Return the head of a page: what was measured by what on which machine, and the figures to read first."""
    versions, machine = environment["versions"], environment["machine"]
    by = f"{subject}, measured by fdcodec {versions['fdcodec']} on {machine['processor']}, {environment['date']}"
    return (
        f'<header>\n<h1>{escape(title)}</h1>\n<p>{escape(by)}</p>\n</header>\n<div class="tiles">{"".join(tiles)}</div>'
    )


def tile(figure: str, meaning: str) -> str:
    """Return a figure and what it means, in text."""
    return f'<div class="tile"><b>{escape(figure)}</b><span>{escape(meaning)}</span></div>'


def section(title: str, note: str, content: str) -> str:
    """Return a headed section with one explaining paragraph; `note` and `content` are HTML."""
    return f'<section>\n<h2>{title}</h2>\n<p class="note">{note}</p>\n{content}\n</section>'


def table(header: list[str], rows: list[str]) -> str:
    """Return a table that scrolls sideways when it is too wide; `rows` are complete ``<tr>`` elements."""
    head = "".join(f"<th>{cell}</th>" for cell in header)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def data_url(path: Path) -> str:
    """Return a PNG file as text to embed."""
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


def needs(skipped: dict[str, str]) -> dict[str, str]:
    """Return the lines of `definitions` for the codecs that were left out, by label with what each misses."""
    return {f"{label} (skipped)": f"needs {missing}" for label, missing in skipped.items()}


def definitions(lines: dict[str, str], environment: dict[str, Any]) -> str:
    """Return how it was measured, in text: what `lines` say of each term, then machine, versions and command."""
    machine = environment["machine"]
    lines = lines | {
        "Machine": f"{machine['processor']}, {counted(machine['cores'], 'core')}, {machine['system']}",
        "Versions": ", ".join(f"{name} {version}" for name, version in environment["versions"].items()),
    }
    items = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in lines.items())
    return f"<dl>{items}<dt>Command</dt><dd><code>{escape(environment['command'])}</code></dd></dl>"
