"""Training of learned modes: rules that hold for any blocks, and what becomes of classes that need them or do not."""

import numpy as np
import pytest
from tests.unit.test_learned_modes import copying_mode, random_transform

from fdcodec.format.constants import LEARNED, N_GROUPS, N_MODES
from fdcodec.kernels.reconstruction.blocks import starts_block
from fdcodec.kernels.reconstruction.learned_modes import learned_inputs
from fdcodec.kernels.reconstruction.maps import block_at, new_maps
from fdcodec.kernels.reconstruction.matrices import dct_matrix
from fdcodec.kernels.reconstruction.planes import new_work, predict_block
from fdcodec.kernels.reconstruction.tables import build_tables
from fdcodec.kernels.reconstruction.transforms import forward_transform
from fdcodec.kernels.training.learned_modes import collect_blocks, price_modes
from fdcodec.model import ClassModel
from fdcodec.training import learned
from fdcodec.training.learned import MIN_CLUSTER, train_learned
from fdcodec.training.learned_samples import Blocks, BlockSamples, _inputs, _places
from fdcodec.training.predictors import (
    Mode,
    bits_of,
    choose_bases,
    coefficients,
    finished,
    fit_predictor,
    learn_mode_rotations,
    matrix_of,
    mode_of,
    start_mode,
)
from fdcodec.training.traces import trace
from fdcodec.training.transforms import RATE_STEP, ZoneSamples

PLAIN = build_tables({})
PARENT = ClassModel("parent")


def strokes(seed, side=160, roughness=18):
    """Return a gray image of short thin lines; on rough paper it is no screen."""
    rng = np.random.default_rng(seed)
    drawn = np.zeros((side, side), np.uint8)
    for y, x, length in zip(*rng.integers(0, side, (2, 400)), rng.integers(2, 9, 400), strict=True):
        if length % 2:
            drawn[y, x : x + length] = 200
        else:
            drawn[y : y + length, x] = 200
    return (rng.integers(230, 230 + roughness, (side, side)) - drawn).astype(np.uint8)[:, :, None]


def samples_of(images, steps=(12.0, 24.0)):
    """Return the blocks of images encoded at steps with the plain model."""
    samples = BlockSamples([False] * len(images) * len(steps))
    for image in images:
        for step in steps:
            samples.add(trace(image, step, ClassModel("plain"), effort=4))
    return samples


@pytest.mark.parametrize("log2_size", [2, 3, 4])
def test_training_reads_borders_as_the_decoder_does(log2_size):
    """Inputs and mean in training are those of the kernel."""
    references = np.random.default_rng(1).integers(0, 2040, (20, (4 << log2_size) + 1)).astype(np.int32)
    inputs, means = _inputs(references, log2_size)
    for row, border, mean in zip(references, inputs, means, strict=True):
        own = np.zeros(32, np.int32)
        assert mean == learned_inputs(row, log2_size, own)
        assert border.tolist() == own[: len(border)].tolist()


def test_price_is_that_of_the_cheapest_mode():
    """The price of a block is the least sum of a mode's rate and its residual's log-rate."""
    rng = np.random.default_rng(2)
    plane, original = rng.integers(0, 2040, (2, 32, 32)).astype(np.int32)
    references, originals = np.zeros((1, 33), np.int32), np.zeros((1, 64), np.int32)
    bits, contexts = np.zeros((1, N_MODES), np.float32), np.full((4000, 3), 1 << 15, np.int32)
    source = (original, plane, new_maps(32, 32), contexts)
    collect_blocks(source, 3, np.array([[16, 8]]), references, originals, bits, np.zeros(8, np.int64))
    assert original[8:16, 16:24].ravel().tolist() == originals[0].tolist()
    bits[0] = rng.uniform(1, 30, N_MODES)
    expected, work, step = [], new_work(), 80.0
    for mode in range(N_MODES):
        predict_block(plane, plane, (16, 8, 3, 3), mode, build_tables({}), work)
        work.residual[:8, :8] = original[8:16, 16:24] - work.prediction[:8, :8]
        forward_transform(work.residual, mode, 3, 3, PLAIN, work, work.coefficients)
        expected.append(bits[0, mode] + bits_of(work.coefficients[:8, :8].reshape(1, 64) / np.float32(step))[0])
    price, best = np.zeros(1, np.float32), np.zeros(1, np.int32)
    price_modes((references, originals, bits), 3, np.array([step], np.float32), RATE_STEP, PLAIN, work, price, best)
    assert int(np.argmin(expected)) == best[0]
    assert min(expected) == pytest.approx(float(price[0]), rel=1e-4)


