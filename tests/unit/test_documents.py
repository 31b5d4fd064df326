"""What the documents say about the code is true."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fdcodec import container, limits
from fdcodec.container import Header, constants
from fdcodec.model import fdt_file

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("corpus/*.md")])
SPEC = (ROOT / "docs/spec/fdc-0.md").read_text("utf-8")
documents = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def spec_constants(clause: int) -> dict[str, object]:
    """Return names and values of the tables of constants below one numbered heading of the specification."""
    text = re.search(rf"^## {clause} .*?(?=^## |\Z)", SPEC, re.M | re.S).group()
    return {name: ast.literal_eval(value) for name, value in re.findall(r"^\| `([A-Z_]+)` \| `(.+?)` \|", text, re.M)}


def code_constants(module: object) -> dict[str, object]:
    """Return the constants of a module."""
    return {name: value for name, value in vars(module).items() if name.isupper()}


def test_container_constants_are_those_of_the_specification():
    """Clause 2 and the code have the same constants with the same values."""
    assert spec_constants(2) == {**code_constants(constants), **code_constants(limits)}


def test_signature_of_class_models_is_that_of_the_specification():
    """Clause 8 and the code have the same signature of `.fdt` files."""
    assert spec_constants(8) == {"FDT_SIGNATURE": fdt_file.SIGNATURE}


def test_examples_of_the_specification():
    """The hexadecimal examples of clause 2.5 parse to the fields that the text gives."""
    compact, chunked = (bytes.fromhex(dump) for dump in re.findall(r"^```\n(8b [0-9a-f\s]+)```", SPEC, re.M))
    file = container.read(compact)
    assert (file.header, file.payloads) == (Header(5, 3, 3, parameters=b"\1\2"), (b"\xaa\xbb\xcc",))
    assert file.model_ref.hex() == "af5570f5"
    file = container.read(chunked)
    assert (file.header, file.payloads) == (Header(5, 3, 1, 16, True, True), (b"\xaa\xbb\xcc",))
    assert file.metadata.icc == b"icc"


def test_media_type_is_known_by_the_signatures():
    """What clause 2.8 gives to file(1) and to desktops has both signatures, and the suffix."""
    for_file, for_desktops = re.search(r"### 2\.8 .*?```\n(.*?)```.*?```xml\n(.*?)```", SPEC, re.S).groups()
    root = ElementTree.fromstring(for_desktops)
    matches = [element.get("value") for element in root.iter() if element.tag.endswith("}match")]
    for strings in (re.findall(r"^0 string (\S+)", for_file, re.M), matches):
        signatures = [text.encode().decode("unicode_escape").encode("latin-1") for text in strings]
        assert signatures == [constants.SIGNATURE, constants.COMPACT_SIGNATURE]
    assert ('type="image/x-fdc"' in for_desktops, 'pattern="*.fdc"' in for_desktops) == (True, True)
    assert for_file.count("!:mime image/x-fdc\n") == 2


@documents
def test_paths_exist(document):
    """Every path that a document names is there."""
    named = re.findall(r"`((?:codec|tests|docs|tools|corpus)(?:/[\w.-]+)*)`", document.read_text("utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_stages_of_the_overview_exist():
    """Every path of the overview's tables is below the package."""
    rows = re.findall(r"^\|.*\|$", (ROOT / "docs/overview.md").read_text("utf-8"), re.M)
    named = [path for row in rows for path in re.findall(r"`([a-z_]+(?:/[a-z_.]+|\.py))`", row)]
    package = ROOT / "codec/fdcodec"
    assert len(named) > 30
    assert [path for path in named if not ((package / path).exists() or (ROOT / path).exists())] == []


@documents
def test_links_lead_somewhere(document):
    """Every link within the repository leads to a file."""
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text("utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


@documents
def test_anchors_are_headings(document):
    """Every link to a place in a document leads to a heading there."""
    for name, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", document.read_text("utf-8")):
        target = document.parent / name if name else document
        headings = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.M)
        assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_words_of_the_glossary_are_in_order():
    """Each word of the glossary is there once, in alphabetical order, so that it is found."""
    rows = re.findall(r"^\| (.+?) \|.*\|.*\|$", (ROOT / "docs/glossary.md").read_text("utf-8"), re.M)[1:]
    assert rows == sorted(set(rows), key=lambda word: word.lower().replace("-", ""))


def python_examples(name: str) -> list[str]:
    """Return the Python examples of a document."""
    return re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize("name", ["README.md", "docs/python.md"])
