"""Class models: where they are found, by name, by hash and by path."""

import os
from pathlib import Path

import numpy as np
import pytest

from fdcodec.errors import ParameterError, TransformNotFoundError
from fdcodec.model import ClassModel, find, get, names, registry, resolve
from fdcodec.model.body import GroupTransform
from fdcodec.model.registry import PRESETS_DIR, check_name, is_preset, presets

TRANSFORM = GroupTransform(np.array([[0, 1]], np.uint8), np.array([7], np.uint16), np.arange(16, dtype=np.uint8))
SMALL = ClassModel("small", {(0, 3): TRANSFORM})


def kept(path):
    """Keep a model at a path, by whatever name."""
    SMALL.save(path.with_name("a.fdt"))
    path.with_name("a.fdt").rename(path)


def test_models_are_found_in_the_model_path(tmp_path, monkeypatch):
    """A directory of FDCODEC_MODEL_PATH adds its models, those with a preset's name excepted."""
    SMALL.save(tmp_path / "mine.fdt")
    kept(tmp_path / "photo.fdt")
    with pytest.raises(TransformNotFoundError, match=SMALL.hash.hex()):
        find(SMALL.hash)
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    assert "mine" in names()
    assert get("photo").hash != SMALL.hash
    assert find(SMALL.hash).hash == resolve("mine").hash == resolve(tmp_path / "mine.fdt").hash == SMALL.hash
    assert not is_preset(SMALL)


