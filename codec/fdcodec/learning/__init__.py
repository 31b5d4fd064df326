"""Learning transforms: every method of the paper, better optimizers, rotations for the codec."""

from fdcodec.learning.gm_learner import GmDLA
from fdcodec.learning.ksvd_learners import SKSVD, SparseKSVD
from fdcodec.learning.orthogonal import DCT, QDLA, HouseholderDLA
from fdcodec.learning.rm_learner import RmDLA
from fdcodec.learning.structured import learn_rotations
from fdcodec.learning.structured_learner import StructuredDLA

__all__ = [
    "DCT",
    "QDLA",
    "SKSVD",
    "GmDLA",
    "HouseholderDLA",
    "RmDLA",
    "SparseKSVD",
    "StructuredDLA",
    "learn_rotations",
]
