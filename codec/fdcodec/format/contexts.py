"""The layout of the context array (SPEC 5.2): each syntax element's first context, and how many it has."""

from fdcodec.format.constants import N_LIKELY

KINDS = 2  # luma (or gray) and chroma planes
N_SQUARES = 4  # square blocks of log2 side 2..5
N_SIZES = 7  # and halves of a square: 8x4, 16x8, 32x16, lying or standing
N_COUNTS = 3  # how many of the blocks left and above are so: 0..2
N_HINTS = 3  # no hint, standing, lying
N_NEIGHBOUR_CLASSES = 10
N_FREQUENCY_CLASSES = 4
N_QUANTIZERS = 2
N_LEVEL_CONTEXTS = N_SIZES * N_QUANTIZERS * N_FREQUENCY_CLASSES * N_NEIGHBOUR_CLASSES
N_FULLNESSES = 9
END_BINS = 12
PLACE_BINS = 5  # of a place among six probable modes
N_MAGNITUDES = 16
PREFIX_BINS = 15  # of an exponential Golomb code whose prefix has contexts
RECENT_BITS = 5  # of an index of the recent values
N_LEARNED_SIZES = 3  # log2 sizes 2..4
N_LEARNED_BESIDE = 9  # none, or which learned mode is beside
N_LEARNED_NODES = 8  # of the tree of a learned mode's number
N_CONFIDENCES = 8
N_EQUALITIES = 4  # to the values left and above: to none, left, above, both
N_SLOTS = 4  # left, above, above right, above left
N_PATTERNS = 128

QUARTER = 0  # [kind][log2 side][smaller neighbours 0..2][guide smaller 0..1]
HALVE = QUARTER + KINDS * N_SQUARES * N_COUNTS * 2  # [kind][log2 side][smaller neighbours 0..2]
STANDING = HALVE + KINDS * N_SQUARES * N_COUNTS  # [kind][log2 side][hint 0..2]
CHROMA_FROM_LUMA = STANDING + KINDS * N_SQUARES * N_HINTS  # [size][left and above modes alike 0..2]
PROBABLE = CHROMA_FROM_LUMA + N_SIZES * N_COUNTS  # [kind][size]
PROBABLE_INDEX = PROBABLE + KINDS * N_SIZES  # [kind][bin]
END_CLASS = PROBABLE_INDEX + KINDS * PLACE_BINS  # [kind][size][fullness][bin]
END_DETAIL = END_CLASS + KINDS * N_SIZES * N_FULLNESSES * END_BINS  # [kind][size][class]
SIGNIFICANT = END_DETAIL + KINDS * N_SIZES * END_BINS  # [kind][size][quantizer][frequency][neighbours]
ABOVE_ONE = SIGNIFICANT + KINDS * N_LEVEL_CONTEXTS  # as SIGNIFICANT
MAGNITUDE = ABOVE_ONE + KINDS * N_LEVEL_CONTEXTS  # [kind][magnitude 2..14][neighbours]
LEARNED_FLAG = MAGNITUDE + KINDS * N_MAGNITUDES * N_NEIGHBOUR_CLASSES  # [log2 size][learned neighbours 0..2]
LEARNED_INDEX = LEARNED_FLAG + N_LEARNED_SIZES * N_COUNTS  # [log2 size][learned mode beside][node of a tree of 8]
# USES_TOOL: [kind][size][left and above alike 0..2]
USES_TOOL = LEARNED_INDEX + N_LEARNED_SIZES * N_LEARNED_BESIDE * N_LEARNED_NODES
IS_COPIED = USES_TOOL + KINDS * N_SIZES * N_COUNTS  # [kind][size][luma copied 0..1][left and above alike 0..2]
IS_CODED = IS_COPIED + KINDS * N_SIZES * 2 * N_COUNTS  # [kind][size]
FOLLOWER = IS_CODED + KINDS * N_SIZES  # [kind][table 0..1][confidence][equal to left, to above 0..3]
NEIGHBOUR = FOLLOWER + KINDS * 2 * N_CONFIDENCES * N_EQUALITIES  # [kind][slot][pattern]
RECENT = NEIGHBOUR + KINDS * N_SLOTS * N_PATTERNS  # [kind]
RECENT_INDEX = RECENT + KINDS  # [kind][node of a tree]
LITERAL = RECENT_INDEX + (KINDS << RECENT_BITS)  # [kind][sign, prefix bins]
LIKELY_VECTOR = LITERAL + KINDS * (1 + PREFIX_BINS)  # [kind][index]
VECTOR = LIKELY_VECTOR + KINDS * N_LIKELY  # [kind][sign, prefix bins left, prefix bins up]
N_CONTEXTS = VECTOR + KINDS * (1 + 2 * PREFIX_BINS)  # whose start states a class model may hold

OFFSET_DIFFERS = N_CONTEXTS  # [difference of left and above 0..2]
OFFSET_SIGN = OFFSET_DIFFERS + 3
OFFSET_MAGNITUDE = OFFSET_SIGN + 1  # [magnitude 1..4 and above]
N_WITH_OFFSETS = OFFSET_MAGNITUDE + 4