def test_models_are_found_by_hash_under_a_name_that_is_taken(tmp_path, monkeypatch):
    """A model in the model path whose name is a preset's is found by its hash all the same."""
    kept(tmp_path / "photo.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    assert find(SMALL.hash).hash == SMALL.hash
    SMALL.save(tmp_path / "mine.fdt")
    assert find(SMALL.hash).name == "mine"  # which finds it, and "photo" does not


def test_what_is_no_file_is_no_model(tmp_path, monkeypatch):
    """Directories, broken links and other files have no names; a suffix in capitals is that of a model."""
    (tmp_path / "folder.fdt").mkdir()
    (tmp_path / "link.fdt").symlink_to("nothing")
    (tmp_path / "text.fdt").write_text("a list of films")
    SMALL.save(tmp_path / "MINE.FDT")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    assert not {"folder", "link", "text"} & set(names())
    assert resolve("MINE").hash == resolve(str(tmp_path / "MINE.FDT")).hash == SMALL.hash


def test_damaged_file_hides_no_other_model(tmp_path, monkeypatch):
    """A damaged file in the model path leaves the others usable."""
    (tmp_path / "a.fdt").write_bytes(b"damaged")
    SMALL.save(tmp_path / "b.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    assert find(SMALL.hash).hash == SMALL.hash


def test_tilde_in_the_model_path_is_the_home_directory(tmp_path, monkeypatch):
    """A tilde is expanded in every directory of the model path; that of an unknown user hides no other directory."""
    SMALL.save(tmp_path / "mine.fdt")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("FDCODEC_MODEL_PATH", os.pathsep.join(["~no-such-user/models", "~"]))
    assert find(SMALL.hash).hash == SMALL.hash


@pytest.mark.parametrize(("name", "meaning"), [("photo", "a preset"), ("auto", "the choice among the presets")])
def test_model_is_not_saved_where_no_name_finds_it(tmp_path, name, meaning):
    """A model is not saved by a name that means another; a preset may be by its own, and comes back."""
    for model in (SMALL, get("dct")):
        with pytest.raises(
            ParameterError, match=rf"^path: {name} means {meaning}, not .*{name}\.fdt; name the model otherwise"
        ):
            model.save(tmp_path / f"{name}.fdt")
    assert not list(tmp_path.iterdir())
    check_name(PRESETS_DIR / "photo.fdt", "path")  # which is what the name means
    get("photo").save(tmp_path / "photo.fdt")
    assert resolve(tmp_path / "photo.fdt").hash == get("photo").hash


def test_reference_that_two_models_share_is_refused(tmp_path, monkeypatch):
    """Where a compact file's four bytes begin two hashes, the error names both models; eight bytes tell them apart."""
    pairs, order = np.array([[0, 1], [0, 2]], np.uint8), np.arange(16, dtype=np.uint8)
    for name, angles in (("one", (58, 756)), ("two", (66, 203))):  # found by trying: both begin with 57d0c367
        model = ClassModel(name, {(0, 3): GroupTransform(pairs, np.array(angles, np.uint16), order)})
        model.save(tmp_path / f"{name}.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    with pytest.raises(TransformNotFoundError, match=r"57d0c367 could be any of one, two; give the \.fdt"):
        find(get("one").hash[:4])
    assert [find(get(name).hash[:8]).name for name in ("one", "two")] == ["one", "two"]
    assert find(get("one").hash[:4], get("two")).name == "two"


def test_a_preset_comes_before_a_model_that_shares_its_reference(tmp_path, monkeypatch):
    """A reference that fits one preset is that, whatever else of the model path begins alike (SPEC 2.4)."""
    first_bytes = [preset.hash[:1] for preset in presets()]
    preset = next(preset for preset in presets() if first_bytes.count(preset.hash[:1]) == 1)
    transforms = (TRANSFORM._replace(angles=np.array([angle], np.uint16)) for angle in range(1024))
    models = (ClassModel("other", {(0, 3): transform}) for transform in transforms)
    next(model for model in models if model.hash[:1] == preset.hash[:1]).save(tmp_path / "a.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    assert find(preset.hash[:1]).name == preset.name


def test_only_the_preset_that_a_hash_names_is_parsed(monkeypatch):
    """Each preset is found by its hash, as a process first looks for it, without parsing another."""
    load, parsed = ClassModel.load, []
    monkeypatch.setattr(ClassModel, "load", lambda path: parsed.append(path.stem) or load(path))
    for preset in presets():
        parsed.clear()
        registry._load.cache_clear()
        assert find(preset.hash[:4]).name == preset.name
        assert parsed == [preset.name]


def test_preset_that_was_replaced_is_not_taken_for_the_one_before(monkeypatch):
    """If the file of a preset holds another model than when the process first looked, its old hash finds nothing."""
    other = bytes(32)
    monkeypatch.setattr(registry, "_shipped", lambda: {other: PRESETS_DIR / "dct.fdt"})
    with pytest.raises(TransformNotFoundError, match=other.hex()):
        find(other)
    monkeypatch.setattr(registry, "_shipped", lambda: {get("photo").hash: PRESETS_DIR / "dct.fdt"})
    assert find(get("photo").hash).name == "photo"


def test_file_that_cannot_be_read_hides_no_other_model(tmp_path, monkeypatch):
    """A file in the model path that the system refuses to read leaves the others usable."""
    load = ClassModel.load

    def guarded(path):
        if path.name == "a.fdt":
            raise PermissionError(13, "Permission denied", str(path))
        return load(path)

    for name in ("a.fdt", "b.fdt"):
        SMALL.save(tmp_path / name)
    monkeypatch.setattr(ClassModel, "load", guarded)
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    assert find(SMALL.hash).name == "b"


def test_presets_are_in_order_of_their_names(monkeypatch):
    """Presets come by name, in whatever order the file system lists them: the first of two equals is one everywhere."""
    listing = Path.iterdir
    monkeypatch.setattr(Path, "iterdir", lambda self: iter(sorted(listing(self), reverse=True)))
    assert [preset.name for preset in presets()] == sorted(preset.name for preset in presets())


def test_model_that_was_replaced_is_read_anew(tmp_path, monkeypatch):
    """A file that was written again since it was read gives its new model."""
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    for number, model in enumerate((SMALL, get("dct"))):
        model.save(tmp_path / "mine.fdt")
        os.utime(tmp_path / "mine.fdt", (number, number))
        assert get("mine").hash == model.hash


def test_preset_is_known_by_its_hash(tmp_path):
    """A copy of a preset, whatever its name, is one, as every reader finds it."""
    get("photo").save(tmp_path / "mine.fdt")
    assert is_preset(resolve(tmp_path / "mine.fdt"))


def test_own_model_comes_first():
    """A model of the caller's own is taken where its hash begins with the reference, and only there."""
    assert find(SMALL.hash[:4], SMALL) is SMALL
    assert find(get("dct").hash, SMALL).name == "dct"


@pytest.mark.parametrize("transform", ["nowhere", "nowhere.fdt", ""])
def test_unknown_transform(transform):
    """A name that no model has lists those there are; a path without a file is said."""
    with pytest.raises(TransformNotFoundError, match=r"photo|nowhere\.fdt"):
        resolve(transform)


@pytest.mark.parametrize("name", ["x" * 5000, "d/" * 3000 + "m", "a\0b"], ids=["name", "path", "null"])
def test_what_cannot_be_a_path_is_a_wrong_argument(name):
    """A path that no file can have is told by the argument, and cut short."""
    for given in (f"{name}.fdt", Path(name)):
        with pytest.raises(ParameterError, match=r"^parent: '.{3,28}' cannot be a path: .*; give another$"):
            resolve(given, "parent")


def test_directory_is_no_model(tmp_path):
    """A path that is there, but is no file, is a wrong argument."""
    (tmp_path / "a.fdt").mkdir()
    with pytest.raises(ParameterError, match=r"a\.fdt is not an \.fdt file"):
        resolve(tmp_path / "a.fdt")


def test_a_pipe_in_the_model_path_is_not_waited_for(tmp_path, monkeypatch):
    """What has the suffix of class models and is a pipe is none: reading it would wait for a writer."""
    os.mkfifo(tmp_path / "pipe.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    assert "pipe" not in names()
    assert find(get("photo").hash).name == "photo"


def test_a_model_path_that_cannot_be_reached_hides_nothing(monkeypatch):
    """A directory whose name is too long holds no models, as what is no directory, and messages say so."""
    monkeypatch.setenv("FDCODEC_MODEL_PATH", "x" * 300)
    assert find(get("photo").hash).name == "photo"
    with pytest.raises(TransformNotFoundError, match=r"x{300} \(is no directory\)"):
        find(bytes(16))