def test_python_examples_run(name):
    """The Python examples of a document run as they stand."""
    for code in python_examples(name):
        subprocess.run([sys.executable, "-c", code], check=True)


def test_examples_on_learning_run_in_order():
    """The Python examples on learning run one after another, from the root of the repository."""
    code = "\n".join(python_examples("docs/learning.md"))
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_table_of_learners_has_every_parameter():
    """The table of estimators names exactly the parameters that each has."""
    from fdcodec import learning

    rows = re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|", (ROOT / "docs/learning.md").read_text("utf-8"), re.M)
    named = {name: {"sparsity", "n_jobs", *re.findall(r"`(\w+)`", cell)} for name, cell in rows}
    for parameters in named.values():
        parameters |= {"tol", "callback"} if "n_iterations" in parameters else set()
    classes = {name: item for name, item in vars(learning).items() if isinstance(item, type)}
    assert named == {name: set(learner().get_params()) for name, learner in classes.items()}


def test_readme_and_gate_run_the_same_tests():
    """The README's test command is the last thing the gate runs."""
    command = re.search(r"\.venv/bin/(python -m pytest.*)", (ROOT / "README.md").read_text("utf-8")).group(1)
    assert (ROOT / ".ci/run").read_text("utf-8").splitlines()[-1] == command


def spec_clauses() -> set[str]:
    """Return the numbers of the clauses of both specifications and of the items in them, but for the conventions."""
    text = SPEC + (ROOT / "docs/spec/lossless.md").read_text("utf-8")
    found = set(re.findall(r"^(L\d\.\d+) ", text, re.M))
    for clause, body in re.findall(r"^#+ (L?\d[\d.]*) .*?\n(.*?)(?=^#|\Z)", text, re.M | re.S):
        items = [] if clause == "1" else re.findall(r"^(\d+)\. ", body, re.M)
        found |= {clause, *(f"{clause}.{item}" for item in items)}
    return found


@pytest.mark.parametrize("folder", ["codec", "tests"])
def test_cited_clauses_exist(folder):
    """Every clause that a source cites is in the specification."""
    number = r"L?\d+(?:\.\d+)*"
    citations = [
        (path.name, clause)
        for path in (ROOT / folder).rglob("*.py")
        for cited in re.findall(rf"SPEC ({number}(?:(?:,| and| to) {number})*)", path.read_text("utf-8"))
        for clause in re.findall(number, cited)
    ]
    assert len(citations) > 10
    assert [(name, clause) for name, clause in citations if clause not in spec_clauses()] == []


def test_table_of_options_and_arguments_is_right():
    """Every argument of the functions is in the table of python.md, and every option there is one of the commands."""
    import fdcodec
    from fdcodec.cli.main import fdcodec_group

    document = (ROOT / "docs/python.md").read_text("utf-8")
    table = document.partition("| on the command line | in Python |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`([^`]+)`", table))
    functions = (fdcodec.encode, fdcodec.decode, fdcodec.decode_region, fdcodec.info, fdcodec.check, fdcodec.learn)
    arguments = {name for function in functions for name in inspect.signature(function).parameters}
    assert arguments - named == {"image", "data", "region", "images", "progress"}
    commands = [fdcodec_group.get_command(None, name) for name in ("encode", "decode", "info", "check", "learn")]
    options = {name.partition(" ")[2] or name for name in named if re.fullmatch(r"(\w+ )?--?[\w-]+", name)}
    known = {text for command in commands for option in command.params for text in option.opts + option.secondary_opts}
    assert options <= known


def listed_exit_codes() -> list[int]:
    """Return the exit codes in the help of the command, in its order."""
    from fdcodec.cli.main import fdcodec_group

    return [int(code) for code in re.findall(r"\b(\d+) \w", fdcodec_group.help.partition("Exit codes:")[2])]


def test_every_error_has_its_exit_code_in_the_help():
    """The exit codes of the errors, of warnings and of an interrupt are those that the help lists, each once."""
    from fdcodec import errors
    from fdcodec.cli.main import INTERRUPTED

    codes = {INTERRUPTED, *(error.exit_code for error in vars(errors).values() if isinstance(error, type))}
    assert listed_exit_codes() == sorted(codes)


def test_exit_codes_of_the_document_are_those_of_the_help():
    """The table of command.md and the help list the same exit codes."""
    table = (ROOT / "docs/command.md").read_text("utf-8").partition("| exit code |")[2].partition("\n\n")[0]
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", table, re.M)] == listed_exit_codes()
