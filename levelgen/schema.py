"""A JSON Schema (draft-07) as one fast question: does this value fit?

    fits = compiled(schema)
    fits({"template": "hut", "pieces": []})      # False

Most documents have no mistake, and asking `jsonschema` takes longer than all the rest of reading one. What fits here is
not asked about again; what does not is left to `jsonschema`, which says why. So a wrong yes would be a hole, a wrong no
costs time only, and whatever is doubtful is a no. The tests hold every schema that ships against `jsonschema`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]

_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_SILENT = ("$schema", "title", "description", "definitions", "x-shape")
"""Keywords that say nothing about a value."""


def pattern(text: str) -> re.Pattern[str]:
    """A schema's regular expression, `$` the end of the text as in ECMA, not also the place before a last line feed."""
    return re.compile(re.sub(r"(?<!\\)\$(?=\||\Z)", r"\\Z", text))


def compiled(schema: Mapping[str, Any]) -> Check:
    """The check that `schema` spells out.

    Raises:
        ValueError: the schema uses a keyword that is not known here.
    """
    return _Compiler(schema).check(schema)


class _Compiler:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.named: dict[str, Check] = {}

    def check(self, schema: Mapping[str, Any] | bool) -> Check:
        """The check of one schema: what holds of any value, then what holds of values of its type."""
        if isinstance(schema, bool):
            return lambda _: schema
        if "$ref" in schema:
            return self.reference(schema["$ref"])
        known = {*_SILENT, *_SCALARS, "type", "enum", "oneOf", "anyOf", "if", "then", *_LISTS, *_MAPPINGS}
        strange = set(schema) - known
        if strange:
            raise ValueError(f"the keyword {min(strange)} is not known")
        any_value = [*self.types(schema), *self.choices(schema)]
        scalar = _scalar_check(schema)
        of_list = self.list_check(schema)
        of_mapping = self.mapping_check(schema)

        def fits(value: Any) -> bool:
            for one in any_value:
                if not one(value):
                    return False
            kind = type(value)
            if kind is dict:
                return of_mapping is None or of_mapping(value)
            if kind is list:
                return of_list is None or of_list(value)
            return scalar is None or scalar(value)

        return fits

    def reference(self, name: str) -> Check:
        if name not in self.named:
            self.named[name] = lambda value: self.named[name](value)  # it may contain itself
            target: Any = self.root
            for word in name.removeprefix("#").strip("/").split("/"):
                target = target[word] if word else target
            self.named[name] = self.check(target)
        return lambda value: self.named[name](value)

    def types(self, schema: Mapping[str, Any]) -> list[Check]:
        given = schema.get("type")
        if given is None:
            return []
        allowed = frozenset(kind for word in ([given] if isinstance(given, str) else given) for kind in _TYPES[word])
        return [lambda value: type(value) in allowed]

    def choices(self, schema: Mapping[str, Any]) -> list[Check]:
        found: list[Check] = []
        if "enum" in schema:
            texts = frozenset(one for one in schema["enum"] if isinstance(one, str))
            found.append(lambda value: type(value) is str and value in texts)
        if "oneOf" in schema:
            branches = [self.check(one) for one in schema["oneOf"]]
            found.append(lambda value: sum(branch(value) for branch in branches) == 1)
        if "anyOf" in schema:
            ways = [self.check(one) for one in schema["anyOf"]]
            found.append(lambda value: any(way(value) for way in ways))
        if "if" in schema:
            condition, then = self.check(schema["if"]), self.check(schema.get("then", True))
            found.append(lambda value: then(value) if condition(value) else True)
        return found

    def list_check(self, schema: Mapping[str, Any]) -> Check | None:
        if not any(word in schema for word in _LISTS):
            return None
        low, high = schema.get("minItems", 0), schema.get("maxItems", float("inf"))
        unique = schema.get("uniqueItems", False)
        item = self.check(schema["items"]) if "items" in schema else None

        def fits(value: list[Any]) -> bool:
            if not low <= len(value) <= high:
                return False
            if (
                unique
                and len(value) > 1
                and not (all(type(one) is str for one in value) and len(set(value)) == len(value))
            ):
                return False
            return item is None or all(map(item, value))

        return fits

    def mapping_check(self, schema: Mapping[str, Any]) -> Check | None:
        if not any(word in schema for word in _MAPPINGS):
            return None
        required = tuple(schema.get("required", ()))
        low, high = schema.get("minProperties", 0), schema.get("maxProperties", float("inf"))
        named = self.check(schema["propertyNames"]) if "propertyNames" in schema else None
        inner = {name: self.check(one) for name, one in schema.get("properties", {}).items()}
        rest = self.check(schema.get("additionalProperties", True))

        def fits(value: dict[str, Any]) -> bool:
            if not low <= len(value) <= high:
                return False
            for name in required:
                if name not in value:
                    return False
            if named is not None and not all(map(named, value)):
                return False
            return all(inner.get(name, rest)(one) for name, one in value.items())

        return fits


_SCALARS = ("minimum", "maximum", "minLength", "maxLength", "pattern")
_LISTS = ("items", "minItems", "maxItems", "uniqueItems")
_MAPPINGS = ("required", "properties", "additionalProperties", "propertyNames", "minProperties", "maxProperties")


def _scalar_check(schema: Mapping[str, Any]) -> Check | None:
    if not any(word in schema for word in _SCALARS):
        return None
    least, most = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    short, long = schema.get("minLength", 0), schema.get("maxLength", float("inf"))
    found = pattern(schema["pattern"]).search if "pattern" in schema else None

    def fits(value: Any) -> bool:
        kind = type(value)
        if kind is int or kind is float:
            return bool(least <= value <= most)
        if kind is str:
            return short <= len(value) <= long and (found is None or found(value) is not None)
        return True

    return fits
