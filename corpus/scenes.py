"""One synthetic scene for each image class; each takes a `Dice` and a (height, width) and paints 0..255."""

from collections.abc import Callable

import numpy as np
from canvas import Dice, Ints, blend, ellipse, fractal_noise, grid, half_plane, ramp, smooth, stamp, text_mask, words

Shape = tuple[int, int]
SKY = ((0, (58, 110, 178)), (40000, (136, 178, 216)), (65535, (246, 222, 190)))
CLOUD = (252, 246, 238)
ROCK = ((0, (46, 52, 66)), (30000, (98, 96, 100)), (50000, (150, 140, 132)), (65535, (232, 230, 228)))
MEADOW = ((0, (30, 48, 22)), (30000, (84, 108, 44)), (50000, (150, 152, 68)), (65535, (206, 190, 104)))
FIELDS = ((92, 110, 62), (134, 128, 78), (66, 88, 50), (164, 146, 104), (112, 122, 84), (88, 78, 58), (150, 158, 110))
STAIN = ((0, (14, 8, 30)), (20000, (40, 24, 92)), (44000, (70, 120, 190)), (65535, (210, 246, 255)))


def photo(dice: Dice, shape: Shape) -> Ints:
    """Paint a landscape: sky with clouds, three ridges fading with distance, a meadow with grain."""
    height, width = shape
    rows, _ = grid(shape)
    image = ramp(SKY, rows * 65535 * 2 // (height * 3))
    clouds = np.clip((fractal_noise(dice, shape, 96, 3) - 33000) * 5, 0, 58000)
    image = blend(
        image,
        np.broadcast_to(CLOUD, image.shape),
        clouds[..., None] * np.maximum(height * 2 // 3 - rows, 0)[..., None] // height,
    )
    for layer, haze in enumerate((44000, 26000, 9000)):
        line = (
            fractal_noise(dice, (1, width), 64 >> (layer // 2), 2)[0] * height // (65536 * 3)
            + height * (26 + 13 * layer) // 100
        )
        rock = ramp(ROCK, np.clip(_relief(dice, shape), 0, 65535))
        veiled = blend(rock, np.broadcast_to((168, 184, 206), rock.shape), np.full((*shape, 1), haze))
        image = np.where((rows > line)[..., None], veiled, image)
    edge = fractal_noise(dice, (1, width), 128, 4)[0] * height // (65536 * 6) + height * 68 // 100
    grass = ramp(MEADOW, (fractal_noise(dice, shape, 64, 1) + dice.integers(0, 65536, shape) // 2) * 2 // 3)
    image = np.where((rows > edge)[..., None], grass, image)
    return smooth(image) + dice.integers(-3, 4, (*shape, 1))


def gray(dice: Dice, shape: Shape) -> Ints:
    """Paint a landscape in gray: the BT.601 luma of another `photo`."""
    red, green, blue = np.moveaxis(photo(dice, shape), 2, 0)
    return (299 * red + 587 * green + 114 * blue + 500) // 1000


def document(dice: Dice, shape: Shape) -> Ints:
    """Paint a scanned page: heading, two columns of text, a ruled table, faint paper noise."""
    height, width = shape
    page = np.full(shape, 250, dtype=np.int64)
    stamp(page, text_mask(words(dice, width // 14), 2), 10, 12, 20)
    half = (width - 36) // 2
    for left in (12, 24 + half):
        for top in range(34, height - 60, 11):
            full = dice.integer(0, 6) > 0
            stamp(page, text_mask(words(dice, half // 6 if full else half // 12)), top, left, 30)
    page[height - 50 : height - 10 : 13, 12 : width - 12] = 60
    page[height - 50 : height - 10, 12 : width - 12 : (width - 25) // 4] = 60
    return smooth(page) + dice.integers(-2, 3, shape)


def screenshot(dice: Dice, shape: Shape) -> Ints:
    """Paint a desktop window: title bar with a gradient, side bar, text, buttons, a chart."""
    height, width = shape
    image = np.full((*shape, 3), 255, dtype=np.int64)
    _, columns = grid((22, width))
    image[:22] = ramp(((0, (52, 101, 164)), (65535, (114, 159, 207))), columns * 65535 // width)
    stamp(image, text_mask(words(dice, 18)), 8, 10, (255, 255, 255))
    image[22:, : width // 4] = (238, 238, 236)
    image[22:, width // 4] = (186, 189, 182)
    for top in range(32, height - 8, 16):
        stamp(image, text_mask(words(dice, (width // 4 - 12) // 6)), top, 8, (46, 52, 54))
    for top in range(32, height // 2, 12):
        stamp(
            image,
            text_mask(words(dice, (width * 3 // 4 - 24) // 6)),
            top,
            width // 4 + 12,
            (32, 74, 135) if top == 32 else (0, 0, 0),
        )
    for bar in range(6):
        left, top = width // 4 + 16 + bar * (width // 9), height - 14 - dice.integer(12, height // 3)
        image[top : height - 14, left : left + width // 16] = ((204, 0, 0), (245, 121, 0), (115, 210, 22))[bar % 3]
    image[height - 14, width // 4 + 8 : width - 8] = (85, 87, 83)
    return image


def map_(dice: Dice, shape: Shape) -> Ints:
    """Paint a street map: land, water and woods in flat colours, roads with casings, names."""
    relief = fractal_noise(dice, shape, 128, 8)
    image = np.full((*shape, 3), (242, 239, 233), dtype=np.int64)
    image[relief < 27000] = (170, 211, 223)
    image[relief > 41000] = (173, 209, 158)
    for _ in range(9):
        _road(dice, image, 2, (255, 255, 255))
    for _ in range(2):
        _road(dice, image, 4, (249, 178, 156))
    for _ in range(6):
        top, left = dice.integer(8, shape[0] - 16), dice.integer(4, shape[1] - 60)
        stamp(image, text_mask(words(dice, 9)), top, left, (68, 68, 68))
    return image


def satellite(dice: Dice, shape: Shape) -> Ints:
    """Paint fields from above: patches of the nearest seed point, furrows, a river, a road."""
    rows, columns = grid(shape)
    warp = fractal_noise(dice, shape, 64, 4) // 4096
    seeds = dice.integers(0, max(shape), (40, 2))
    distance = [(rows + warp - y) ** 2 + (columns + warp - x) ** 2 for y, x in seeds]
    patch = np.argmin(distance, axis=0)
    image = np.array(FIELDS)[patch % len(FIELDS)] + (fractal_noise(dice, shape, 32, 1)[..., None] - 32768) // 1024
    furrows = (rows * (1 + patch % 3) + columns * (3 - patch % 4)) // 3 % 4
    image += (furrows * 4 - 6)[..., None]
    river = abs(columns - shape[1] // 3 - fractal_noise(dice, (shape[0], 1), 64, 4) // 1024) < 6
    image[river] = (44, 62, 70)
    _road(dice, image, 2, (186, 180, 172))
    return smooth(image) + dice.integers(-4, 5, (*shape, 1))


def microscopy(dice: Dice, shape: Shape) -> Ints:
    """Paint stained nuclei out of focus to varying degrees on a dark field, with shot noise."""
    light = fractal_noise(dice, shape, 64, 16) // 5
    for _ in range(shape[0] * shape[1] // 2200):
        centre, radii = dice.integers(0, max(shape), (2,)).tolist(), dice.integers(5, 15, (2,)).tolist()
        spot = ellipse(shape, centre, radii) * dice.integer(14000, 46000)
        light = np.maximum(light, smooth(spot, dice.integer(1, 4)) + light // 2)
    grain = dice.integers(-90, 91, shape) * (light // 256 + 20) // 6
    return ramp(STAIN, np.clip(light + grain, 0, 65535))


def medical(dice: Dice, shape: Shape) -> Ints:
    """Paint a tomographic slice of a phantom: nested ellipses of different density, noise inside the body."""
    height, width = shape
    image = np.full(shape, 8, dtype=np.int64)
    for vertical, horizontal, value in ((46, 38, 210), (43, 35, 96)):
        image[ellipse(shape, (height // 2, width // 2), (height * vertical // 100, width * horizontal // 100))] = value
    for _ in range(12):
        y, x = dice.integer(height * 3 // 10, height * 7 // 10), dice.integer(width * 3 // 10, width * 7 // 10)
        radii = dice.integers(height // 40, height // 8, (2,)).tolist()
        image[ellipse(shape, (y, x), radii)] = dice.integer(60, 170)
    speckle = smooth(dice.integers(-26, 27, shape))
    return smooth(image, 2) + np.where(image > 8, speckle, speckle // 8)


def texture(dice: Dice, shape: Shape) -> Ints:
    """Paint woven cloth: threads over and under each other, uneven in thickness and tone."""
    rows, columns = grid(shape)
    wobble = fractal_noise(dice, shape, 32, 4) // 9000
    over = ((rows + wobble) // 6 + (columns + wobble) // 6) % 2
    along = np.where(over == 1, (rows + wobble) % 6, (columns + wobble) % 6)
    tone = 70 + 26 * (3 - abs(2 * along - 5) // 2) + over * 18
    return smooth(tone + (fractal_noise(dice, shape, 16, 1) - 32768) // 700)


def cartoon(dice: Dice, shape: Shape) -> Ints:
    """Paint flat discs with dark outlines on a two-tone ground."""
    image = np.full((*shape, 3), (255, 224, 130), dtype=np.int64)
    image[shape[0] * 2 // 3 :] = (129, 199, 132)
    for colour in ((239, 83, 80), (66, 165, 245), (255, 255, 255), (171, 71, 188), (255, 167, 38)):
        centre = dice.integers(shape[0] // 5, shape[0] * 4 // 5, (2,)).tolist()
        radius = dice.integer(shape[0] // 12, shape[0] // 5)
        _disc(image, centre, radius, colour)
        _disc(image, (centre[0] - radius // 3, centre[1] - radius // 3), radius // 4, (255, 255, 255))
    return image


def sticker(dice: Dice, shape: Shape) -> Ints:
    """Paint a disc with a soft shadow on a transparent ground (RGBA)."""
    height, width = shape
    disc = ellipse(shape, (height // 2, width // 2), (height * 2 // 5, width * 2 // 5))
    shadow = smooth(np.roll(disc, (height // 32, width // 32), (0, 1)) * 150, 6)
    picture = np.where(disc[..., None], cartoon(dice, shape), 0)
    return np.concatenate([picture, np.where(disc, 255, shadow)[..., None]], axis=2)


def _relief(dice: Dice, shape: Shape) -> Ints:
    """Return rock lit from the left: the slope of a rough surface around middle gray."""
    surface = fractal_noise(dice, shape, 48, 1)
    return 30000 + (surface - np.roll(surface, 2, axis=1)) * 4


def _road(dice: Dice, image: Ints, half_width: int, colour: tuple[int, int, int]) -> None:
    height, width = image.shape[:2]
    start, end = (dice.integer(0, height), 0), (dice.integer(0, height), width)
    if dice.integer(0, 2):
        start, end = (0, dice.integer(0, width)), (height, dice.integer(0, width))
    length = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    away = abs(half_plane((height, width), start, end))
    image[away < (half_width + 1) * length] = [value * 3 // 4 for value in colour]
    image[away < half_width * length] = colour


def _disc(image: Ints, centre: tuple[int, int], radius: int, colour: tuple[int, int, int]) -> None:
    image[ellipse(image.shape[:2], centre, (radius + 3, radius + 3))] = (38, 50, 56)
    image[ellipse(image.shape[:2], centre, (radius, radius))] = colour


SCENES: dict[str, Callable[[Dice, Shape], Ints]] = {
    "photo": photo,
    "gray": gray,
    "document": document,
    "screenshot": screenshot,
    "map": map_,
    "satellite": satellite,
    "microscopy": microscopy,
    "medical": medical,
    "texture": texture,
    "cartoon": cartoon,
    "sticker": sticker,
}
