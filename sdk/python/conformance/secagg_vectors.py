"""Computes the vectors of ../../conformance/secagg/vectors.json anew and writes them to standard output."""

import json
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from turnpike_participant._secagg import random_source  # noqa: E402
from turnpike_participant._secagg.change import change_of  # noqa: E402
from turnpike_participant._secagg.derive import Envelope, seal, unseal  # noqa: E402
from turnpike_participant._secagg.fixed_point import to_words  # noqa: E402
from turnpike_participant._secagg.masks import add_mask  # noqa: E402
from turnpike_participant._secagg.shamir import split_secret  # noqa: E402
from turnpike_participant._secagg.x25519 import agree, public_of  # noqa: E402

vectors = json.loads(Path(sys.argv[1]).read_text())
read = bytes.fromhex


def text(data):
    return None if data is None else data.hex()


for vector in vectors["agree"]:
    vector["agreed"] = text(agree(read(vector["secret"]), read(vector["public"])))
for vector in vectors["public"]:
    vector["public"] = text(public_of(read(vector["secret"])))
for vector in vectors["iterated"]:
    secret = point = read("09" + "00" * 31)
    for _ in range(vector["times"]):
        secret, point = agree(secret, point), secret
    vector["result"] = text(secret)
for vector in vectors["shamir"]:
    random_source.draw = lambda count, random=vector["random"]: read(random)
    shares = split_secret(read(vector["secret"]), vector["threshold"], vector["places"])
    vector["shares"] = [text(share) for share in shares]
for vector in vectors["masks"]:
    words = bytearray(struct.pack("<I", vector["start"]) * vector["words"])
    add_mask(words, read(vector["seed"]), vector["sign"])
    vector["some"] = [struct.unpack_from("<I", words, place * 4)[0] for place in vector["places"]]
for vector in vectors["words"]:
    pieces = [vector["change"][:1], vector["change"][1:]]
    vector["bytes"] = text(to_words(pieces, vector["weight"], vector["clip"], vector["max_weight"]))
for vector in vectors["changes"]:
    vector["bytes"] = text(to_words(change_of(read(vector["base"]), read(vector["trained"])), 1, 8, 1))
for vector in vectors["sealed"]:
    agreed, transcript = read(vector["agreed"]), read(vector["transcript"])
    vector["sealed"] = text(seal(read(vector["plain"]), Envelope(agreed, transcript, "a", "b")))
    vector["opened"] = text(unseal(read(vector["sealed"]), Envelope(agreed, transcript, "a", "b")))
    vector["turned"] = text(unseal(read(vector["sealed"]), Envelope(agreed, transcript, "b", "a")))
sys.stdout.write(json.dumps(vectors))
