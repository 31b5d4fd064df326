"""Transforms that are applied by their structure: products of 2x2 factors or reflectors, sparse atoms, bases, costs."""

from fdcodec.transform.bases import dct_line_product, dct_product, haar_product
from fdcodec.transform.product import FactorProduct
from fdcodec.transform.reflectors import ReflectorProduct
from fdcodec.transform.sparse import SparseDictionary

__all__ = [
    "FactorProduct",
    "ReflectorProduct",
    "SparseDictionary",
    "dct_line_product",
    "dct_product",
    "haar_product",
]
