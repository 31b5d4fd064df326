"""scikit-learn's estimator protocol without scikit-learn, and the validation that all learners share.

`check_estimator` passes for every class of this package, yet importing it needs numpy alone: the protocol is
`get_params`, `set_params`, `__sklearn_tags__` (which only scikit-learn calls) and names with a trailing underscore.
"""

from __future__ import annotations

import inspect
import math
import sys
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fdcodec.errors import ParameterError
from fdcodec.parallel import usable_processors
from fdcodec.transform.blocks import FloatArray

MOST = 1e75
"""Greatest magnitude of a sample: the learners sum up fourth powers."""

MOST_INTEGER = 2**31 - 1
"""Greatest integer parameter but for seeds."""


class Estimator:
    """Parameters as scikit-learn expects them: exactly the arguments of `__init__`, stored under their names."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; `deep` is there for the protocol, no parameter is an estimator."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name and return the estimator; ParameterError for a name that it does not have."""
        allowed = self._parameter_names()
        for name, value in parameters.items():
            if name not in allowed:
                raise ParameterError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(allowed)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [f"{k}={v!r}" for k, v in self.get_params().items() if v is not defaults[k].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")


def not_fitted(message: str) -> ParameterError:
    """Return the ParameterError of use before `fit`: an AttributeError, as `hasattr` wants, and NotFittedError.

    That of scikit-learn only where its module is loaded, as it is by whoever catches it.
    """
    base = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", AttributeError)
    error: ParameterError = type("NotFittedError", (ParameterError, base), {})(message)
    return error


def validated_samples(X: ArrayLike, name: str = "X", least: int = 1) -> FloatArray:
    """Return samples as a C-contiguous array of doubles of shape (n_samples >= least, n_features >= 1), at most MOST.

    Raises
    ------
    ParameterError
        If X is sparse, complex, not numeric, not two-dimensional, of fewer samples or no feature, or holds NaN, inf or
        a magnitude above MOST. The message calls it `name`.
    TypeError
        If an entry is an object that is no number, as scikit-learn asks.
    """
    if hasattr(X, "tocsr"):
        raise ParameterError(f"{name} is a sparse matrix; give a dense array, as its toarray() returns")
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ParameterError(f"{name} is no array of numbers, such as rows of one length: {error}") from error
    if array.ndim != 2:
        raise ParameterError(
            f"{name} has {array.ndim} dimensions; it must have shape (n_samples, n_features). Reshape your data with "
            "array.reshape(-1, 1) for one feature or array.reshape(1, -1) for one sample"
        )
    for count, what, lowest in zip(array.shape, ("sample(s)", "feature(s)"), (least, 1), strict=True):
        if count < lowest:
            raise ParameterError(f"{name} has 0 {what} (shape={array.shape}) while a minimum of 1 is required.")
    if np.iscomplexobj(array):
        raise ParameterError(f"Complex data not supported: {name} has dtype {array.dtype}; give real numbers")
    samples = as_doubles(array, name)
    check_values(samples, name)
    return samples


def check_values(samples: FloatArray, name: str) -> None:
    """Raise ParameterError, which names the samples, unless all are finite and of magnitudes up to MOST."""
    greatest = float(max(samples.max(initial=0.0), -samples.min(initial=0.0)))
    if not math.isfinite(greatest):
        raise ParameterError(f"{name} contains NaN or inf (infinity); every value must be finite")
    if greatest > MOST:
        raise ParameterError(
            f"{name} contains a magnitude of {greatest:g}, whose powers overflow; scale it to {MOST:g} at most"
        )


def as_doubles(array: NDArray[Any], name: str) -> FloatArray:
    """Return a C-contiguous array of doubles; ParameterError or, for objects, TypeError names what is no number."""
    try:
        return np.ascontiguousarray(array, dtype=np.float64)
    except TypeError as error:
        raise TypeError(f"{name}: argument must be a string or a number, not {error}") from error
    except ValueError as error:
        raise ParameterError(f"{name} holds values that are not numbers: {error}") from error


def checked_integer(name: str, value: object, low: int, high: int = MOST_INTEGER) -> int:
    """Return an integer parameter; ParameterError names it, its value and the range unless low <= value <= high."""
    allowed = f"an integer in [{low}, {high}]"
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ParameterError(f"{name} is {value!r}; it must be {allowed}")
    if not low <= value <= high:
        raise ParameterError(f"{name} is {value}; it must be {allowed}")
    return int(value)


def checked_choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """Return a word parameter; ParameterError names it and the words allowed."""
    if value not in choices:
        raise ParameterError(f"{name} is {value!r}; it must be one of {', '.join(choices)}")
    return str(value)


def checked_real(name: str, value: object, low: float) -> float:
    """Return a real parameter of at least `low`, at most MOST."""
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float, np.floating, np.integer))
        or not low <= value <= MOST
    ):
        raise ParameterError(f"{name} is {value!r}; it must be a number in [{low:g}, {MOST:g}]")
    return float(value)


def thread_count(n_jobs: object) -> int:
    """Return the number of threads for `n_jobs`: None is 1, -1 all processors, otherwise an integer >= 1."""
    if n_jobs is None:
        return 1
    if n_jobs == -1:
        return usable_processors()
    return checked_integer("n_jobs", n_jobs, 1)


def random_generator(random_state: object) -> np.random.Generator:
    """Return a generator for `random_state`: None or an integer seeds it (None is 0: results are always repeatable)."""
    if random_state is None:
        return np.random.default_rng(0)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(1 << 31))
    return np.random.default_rng(checked_integer("random_state", random_state, 0, 2**64 - 1))