@pytest.mark.parametrize("log2_size", [2, 3, 4])
def test_fitting_lowers_the_log_rate_and_ends_as_the_decoder_predicts(log2_size):
    """Fitting lowers the log-rate by low coefficients alone; the finished mode predicts, to a unit, as decoders do."""
    rng = np.random.default_rng(3)
    n, size = 600, 1 << log2_size
    inputs = rng.normal(0, 4, (n, (2 << min(log2_size, 3)) + 1)).astype(np.float32)
    mixing = rng.normal(0, 0.2, (inputs.shape[1], size * size))
    targets = (inputs @ mixing + rng.laplace(0, 0.3, (n, size * size))).astype(np.float32)
    mode = start_mode(log2_size, inputs, targets)
    rates = [bits_of(coefficients(mode, inputs, targets)).mean()]
    for _ in range(3):
        mode = fit_predictor(mode, inputs, targets)
        rates.append(bits_of(coefficients(mode, inputs, targets)).mean())
    assert rates[-1] < rates[0]
    basis = dct_matrix(size)[8:]
    assert np.abs(basis @ mode.weights.reshape(-1, size, size)).max(initial=0) < 1e-5
    assert np.abs(mode.weights.reshape(-1, size, size) @ basis.T).max(initial=0) < 1e-5
    learned, exact = finished(mode)
    plane = rng.integers(0, 2040, (32, 32)).astype(np.int32)
    work, border = new_work(), np.zeros(32, np.int32)
    predict_block(plane, plane, (16, 16, log2_size, log2_size), LEARNED, build_tables({}, [learned]), work)
    mean = learned_inputs(work.references, log2_size, border)
    predicted = mean + border[: inputs.shape[1]].astype(np.float64) @ exact.weights
    assert np.abs(np.clip(predicted, -4095, 4095) - work.prediction[:size, :size].ravel()).max() <= 1


def test_drawings_get_learned_modes():
    """A class of thin strokes gets modes that save much of the log-rate, and transforms for them only."""
    modes, transforms, gains = train_learned(samples_of([strokes(1), strokes(2)]), {}, PARENT)
    sizes = [mode.log2_size for mode in modes]
    assert gains["4"] > 0.05
    assert sizes == sorted(sizes)
    assert all(group < N_GROUPS + sizes.count(size + 2) for size, group in transforms)


def test_blocks_of_the_screen_tools_train_nothing():
    """On a screen only blocks that are predicted and transformed are read, for rotations as for learned modes."""
    traced = trace(strokes(4, roughness=1), 12.0, ClassModel("plain"))
    modes, zones = traced.maps[0].modes, ZoneSamples()
    assert (modes < 0).any()
    zones.add(traced)
    n_transformed = sum(starts_block(block_at(traced.maps[0], 4 * x, 4 * y)) for y, x in np.argwhere(modes >= 0))
    assert n_transformed == sum(len(part) for key in zones.keys for part in zones._parts[key])
    places = _places(traced, 2) // 4
    assert (modes[places[:, 1], places[:, 0]] >= 0).all()


def test_few_blocks_keep_the_modes_of_the_parent():
    """Where there are too few blocks to learn from, the model has the parent's learned modes, to the bit."""
    assert train_learned(samples_of([strokes(3, 32)]), {}, PARENT) == ((), {}, {})
    modes, transforms, _ = train_learned(samples_of([strokes(1), strokes(2)]), {}, PARENT)
    parent = ClassModel("parent", transforms, learned=modes)
    kept, added, gains = train_learned(samples_of([strokes(3, 32)]), {}, parent)
    assert gains == {}
    assert parent.hash == ClassModel("child", added, learned=kept).hash


@pytest.mark.parametrize("log2_size", [2, 3, 4])
@pytest.mark.parametrize("bases", [(0, 0), (1, 3), (2, 0), (3, 2)])
def test_training_transforms_residuals_as_the_encoder_does(log2_size, bases):
    """The matrix of a mode, bases and rotations, gives the coefficients that are scanned, to the codec's rounding."""
    size, zone = 1 << log2_size, 16 if log2_size == 2 else 64
    rotations = random_transform(zone, 4)._replace(order=np.arange(zone, dtype=np.uint8))
    tables = build_tables({(log2_size - 2, N_GROUPS): rotations}, [copying_mode(log2_size, bases)])
    (residual, expected), work = np.zeros((2, 32, 32), np.int32), new_work()
    residual[:size, :size] = np.random.default_rng(1).integers(-2000, 2000, (size, size))
    forward_transform(residual, LEARNED, log2_size, log2_size, tables, work, expected)
    matrix = matrix_of(log2_size, 4 * bases[0] + bases[1], rotations)
    found = matrix @ residual[:size, :size].ravel()
    zoned, side = found.reshape(size, size).copy(), min(size, 8)
    scanned = [divmod(place, 32) for place in tables.places[log2_size, log2_size, :zone].tolist()]
    rows, columns = zip(*scanned, strict=True)
    zoned[rows, columns] = found.reshape(size, size)[:side, :side].ravel()
    assert np.abs(zoned - expected[:size, :size]).max() <= 4
    mode = mode_of(copying_mode(log2_size, bases), rotations)
    np.testing.assert_array_equal(mode.matrix, matrix)
    assert (mode.bases, mode.weights.any()) == (4 * bases[0] + bases[1], False)


