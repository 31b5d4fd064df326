"""Limited-memory BFGS for angles: every step lowers the objective, one pass over the data an evaluation."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from fdcodec.learning.iterations import Iterations
from fdcodec.transform.blocks import FloatArray

MEMORY = 30
SUFFICIENT_DECREASE = 1e-4
BACKTRACK = 0.4

Evaluate = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]
"""From the angles to the objective, its gradient, and a positive estimate of its diagonal second derivatives."""

Pair = tuple[FloatArray, FloatArray, float]
"""A step, the change of the gradient over it, and the inverse of their product."""


def minimize(evaluate: Evaluate, start: FloatArray, evaluations: Iterations) -> tuple[FloatArray, list[float]]:
    """Lower an objective by L-BFGS with backtracking.

    Parameters
    ----------
    evaluate
        The objective.
    start
        Shape ``(m,)``, where to start.
    evaluations
        How often `evaluate` may be called, besides once at the start; those that lower nothing do not stop it.

    Returns
    -------
    point
        Where it ended.
    values
        The objective at the start and after each step, falling.
    """
    point = start
    value, gradient, curvature = evaluate(point)
    values = [value]
    history: deque[Pair] = deque(maxlen=MEMORY)
    length = 1.0
    for _ in evaluations.over(values):
        direction = descent_direction(gradient, curvature, history)
        slope = float(gradient @ direction)
        if slope >= 0.0:
            break
        candidate = point + length * direction
        new_value, new_gradient, new_curvature = evaluate(candidate)
        if new_value > value + SUFFICIENT_DECREASE * length * slope:
            length *= BACKTRACK
            continue
        step, change = candidate - point, new_gradient - gradient
        if step @ change > 1e-12 * np.sqrt((step @ step) * (change @ change)):
            history.append((step, change, 1.0 / float(step @ change)))
        point, value, gradient, curvature, length = candidate, new_value, new_gradient, new_curvature, 1.0
        values.append(value)
    return point, values


def descent_direction(gradient: FloatArray, curvature: FloatArray, history: deque[Pair]) -> FloatArray:
    """Return minus the gradient times the inverse Hessian that the history implies (two-loop recursion)."""
    direction = -gradient
    weights = []
    for step, change, inverse in reversed(history):
        weights.append(inverse * (step @ direction))
        direction = direction - weights[-1] * change
    direction = direction / curvature
    if history:
        step, change, _ = history[-1]
        direction = direction * ((step @ change) / (change @ (change / curvature)))
    for (step, change, inverse), weight in zip(history, reversed(weights), strict=True):
        direction = direction + step * (weight - inverse * (change @ direction))
    return direction
