"""The types of a schema: reading and writing values, changes and summaries."""

from .base import CannotApply, Type
from .collections import ArrayType, DictionaryType, SetType
from .definitions import Case, EnumType, Field, StructType
from .identified import IdentifiedType, StackType
from .prompts import prompt_type
from .scalars import (
    BoolType,
    DataType,
    DateType,
    DecimalType,
    DurationType,
    FloatType,
    IntegerType,
    NeverType,
    OpaqueType,
    ScalarType,
    TextStateType,
    TextType,
    URLType,
    UUIDType,
)
from .steps import Identity, RawStep, WindowStep
from .wrapped import OptionalType, RangeType, ResultType

__all__ = [
    "ArrayType", "BoolType", "CannotApply", "Case", "DataType", "DateType", "DecimalType", "DictionaryType", "DurationType",
    "EnumType", "Field", "FloatType", "Identity", "IdentifiedType", "IntegerType", "NeverType", "OpaqueType", "OptionalType",
    "RangeType", "RawStep", "ResultType", "ScalarType", "SetType", "StackType", "StructType", "TextStateType", "TextType", "Type",
    "URLType", "UUIDType", "WindowStep", "prompt_type",
]  # fmt: skip
