"""The numbers of the lossy codestream and of class models that the tables of SPEC 3 to 7 name, by clause.

Tables, factors and formulas that one kernel alone needs stand there, under the clause that it cites. Whatever of either
decides a bit is part of the bitstream version.
"""

# SPEC 3: planes
FRACTION_BITS = 3  # fractional bits of a plane's samples and of its coefficients
CELL_LOG2 = 2  # maps of sizes, modes and activities have one cell per 4x4 samples
MIN_LOG2, MAX_LOG2 = 2, 5  # transform blocks are 4x4 to 32x32; the tree starts at 32x32

# SPEC 4.1: prediction modes: 0 planar, 1 DC, 2..34 angular (18 is the diagonal), 35 chroma from luma
PLANAR, DC = 0, 1
HORIZONTAL, DIAGONAL, VERTICAL = 10, 18, 26
N_MODES = 35
CHROMA_FROM_LUMA = 35
SAMPLED, COPIED = -1, -2  # screen tools: samples coded themselves, or a copy of earlier ones (SPEC 5.9, 5.10)
N_PROBABLE = 6  # most probable modes

# SPEC 4.4: learned modes: from 36 on
LEARNED = 36
MAX_LEARNED = 8  # of a block size
MAX_LEARNED_LOG2 = 4  # square luma blocks of 4x4 to 16x16
BORDER_LOG2 = 3  # a predictor reads at most 8 values of each side, and predicts at most 8x8 coefficients
PREDICTOR_BITS = 7  # fractional bits of a predictor's coefficients in a class model
WEIGHT_BITS = 10  # fractional bits of its weights in samples
MAX_WEIGHT = (1 << 13) - 1  # weights in samples are clamped to +-this
PREDICTION_LIMIT = (1 << 12) - 1  # learned predictions are clamped to +-this

# SPEC 4.2: transforms
MATRIX_BITS = 11  # fractional bits of the DCT and DST matrices
COEFFICIENT_LIMIT = (1 << 17) - 1  # coefficients and intermediate values are clamped to +-this
ROTATION_BITS = 14  # fractional bits of a rotation's cosine and sine
ANGLE_LEVELS = 1024  # angle = 2 pi index / ANGLE_LEVELS
ZONE_LOG2 = 3  # rotations act on the low 8x8 coefficients (4x4 in a 4x4 block)
N_GROUPS = 10  # groups of modes, folded at the diagonal
FREQUENCY_BITS = 8  # fractional bits of a frequency and of its weight
FREQUENCY_SLOPE = 180  # of the weight over the frequency, in 1/256, where coefficients are weighed

# SPEC 4.3: quantization
STEPS_PER_OCTAVE = 32
STEP_BITS = 6  # fractional bits of half a step, beyond FRACTION_BITS
MAX_STEP_INDEX = 32 * 12 - 1

# SPEC 5.1: range coder
MAX_OVERRUN = 8  # bytes past the end of a payload that a decoder may read

# SPEC 5.2: contexts
PROBABILITY_BITS = 16
FAST_SHIFT = 4  # of the fast probability, at most
FAST_MARGIN, SLOW_MARGIN = 1 << 9, 1 << 8  # of both probabilities, to 0 and to 1
MAX_COUNT = 63  # updates that a context counts

# SPEC 5.7: levels
MAX_UNARY = 15  # magnitudes from here on are escaped by exponential Golomb
MAX_LEVEL = (1 << 15) - 1

# SPEC 5.8: step offsets
MAX_OFFSET = 6
OFFSET_UNIT = 6  # step indices; a fifth of an octave

# SPEC 5.9: sampled blocks
TABLE_SIZE = 1 << 14  # entries of a table of what follows the same neighbours
N_RECENT = 32  # recent values

# SPEC 5.10: copied blocks
N_LIKELY = 8  # likely vectors of a block
N_RECENT_VECTORS = 8  # of a plane

# SPEC 3.2: colour
COLOUR_ANGLE_BITS = 9  # a colour angle is 2 pi index / 2^9
COLOUR_BITS = 14  # fractional bits of the colour matrix

# SPEC 6: filter
FILTER_BUCKETS = 4  # ranges of the quantization step
FILTER_CLASSES = 50  # local classes of 4x4 cells: activity x direction x orientation
FILTER_WEIGHTS = 24  # 12 symmetric pairs of taps, each clipped small and large
FILTER_SHIFT = 7  # fractional bits of a filter weight
FILTER_BUCKET_OCTAVES = (7, 8, 9)  # a bucket's step index is below 32 times this: steps of 8, 16, 32 pixel values
MAX_STRENGTH = 7  # 0: no filter; 1: deblocking only; s: (s - 1) / 4 of the trained correction too

# SPEC 7: class models
MAX_ROTATIONS = 1024  # of a group
MIN_START = 2  # start probabilities are 2..253, in 1/256
PARENT_BYTES = 8  # of the hash of a parent
