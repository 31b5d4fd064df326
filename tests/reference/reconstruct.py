"""A tile from its payload in plain Python: the syntax first, then every block in coding order (SPEC 4)."""

from tests.reference.learned import predict_learned
from tests.reference.prediction import coding_order, predict
from tests.reference.reconstruction import dequantize, inverse_transform
from tests.reference.syntax import Contexts, PlaneDecoder

OFFSET_UNIT = 6


def learned_of(model, block):
    """Return the learned mode of a block, None where it is in none."""
    if block.mode < 36:
        return None
    return [mode for mode in model.learned if 1 << mode.log2_size == block.width][block.mode - 36]


def reconstruct_plane(decoder, luma, model, step_index, bounds, offsets, weighs):
    """Return a plane's samples before the filter; `luma` None means that it is the luma plane."""
    plane = [[0] * decoder.width for _ in range(decoder.height)]
    low, high = bounds
    for block in sorted(set(decoder.blocks.values()), key=lambda block: coding_order(block.x, block.y)):
        rows, columns = slice(block.y, block.y + block.height), slice(block.x, block.x + block.width)
        learned = learned_of(model, block)
        if learned is None:
            prediction = predict(plane, luma or plane, block.x, block.y, block.width, block.height, block.mode)
        else:
            prediction = predict_learned(plane, block.x, block.y, learned)
        levels = [row[columns] for row in decoder.levels[rows]]
        offset = offsets.get((block.x // 32 * 32, block.y // 32 * 32), 0)
        coefficients = dequantize(levels, block.end, min(max(step_index + OFFSET_UNIT * offset, 0), 383))
        residual = inverse_transform(coefficients, block.mode, model.transforms, learned, weighs)
        for row, p, r in zip(plane[rows], prediction, residual, strict=True):
            row[columns] = [min(max(a + b, low), high) for a, b in zip(p, r, strict=True)]
    return plane


def reconstruct_tile(coder, height, width, model, step_index, bounds, adaptive=False):
    """Return (plane, decoder of its syntax) of each plane of a tile, sides multiples of 4."""
    contexts = Contexts(model.start_states)
    sizes = [mode.log2_size for mode in model.learned]
    n_learned = {size: sizes.count(size) for size in sizes}
    decoders = [PlaneDecoder(coder, contexts, height, width, None, n_learned, adaptive)]
    for _ in bounds[1:]:
        decoders.append(PlaneDecoder(coder, contexts, height, width, decoders[0]))
    planes = []
    for decoder, bound in zip(decoders, bounds, strict=True):
        luma = planes[0] if planes else None
        planes.append(reconstruct_plane(decoder, luma, model, step_index, bound, decoders[0].offsets, adaptive))
    return list(zip(planes, decoders, strict=True))
