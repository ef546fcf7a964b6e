"""Ed25519 in plain arithmetic (RFC 8032), to make signatures that no honest signer makes. Slow and for tests only."""

from __future__ import annotations

from hashlib import sha512

P = (1 << 255) - 19
L = (1 << 252) + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
"""A square root of -1."""

Point = tuple[int, int, int, int]
"""X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z."""
NEUTRAL: Point = (0, 1, 1, 0)


def add(a: Point, b: Point) -> Point:
    """The sum of two points."""
    m, n = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    o, q = 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = n - m, q - o, q + o, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n: int, point: Point) -> Point:
    """A point added to itself n times."""
    total = NEUTRAL
    while n > 0:
        if n & 1:
            total = add(total, point)
        point, n = add(point, point), n >> 1
    return total


def same(a: Point, b: Point) -> bool:
    """Whether two points are one."""
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 == (a[1] * b[2] - b[1] * a[2]) % P


def on_curve(y: int, sign: int) -> Point | None:
    """The point with that y and that parity of x, if there is one."""
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * ROOT % P
    if x * x % P != square:
        return None
    x = P - x if x and x & 1 != sign else x
    return x, y % P, 1, x * y % P


def encode(point: Point) -> bytes:
    """The 32 bytes of a point."""
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return raw(y, x & 1)


def raw(y: int, sign: int) -> bytes:
    """32 bytes that say y and a sign, canonical or not."""
    return (y | sign << 255).to_bytes(32, "little")


def decode(data: bytes) -> Point | None:
    """The point that 32 bytes encode, canonically or not."""
    number = int.from_bytes(data, "little")
    return on_curve((number & (1 << 255) - 1) % P, number >> 255)


def _base() -> Point:
    found = on_curve(4 * pow(5, P - 2, P) % P, 0)
    assert found is not None
    return found


BASE = _base()


def _torsion() -> list[Point]:
    """The eight points whose order divides eight, multiples of one of order eight."""
    y = 2
    while True:
        point = on_curve(y, 0)
        if point is not None:
            small = times(L, point)
            if not same(times(4, small), NEUTRAL):
                return [times(n, small) for n in range(8)]
        y += 1


TORSION = _torsion()


def challenge(r: bytes, a: bytes, message: bytes, prefix: bytes = b"") -> int:
    """The h of a signature."""
    return int.from_bytes(sha512(prefix + r + a + message).digest(), "little") % L


def join(r: bytes, s: int) -> bytes:
    """A signature from its halves."""
    return r + s.to_bytes(32, "little")


def holds(a: bytes, message: bytes, signature: bytes, cofactor: int = 1) -> bool:
    """The verification equation alone, with or without the cofactor; nothing is asked of the encodings."""
    point, r = decode(a), decode(signature[:32])
    if point is None or r is None:
        return False
    h, s = challenge(signature[:32], a, message), int.from_bytes(signature[32:], "little")
    left, right = times(cofactor * s, BASE), times(cofactor, add(r, times(h, point)))
    return same(left, right)
