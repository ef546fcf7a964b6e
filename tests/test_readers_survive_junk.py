"""Whatever a file holds, its reader answers with what it means or with findings: no traceback, no hang, no flood.

Every reader is given samples that were cut, doubled, spliced, flipped and sprinkled with words that mean something to
it. `LEVELGEN_FUZZ=20000` tries so many a reader instead of a few, `-s` prints the slowest, and `LEVELGEN_FUZZ_KEEP`
names a folder to keep these in. Importers have a test of their own.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from levelgen.batch import Judge
from levelgen.document import load
from levelgen.errors import LevelgenError, Malformed, raise_for
from levelgen.faces import load_face_set, read_picture, survey
from levelgen.layout import MAX_FAULTS
from levelgen.moves import parse_log
from levelgen.pack.claims import parse_evidence
from levelgen.pack.manifest import parse_manifest, parse_preview
from levelgen.pack.records import encode_board, parse_boards, parse_certificate, parse_record
from levelgen.pack.signing import PAYLOAD_TYPE, read_envelope
from levelgen.pack.verify import verify_pack
from levelgen.pack.write import pack_archive
from levelgen.rate.calibration import Calibration, parse_calibration, read_plays
from levelgen.recipe import parse_recipe, plan, unfit
from levelgen.recipe.kept import Kept, parse_kept
from levelgen.saved import recover_log
from levelgen.seed import Stream
from levelgen.template import Library, compose, parse_template, pixels, read_library, trials
from levelgen.verify import open_pack
from tests.packs import TRUST, make_level, write_tiny
from tests.project import ROOT
from tests.test_trust_files_read_strictly import READERS as TRUST_FILES

ROUNDS = int(os.environ.get("LEVELGEN_FUZZ", "60"))
LIBRARY = read_library(ROOT / "templates" / "shapes")
SETS = {"AR1": load_face_set(ROOT / "faces" / "AR1"), "nepal": load_face_set(ROOT / "faces" / "nepal")}

BOARDS = (
    b"levelgen-board 1 pairs\nA = AR1_007\ntray C\nAABB\nAABB\nBBaa\nBBaa\nCC\nCC\n-- 1\n.DD\n.DD\n..DD\n..DD\n",
    b"levelgen-board 1 triples\nAABBAA\nAABBAA\nBBAABB\nBBAABB\n-- 1\n.CCCC\n.CCCC\n..CC\n..CC\n",
)
WORDS = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\t", b"-- 1\n", b"-- 99999999999\n", b"tray ", b"A = ",
    b"=", b"{", b"}", b"[", b"]", b": ", b"- ", b"|", b"&a ", b"*a", b"!!python/object ", b"---\n", b"$a*$a*$a*$a",
    b"1e999", b"-1", b"99999999999999", b"999999999999999999999", b"null", b"true", b".nan", b"range: [1, 128]",
    b"repeat: {count: 9999}", b"template: hut\n", b"pieces:\n", b"levels:\n", b"any: {tags: [symmetric]}", b"weight: 0",
    b"\xc3\xa9", b"\xed\xa0\x80", "\u2028".encode(), b"'", b'"', b"\\u0000", b"#", b"999999", b"0", b"128",
)  # fmt: skip


def mutated(samples: list[bytes], stream: Stream) -> bytes:
    """A sample with one to four things done to it."""
    data = samples[stream.below(len(samples))]
    for _ in range(1 + stream.below(4)):
        at, to = sorted((stream.below(len(data) + 1), stream.below(len(data) + 1)))
        to = min(to, at + 200)
        word = WORDS[stream.below(len(WORDS))]
        match stream.below(7):
            case 0:
                data = data[:at] + data[to:]
            case 1:
                data = data[:at] + word + data[at:]
            case 2:
                data = data[:at] + word + data[to:]
            case 3:
                data = data[:at] + data[at:to] * (1 + stream.below(6)) + data[to:]
            case 4:
                other = samples[stream.below(len(samples))]
                data = data[:at] + other[stream.below(len(other)) :][:300] + data[to:]
            case 5 if data:
                spot = min(at, len(data) - 1)
                data = data[:spot] + bytes([data[spot] ^ 1 << stream.below(8)]) + data[spot + 1 :]
            case _:
                digits = [spot for spot, byte in enumerate(data) if 48 <= byte <= 57]
                if digits:
                    spot = digits[stream.below(len(digits))]
                    data = data[:spot] + str(stream.below(200)).encode() + data[spot + 1 :]
    return data


def read_a_template(data: bytes) -> None:
    template = parse_template(load(data, "t.yaml", "template"), "", ROOT / "templates" / "shapes")
    library = Library([*(one for name, one in LIBRARY.items() if name != template.name), template])
    for seed, arguments in trials(template, library):
        compose(template, library, seed, arguments)


def read_a_recipe(data: bytes) -> None:
    recipe = parse_recipe(load(data, "r.yaml", "recipe"), LIBRARY, SETS, ROOT / "templates" / "packs")
    if recipe.sections[-1].last <= 300:
        list(unfit(recipe, plan(recipe, LIBRARY), LIBRARY))


def read_a_board_file(data: bytes) -> None:
    for deal in parse_boards(data, "b"):
        encode_board(deal)


def read_a_picture(data: bytes, folder: Path) -> None:
    (folder / "mask.png").write_bytes(data)
    pixels(folder / "mask.png")


def read_a_face(data: bytes, folder: Path) -> None:
    (folder / "face.png").write_bytes(data)
    read_picture(folder / "face.png")


def read_a_face_set(data: bytes, folder: Path) -> None:
    (folder / "nepal").mkdir(exist_ok=True)
    (folder / "nepal" / "faceset.yaml").write_bytes(data)
    survey(load_face_set(folder / "nepal"))


@cache
def tiny_archive() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        write_tiny(Path(name, "tiny"), 2, evidence={})
        return pack_archive(Path(name, "tiny")).read_bytes()


def verify_a_pack(data: bytes) -> None:
    """What is certified is the pack that was signed, or one whose untrusted parts are warned of."""
    report = verify_pack(data, TRUST)
    assert report.findings or (report.certified and (data == tiny_archive() or report.warnings))
    raise_for(report.findings)


def judge_a_line(data: bytes, folder: Path) -> None:
    answer, code = judge_of(folder).answer(1, data)
    assert code in (0, 1, 2, 4, 5), answer
    if code > 1:
        raise Malformed.of("line", answer)


@cache
def judge_of(folder: Path) -> Judge:
    write_tiny(folder / "tiny", 2)
    return Judge(open_pack(folder / "tiny", TRUST))


def files(*patterns: str) -> list[bytes]:
    return [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


@cache
def samples(reader: str) -> list[bytes]:
    """Sound files of that kind."""
    match reader:
        case "template":
            return files("templates/shapes/*.yaml")
        case "recipe":
            return files("templates/packs/*.yaml")
        case "boards":
            lines = [encode_board(deal) for text in BOARDS for deal in parse_boards(text)]
            return [*BOARDS, *lines, b"\n".join(lines)]
        case "picture":
            return files("templates/shapes/*.png")
        case "face":
            return files("faces/nepal/s*.png")
        case "faceset":
            return files("faces/nepal/faceset.yaml")
        case "record" | "certificate" | "preview":
            name = {"record": "levels", "certificate": "certificates", "preview": "previews"}[reader]
            return [line for file in files(f"out/*/{name}.jsonl") for line in file.split(b"\n")[:3]]
        case "manifest":
            return [read_envelope(data, PAYLOAD_TYPE, "m")[0] for data in files("out/*/manifest.dsse.json")]
        case "envelope":
            return files("out/*/manifest.dsse.json")
        case "evidence":
            return files("out/*/evidence/0002.*", "out/*/evidence/0012.*")
        case "trust" | "release" | "state" | "plan":
            return [TRUST_FILES[reader][1]]
        case "kept":
            return [Kept(*make_level(1)).encode()]
        case "plays":
            return [
                b"level,plays,wins,rating\na,9,3,120\nb,100,30,700\n",
                b"\xef\xbb\xbfcountry,level,plays,wins,rating\r\nnp,1,10,4,340\r\n",
            ]
        case "calibration":
            return [json.dumps(Calibration(((4, 9), (5, 10)), 1, 1, 1, 1, 1).to_json()).encode()]
        case "pack":
            return [tiny_archive()]
        case "line":
            log = '{"v":1,"pack":"tiny","level":1,"moves":["0-2","u"]}'
            return [f'{{"log":{log},"id":7,"balance":{{"undo":2}},"first":true}}'.encode(), log.encode()]  # fmt: skip
    return [
        b"levelgen-log 1 eram#1\n3-9 ^4 =12 7 u h s:x r g\n",
        b'{"v":1,"pack":"eram","level":1,"moves":["3-9","u"]}',
    ]


READERS: dict[str, Callable[[bytes, Path], object]] = {
    "template": lambda data, _: read_a_template(data),
    "recipe": lambda data, _: read_a_recipe(data),
    "boards": lambda data, _: read_a_board_file(data),
    "picture": read_a_picture,
    "face": read_a_face,
    "faceset": read_a_face_set,
    "record": lambda data, _: parse_record(data),
    "log": lambda data, _: parse_log(data, "log"),
    "saved": lambda data, _: recover_log(data, "log"),
    "certificate": lambda data, _: parse_certificate(data),
    "preview": lambda data, _: parse_preview(data),
    "manifest": lambda data, _: parse_manifest(data),
    "envelope": lambda data, _: read_envelope(data, PAYLOAD_TYPE, "m"),
    "evidence": lambda data, _: parse_evidence(data, "e"),
    "trust": lambda data, _: TRUST_FILES["trust"][0](data),
    "release": lambda data, _: TRUST_FILES["release"][0](data),
    "state": lambda data, _: TRUST_FILES["state"][0](data),
    "plan": lambda data, _: TRUST_FILES["plan"][0](data),
    "kept": lambda data, _: parse_kept(data, "k"),
    "plays": lambda data, _: read_plays(data.decode(errors="surrogateescape"), "p"),
    "calibration": lambda data, _: parse_calibration(data.decode(errors="surrogateescape"), "c"),
    "pack": lambda data, _: verify_a_pack(data),
    "line": judge_a_line,
}


def findings_of(reader: str, data: bytes, folder: Path) -> int:
    """How many findings there are to tell; whatever is no finding is a bug and goes through."""
    try:
        READERS[reader](data, folder)
    except LevelgenError as error:
        return sum(bool(one.code and one.message) for one in error.findings) or -1
    return 0


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_answers_whatever_it_reads(reader: str, tmp_path: Path) -> None:
    stream = Stream(f"junk/{ROUNDS}", reader)
    slowest, worst, sound, most = 0.0, b"", 0, 0
    for _ in range(ROUNDS):
        data = mutated(samples(reader), stream)
        start = time.process_time()
        found = findings_of(reader, data, tmp_path)
        seconds = time.process_time() - start
        sound += not found
        most = max(most, found)
        assert 0 <= found <= MAX_FAULTS + 1
        if seconds > slowest:
            slowest, worst = seconds, data
    print(f"{reader}: {ROUNDS} tried, {sound} sound, {most} findings at most, slowest {slowest:.3f} s of CPU")
    keep = os.environ.get("LEVELGEN_FUZZ_KEEP")
    if keep:
        Path(keep, reader).write_bytes(worst)


def test_every_sample_is_sound(tmp_path: Path) -> None:
    for reader in READERS:
        for data in samples(reader):
            assert findings_of(reader, data, tmp_path) == 0, reader
