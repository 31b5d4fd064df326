"""Tables in and out, as scikit-learn's transformers take and give them: columns have names."""

from __future__ import annotations

import sys
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fdcodec.errors import ParameterError
from fdcodec.learning.estimator import Estimator, checked_choice, not_fitted
from fdcodec.transform.blocks import FloatArray

Names = NDArray[np.object_]


class TableTransformer(Estimator):
    """Names of the columns of samples and of codes; `feature_names_in_` is there where the samples had such names."""

    n_features_in_: int
    feature_names_in_: Names

    def get_feature_names_out(self, input_features: object = None) -> Names:
        """Return the names of the columns of codes, such as gmdla0; `input_features` is there for the protocol."""
        self._check_fitted()
        return np.array([f"{type(self).__name__.lower()}{i}" for i in range(self.n_features_in_)], dtype=object)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Let `transform` return an array, by "default", or a table, by "pandas"; None leaves it as it is."""
        if transform is not None:
            choice = checked_choice("transform", transform, ("default", "pandas"))
            self._sklearn_output_config = {"transform": choice}  # the name that scikit-learn's clone copies
        return self

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(f"this {type(self).__name__} is not fitted; call fit before using it")

    def _set_names(self, X: object) -> None:
        vars(self).pop("feature_names_in_", None)
        if (names := column_names(X)) is not None:
            self.feature_names_in_ = names

    def _check_names(self, X: object) -> None:
        """Raise ParameterError where the columns of a table are others, or in another order, than those of `fit`."""
        seen, names = getattr(self, "feature_names_in_", None), column_names(X)
        if seen is None or names is None or np.array_equal(seen, names):
            return
        wrong = sorted({*seen} ^ {*names})
        raise ParameterError(
            "The feature names should match those that were passed during fit; "
            + (f"unseen at fit time or now missing: {', '.join(wrong[:5])}" if wrong else "give them in the same order")
        )

    def _in_container(self, codes: FloatArray, X: object) -> FloatArray:
        """Return codes as `set_output` or else scikit-learn's setting says, of a table with its index."""
        sklearn = sys.modules.get("sklearn")
        usual = sklearn.get_config()["transform_output"] if sklearn else "default"
        if getattr(self, "_sklearn_output_config", {}).get("transform", usual) != "pandas":
            return codes
        from pandas import DataFrame

        table: FloatArray = DataFrame(codes, index=getattr(X, "index", None), columns=self.get_feature_names_out())
        return table


def column_names(X: object) -> Names | None:
    """Return the names of the columns of a table; None of an array, or where not all of them are texts."""
    names = list(getattr(X, "columns", ()))
    return np.array(names, dtype=object) if names and all(isinstance(name, str) for name in names) else None