@pytest.mark.parametrize("bases", [0, 2, 5, 7, 12, 15])
def test_bases_are_those_of_the_least_log_rate(bases):
    """Residuals with few coefficients in a pair of bases are given that pair."""
    rng = np.random.default_rng(bases)
    coded = np.where(rng.random((300, 64)) < 0.1, rng.normal(0, 30, (300, 64)), 0)
    mode = Mode(3, np.zeros((17, 64), np.float32), matrix_of(3, 0), 0, random_transform(64, 1))
    found = choose_bases(mode, np.zeros((300, 17), np.float32), (coded @ matrix_of(3, bases)).astype(np.float32))
    assert (found.bases, found.transform) == (bases, None)
    np.testing.assert_array_equal(found.matrix, matrix_of(3, bases))


@pytest.mark.parametrize("n_blocks", [399, 400])
def test_few_blocks_give_a_mode_no_rotations(n_blocks):
    """Of 4x4 blocks 400 with something to code are needed, and a former transform goes with its blocks."""
    rng = np.random.default_rng(1)
    targets = np.repeat(rng.normal(0, 9, (n_blocks + 50, 8)), 2, axis=1).astype(np.float32)
    targets[n_blocks:] = 0
    mode = Mode(2, np.zeros((9, 16), np.float32), matrix_of(2, 10), 10, random_transform(16, 1))
    found = learn_mode_rotations(mode, np.zeros((n_blocks + 50, 9), np.float32), targets)
    assert (found.transform is None) == (n_blocks < 400)
    np.testing.assert_array_equal(found.matrix, matrix_of(2, 10, found.transform))
    assert bits_of(targets @ found.matrix.T).mean() <= bits_of(targets @ matrix_of(2, 10).T).mean()


@pytest.mark.parametrize(("seen", "held_out", "is_learned"), [(1500, 150, 1), (1499, 400, 0), (1600, 149, 0)])
def test_a_size_with_few_blocks_keeps_the_parents_modes(seen, held_out, is_learned, monkeypatch):
    """A size needs 1500 blocks to learn from, and a tenth of that to judge by."""
    monkeypatch.setattr(learned, "_better", lambda inherited, blocks, log2_size: (["new"], 0.1))
    blocks = blocks_of([0] * (seen + held_out))._replace(held_out=np.arange(seen + held_out) >= seen)
    parent = ClassModel("parent", learned=(copying_mode(2, (0, 0)), copying_mode(3, (1, 2))))
    modes, gain = learned._train_size(blocks, 3, parent)
    assert (modes == ["new"], gain) == ((True, 0.1) if is_learned else (False, None))
    assert is_learned or [mode.bases for mode in modes] == [6]


def blocks_of(modes, others=20.0):
    """Return blocks of which each has a best mode made by hand, at a price."""
    count = len(modes)
    nothing = np.zeros((count, 1), np.float32)
    return Blocks(nothing, nothing, np.full(count, others, np.float32), np.array(modes), np.arange(count) % 2 == 0)


def test_first_clusters_are_ranges_of_angles():
    """Planar and DC are a cluster, and angles fall in order into seven of nearly equal ranges; small ones are none."""
    modes = np.repeat(np.arange(N_MODES), MIN_CLUSTER)
    clusters = learned._first_clusters(blocks_of(modes))
    members = [sorted(set(modes[of])) for of in clusters]
    assert members[0] == [0, 1]
    assert [mode for each in members for mode in each] == list(range(N_MODES))
    sizes = [len(each) for each in members[1:]]
    assert (len(sizes), max(sizes) - min(sizes)) == (7, 1)
    assert [len(learned._first_clusters(blocks_of([7] * count))) for count in (MIN_CLUSTER, MIN_CLUSTER - 1)] == [1, 0]


