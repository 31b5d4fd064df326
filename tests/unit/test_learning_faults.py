"""What learners do with samples and parameters that leave them little to learn, and what they tell of it."""

import numpy as np
from tests.unit.test_structured import mixed_samples

from fdcodec.learning import GmDLA


def test_threshold_chooses_m_for_the_rate():
    """`tol` bounds what a factor lowers the rate by, in bits a sample, as it bounds the relative error."""
    X = mixed_samples(16, 300, seed=4)
    learners = [GmDLA(200, 2, 0, objective="rate", tol=tol).fit(X) for tol in (0.0, 1e-2, 1e-1, 1e9)]
    sizes = [len(learner.transform_) for learner in learners]
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == 0
