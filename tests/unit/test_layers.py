"""The architecture, held by reading the sources: imports go one way, numba stays in its room."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fdcodec.format import contexts

PACKAGE = Path(__file__).parents[2] / "codec" / "fdcodec"
SOURCES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

LAYERS = [
    {"aliases", "errors", "limits", "parallel", "paths", "rates", "words"},
    {"format"},
    {"kernels"},
    {"transform"},
    {"container", "learning", "presets"},
    {"image"},
    {"model"},
    {"coding", "filtering"},
    {"choice", "codec", "tiles", "training"},
    {"api", "api_learn", "arguments", "drawn", "reader", "sources", "targets", "rate_control"}
    | {"decoding", "first_use", "inspection", "recovery", "verification"},
    {"integrations", "compare", "fdcodec"},
    {"cli", "__main__"},
]
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}
ROOMS = ["jit", "simd", "reconstruction", "filters", "syntax", "lossless", "search", "learning", "training"]
"""The rooms of kernels/, each of which imports only those before it."""


def imports_of(source: Path) -> Iterator[str]:
    """Yield the full names of the modules that a source file imports, wherever in the file it does so."""
    for node in ast.walk(ast.parse((PACKAGE / source).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer_of(module: str) -> int:
    """Return the rank of a module's layer."""
    parts = module.split(".")
    return RANKS.get(parts[1] if len(parts) > 1 else "fdcodec", RANKS["fdcodec"])


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_imports_go_down(source):
    """No module imports one of a layer above its own."""
    own = layer_of(".".join(["fdcodec", *source.with_suffix("").parts]).removesuffix(".__init__"))
    used = {name for name in imports_of(source) if name.startswith("fdcodec")}
    assert [name for name in sorted(used) if layer_of(name) > own] == []


@pytest.mark.parametrize("room", ROOMS[1:])
def test_rooms_of_kernels_import_down(room):
    """No kernel imports one of a later room."""
    sources = (path.relative_to(PACKAGE) for path in (PACKAGE / "kernels" / room).glob("*.py"))
    used = {name.split(".")[2] for source in sources for name in imports_of(source) if ".kernels." in name}
    assert used <= set(ROOMS[: ROOMS.index(room) + 1])


@pytest.mark.parametrize("source", [source for source in SOURCES if "search" in source.parts], ids=str)
def test_contexts_have_one_formula(source):
    """The encoder's prices ask the syntax for contexts: they know how many there are, not where an element's begin."""
    first = {name for name in vars(contexts) if not name.startswith("N_") and not name.endswith(("_BINS", "_BITS"))}
    used = set(re.findall(r"\bctx\.(\w+)", (PACKAGE / source).read_text()))
    assert used & first <= {"SIGNIFICANT", "ABOVE_ONE"}  # to which `coefficient_context` is relative


@pytest.mark.parametrize("source", [source for source in SOURCES if source.parts[0] != "kernels"], ids=str)
def test_numba_stays_in_its_room(source):
    """Only kernels/ imports numba, except where the version is asked for."""
    assert [name for name in imports_of(source) if name.split(".")[0] == "numba"] == []


def test_kernels_use_the_one_decorator():
    """No kernel is compiled other than by `fdcodec.kernels.jit.kernel`."""
    strays = []
    for source in SOURCES:
        for node in ast.walk(ast.parse((PACKAGE / source).read_text())):
            decorators = getattr(node, "decorator_list", [])
            strays += [f"{source}:{node.lineno}" for d in decorators if "jit" in ast.unparse(d)]
    assert strays == []


def kernels_of(source: Path) -> Iterator[tuple[ast.FunctionDef, bool]]:
    """Yield the kernels of a source file, and whether each says that it allocates."""
    for node in ast.parse((PACKAGE / source).read_text()).body:
        for call in getattr(node, "decorator_list", []):
            if isinstance(node, ast.FunctionDef) and isinstance(call, ast.Call) and ast.unparse(call.func) == "kernel":
                yield node, "allocates" in {keyword.arg for keyword in call.keywords}


def makes_arrays(node: ast.AST) -> bool:
    """Tell whether a piece of a kernel creates an array, or copies one into a slice."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in {"copy", "empty", "empty_like", "eye", "full", "ones", "zeros"}
    into_slice = isinstance(node, ast.Assign) and any(isinstance(part, ast.Slice) for part in ast.walk(node.targets[0]))
    return into_slice and not isinstance(node.value, ast.Constant | ast.UnaryOp)


def test_only_kernels_that_allocate_say_so():
    """Every kernel that says so makes arrays, or calls one that says so; without it, calls are faster."""
    sources = [source for source in SOURCES if source.parts[0] == "kernels"]
    kernels = [(source, *kernel) for source in sources for kernel in kernels_of(source)]
    allocating = {node.name for _, node, allocates in kernels if allocates}
    idle = [
        f"{source}:{node.lineno} {node.name}"
        for source, node, allocates in kernels
        if allocates
        and not any(makes_arrays(part) for part in ast.walk(node))
        and not {ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)} & allocating
    ]
    assert allocating
    assert idle == []


def modules_after(code: str) -> set[str]:
    """Return the names of the modules that a fresh interpreter has loaded after `code`."""
    script = f"{code}\nimport sys; print(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split())


def test_importing_the_package_loads_nothing_heavy():
    """`import fdcodec` loads neither numba nor numpy nor Pillow."""
    assert modules_after("import fdcodec") & {"numba", "numpy", "PIL", "construct"} == set()


@pytest.mark.parametrize(
    "use",
    [
        "import fdcodec.container",
        "import fdcodec.errors, fdcodec; fdcodec.read_header, fdcodec.info",
        "from fdcodec.image.reading import read_image",
        "import fdcodec; fdcodec.register_pillow()",
        "from fdcodec.cli.main import fdcodec_group; fdcodec_group(['--help'], standalone_mode=False)",
        "from fdcodec.cli.main import fdcodec_group; fdcodec_group(['encode', '--help'], standalone_mode=False)",
        "from fdcodec.cli.main import fdcodec_group; fdcodec_group(['compare', '--help'], standalone_mode=False)",
    ],
)
def test_what_must_not_load_numba(use):
    """Headers, image files and every help text do without numba."""
    assert "numba" not in modules_after(use)


def test_decoding_loads_no_search():
    """A decoder has nothing of the encoder's search in it."""
    loaded = modules_after("import fdcodec.decoding, fdcodec.recovery, fdcodec.reader")
    assert "fdcodec.kernels.syntax.trees" in loaded
    assert {name for name in loaded if name.startswith("fdcodec.kernels.search")} == set()