def test_worth_is_the_share_of_bits_that_modes_save(monkeypatch):
    """Each block is in its cheapest mode, at the price of saying which; a mode that next to none is in is left out."""
    half = np.arange(400) < 200
    prices = np.stack([np.where(half, 5.0, 50.0), np.full(400, 50.0), np.where(half, 50.0, 5.0)], axis=1)
    monkeypatch.setattr(learned, "_prices", lambda modes, blocks: prices.astype(np.float32))
    modes, gain = learned._worth(["a", "b", "c"], blocks_of([0] * 400))
    assert modes == ["a", "c"]
    assert gain == pytest.approx(1 - (5 - np.log2(0.99 / 2 + 1e-4)) / 20, rel=1e-4)


def test_worth_of_modes_that_nothing_is_in_is_what_saying_so_costs(monkeypatch):
    """Where all modes are dearer than those made by hand, each block pays for the flag that says so."""
    monkeypatch.setattr(learned, "_prices", lambda modes, blocks: np.full((400, 2), 50, np.float32))
    assert learned._worth(["a", "b"], blocks_of([0] * 400))[1] == pytest.approx(np.log2(0.99) / 20, rel=1e-3)


@pytest.mark.parametrize(
    ("own", "inherited", "kept"),
    [(0.2, 0.1, "own"), (0.1, 0.2, "parent's"), (0.004, 0.001, None), (0.004, 0.006, "parent's")],
)
def test_modes_that_save_more_are_kept(own, inherited, kept, monkeypatch):
    """Of modes learned and those of the parent the better are kept, on blocks held out, and none that save little."""
    monkeypatch.setattr(learned, "_learn_size", lambda blocks, log2_size: (["own"], own))
    judged = []
    monkeypatch.setattr(learned, "_worth", lambda modes, blocks: (judged.append(blocks), (modes, inherited))[1])
    modes, gain = learned._better(["parent's"], blocks_of([0] * 10), 3)
    assert modes == ([] if kept is None else [kept])
    assert gain == max(own, inherited)
    assert judged[0].held_out.all()
    assert learned._better([], blocks_of([0] * 10), 3) == (["own"] if own > 0.005 else [], own)


@pytest.mark.parametrize(("gate", "n_nearly"), [(1.0, 0), (1.3, 40)])
def test_modes_are_fitted_to_blocks_that_they_serve(gate, n_nearly, monkeypatch):
    """A mode is fitted anew to the blocks that are cheapest in it, up to a gate, unless these are too few."""
    first = np.repeat([5.0, 50.0, 24.0, 90.0], [100, MIN_CLUSTER - 1, 40, 200])
    second = np.repeat([50.0, 5.0, 50.0, 90.0], [100, MIN_CLUSTER - 1, 40, 200])
    prices, fitted = np.stack([first, second], axis=1).astype(np.float32), []
    monkeypatch.setattr(learned, "_prices", lambda modes, blocks: prices)
    monkeypatch.setattr(
        learned, "_fit", lambda mode, inputs, targets, rotated: fitted.append((mode, len(inputs))) or "new"
    )
    modes, odds = learned._improve(
        ["a", "b"], learned._even_odds(["a", "b"]), blocks_of([0] * len(prices)), gate, False
    )
    assert fitted == [("a", 100 + n_nearly)]
    assert modes == ["new", "b"]
    served = 100 + MIN_CLUSTER - 1
    assert odds.learned == pytest.approx(served / len(prices))
    np.testing.assert_allclose(odds.each, [100 / served, 1 - 100 / served], rtol=1e-4)


@pytest.mark.parametrize("gain", [0.1, 0.001])
def test_blocks_held_out_train_modes_once_these_have_shown_their_worth(gain, monkeypatch):
    """Rounds see the other blocks alone, the last two with rotations; modes that save are then fitted to all blocks."""
    calls = []

    def improve(modes, odds, blocks, gate, with_rotations):
        calls.append((len(blocks.modes), pytest.approx(gate), with_rotations))
        return modes, odds

    def worth(modes, blocks):
        calls.append((len(blocks.modes), bool(blocks.held_out.all())))
        return modes, gain

    for name, fake in (("_improve", improve), ("_worth", worth), ("start_mode", lambda *seen: "mode")):
        monkeypatch.setattr(learned, name, fake)
    monkeypatch.setattr(learned, "finished", lambda mode: ("as the format holds it", "as it then predicts"))
    blocks = blocks_of([0] * 301)
    assert learned._learn_size(blocks, 3) == (["as it then predicts"], gain)
    gates = [1.3 - 0.3 * k / 7 for k in range(8)]
    expected = [(150, gate, False) for gate in gates] + 2 * [(150, 1.0, True)] + [(151, True)]
    assert calls == expected + (2 * [(301, 1.0, True)] if gain > 0.005 else [])
