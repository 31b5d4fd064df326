"""Transforms that are products of 2x2 factors: building blocks, products, bases, costs."""

from fdcodec.transform.bases import dct_line_product, dct_product, haar_product
from fdcodec.transform.product import FactorProduct

__all__ = ["FactorProduct", "dct_line_product", "dct_product", "haar_product"]
