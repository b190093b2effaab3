"""The newest secure round of each run, in memory alone.

Nothing is given away that could unmask one update: a participant speaks about one list of survivors for a round, and
gives one kind of share of each of the others.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from .._failure import Failure, invalid
from .._json_scanner import Fields
from .derive import Envelope, commitment_of, pair_seed, proof_of, seal, unseal
from .fixed_point import to_words
from .masks import add_mask
from .random_source import random_bytes
from .requests import read_keys, read_limit, read_names, read_round_name, read_shares, read_terms
from .shamir import SECRET_BYTES, SHARE_BYTES, split_secret
from .transcript import PublicKeys, RoundName, Terms, transcript_of
from .x25519 import KEY_BYTES, agree, public_of

#: Runs that are remembered at once, and for how long after they were last heard of.
_RUNS_MAX = 16
_REMEMBERED_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class _Pair:
    """One share of somebody's mask key and one of its seed. Only one of the two is ever given away."""

    key: bytes
    seed: bytes


@dataclass(frozen=True)
class _Shared:
    keys: Dict[str, PublicKeys]
    transcript: bytes
    self_seed: bytes
    own: _Pair
    answer: Dict[str, Any]


class _State:
    """What a participant knows of a round: all of its secrets, and what it has said already."""

    def __init__(self, terms: Terms, own: str, group_secret: Optional[str]) -> None:
        self.terms = terms
        self.own = own
        self.cipher_secret = random_bytes(KEY_BYTES)
        self.mask_secret = random_bytes(KEY_BYTES)
        made = PublicKeys(own, public_of(self.cipher_secret), public_of(self.mask_secret))
        proof = None if group_secret is None else proof_of(group_secret, transcript_of(terms, [made]))
        self.public_keys = replace(made, proof=proof)
        self.shared: Optional[_Shared] = None
        self.received: Optional[Dict[str, _Pair]] = None
        #: A hash of the words that were masked: others are never masked in the same way.
        self.masked: Optional[bytes] = None
        self.survivors: Optional[List[str]] = None
        self.heard_at = 0.0


Mask = Callable[[Iterable[Sequence[float]], int], bytes]


def _conflict(reason: str, message: str) -> Failure:
    return Failure(409, reason, message)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


class SecureRounds:
    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        group_secret: Callable[[], Optional[str]] = lambda: None,
    ) -> None:
        self._now = now
        #: What all participants know and the coordinator does not; None where there is no such thing.
        self._group_secret = group_secret
        self._runs: "OrderedDict[str, _State]" = OrderedDict()
        self._lock = threading.RLock()

    def knows(self, run_id: Optional[str]) -> bool:
        """Whether a run is one whose updates are only given away masked."""
        with self._lock:
            self._forget()
            return run_id in self._runs

    def keys(self, fields: Fields) -> Dict[str, Any]:
        terms, own = read_terms(fields)
        with self._lock:
            state = self._known(terms.name) or self._begin(terms, own)
            if state.own != own or state.terms != terms:
                raise _conflict("round_conflict", "this attempt was begun with other terms")
            keys = state.public_keys
            vouched = {} if keys.proof is None else {"proof": _base64(keys.proof)}
            return {"cipher_key": _base64(keys.cipher_key), "mask_key": _base64(keys.mask_key), **vouched}

    def shares(self, fields: Fields) -> Dict[str, Any]:
        with self._lock:
            state = self._find(read_round_name(fields))
            keys = read_keys(fields)
            transcript = transcript_of(state.terms, keys)
            if state.shared is not None:
                if state.shared.transcript == transcript:
                    return state.shared.answer
                raise _conflict("round_conflict", "shares were made for other keys in this round")
            _check_keys(state, keys)
            _check_proofs(state.terms, keys, self._group_secret())
            state.shared = _share(state, keys, transcript)
            return state.shared.answer

    def receive(self, fields: Fields) -> Mask:
        """Opens the shares that the others sent; gives what masks an update afterwards."""
        with self._lock:
            state = self._find(read_round_name(fields))
            shared = state.shared
            if shared is None:
                raise _conflict("phase", "keys and shares come first")
            entries = read_shares(fields)
            senders = sorted([*entries, state.own])
            if any(sender == state.own or sender not in shared.keys for sender in entries):
                raise invalid("wrong_type", "shares must come from others whose keys are known", "shares")
            _check_enough(len(senders), state.terms.threshold, "shares")
            limit = read_limit(fields)
            if state.received is None:
                opened = {sender: _open(state, shared, sender, sealed) for sender, sealed in entries.items()}
                state.received = {name: opened.get(name, shared.own) for name in senders}
            elif list(state.received) != senders:
                raise _conflict("round_conflict", "shares of others were taken in this round")
            received = state.received
        return lambda change, weight: self._mask(state, shared, received, change, min(weight, limit))

    def unmask(self, fields: Fields) -> Dict[str, Any]:
        """Shares of the seeds of those who sent an update, and of the mask keys of those who did not."""
        with self._lock:
            state = self._find(read_round_name(fields))
            survivors = read_names(fields, "survivors")
            received = state.received
            if received is None or state.masked is None:
                raise _conflict("phase", "nothing was masked in this round")
            if state.own not in survivors or any(name not in received for name in survivors):
                message = "survivors must be of this round, this participant among them"
                raise invalid("wrong_type", message, "survivors")
            _check_enough(len(survivors), state.terms.threshold, "survivors")
            if state.survivors is not None and state.survivors != survivors:
                message = "shares were given for another list of survivors in this round"
                raise _conflict("already_unmasked", message)
            state.survivors = survivors
            alive = set(survivors)
            seeds = [(name, pair.seed) for name, pair in received.items() if name in alive]
            keys = [(name, pair.key) for name, pair in received.items() if name not in alive]
            return {"seeds": _told(seeds), "keys": _told(keys)}

    def _mask(
        self, state: _State, shared: _Shared, received: Dict[str, _Pair], change: Iterable[Sequence[float]], weight: int
    ) -> bytes:
        terms = state.terms
        words = to_words(change, min(weight, terms.max_weight), terms.clip, terms.max_weight)
        digest = hashlib.sha256(words).digest()
        with self._lock:
            if state.masked is not None and state.masked != digest:
                message = "another update was masked in this round; the difference would show"
                raise _conflict("round_conflict", message)
            state.masked = digest
        add_mask(words, shared.self_seed, 1)
        for name in received:
            if name != state.own:
                agreed = _agree_with(state.mask_secret, shared.keys[name].mask_key, name)
                add_mask(words, pair_seed(agreed, shared.transcript), 1 if state.own < name else -1)
        return bytes(words)

    def _known(self, name: RoundName) -> Optional[_State]:
        """The round as it stands, when it was begun here and nothing newer of its run is known."""
        self._forget()
        state = self._runs.get(name.run_id)
        if state is None:
            return None
        asked, newest = (name.round, name.attempt), (state.terms.name.round, state.terms.name.attempt)
        if asked < newest:
            raise _conflict("round_passed", "a later round or attempt of this run was begun")
        if asked > newest and name.round == newest[0] and state.survivors is not None:
            raise _conflict("already_unmasked", "shares were given in an earlier attempt at this round")
        if asked != newest:
            return None
        self._touch(state)
        return state

    def _find(self, name: RoundName) -> _State:
        state = self._known(name)
        if state is None:
            message = "this participant has not begun that round; it may have been started again since"
            raise _conflict("unknown_round", message)
        return state

    def _begin(self, terms: Terms, own: str) -> _State:
        state = _State(terms, own, self._group_secret())
        self._touch(state)
        self._forget()
        return state

    def _touch(self, state: _State) -> None:
        """Moves a run to the end: the one that was not heard of for longest comes first."""
        state.heard_at = self._now()
        self._runs[state.terms.name.run_id] = state
        self._runs.move_to_end(state.terms.name.run_id)

    def _forget(self) -> None:
        for run_id, state in list(self._runs.items()):
            if len(self._runs) > _RUNS_MAX or state.heard_at + _REMEMBERED_SECONDS <= self._now():
                del self._runs[run_id]


def _told(shares: Sequence[Tuple[str, bytes]]) -> List[Dict[str, str]]:
    return [{"participant": name, "share": _base64(share)} for name, share in shares]


def _check_enough(count: int, least: int, path: str) -> None:
    if count < least:
        raise invalid("too_few", f"{count} are fewer than this round needs ({least})", path)


def _check_keys(state: _State, keys: Sequence[PublicKeys]) -> None:
    if state.public_keys not in keys:
        raise _conflict("round_conflict", "the keys of this participant are not the ones it gave")
    if any(one.participant not in state.terms.participants for one in keys):
        raise invalid("wrong_type", "keys must be of participants of this round", "keys")
    every = [key for one in keys for key in (one.cipher_key, one.mask_key)]
    if len(set(every)) != len(every):
        raise invalid("bad_key", "a key stands twice", "keys")
    _check_enough(len(keys), state.terms.threshold, "keys")


def _check_proofs(terms: Terms, keys: Sequence[PublicKeys], group_secret: Optional[str]) -> None:
    """Where the group has a secret, keys count that are vouched for by it: nobody else's can be slipped in."""
    if group_secret is None:
        return
    for one in keys:
        if not hmac.compare_digest(one.proof or b"", proof_of(group_secret, transcript_of(terms, [one]))):
            message = f"the keys of {one.participant} are not vouched for by the group's secret"
            raise invalid("bad_key", message, "keys")


def _share(state: _State, keys: Sequence[PublicKeys], transcript: bytes) -> _Shared:
    """Splits both secrets among all whose keys are known, and seals each one's shares for it alone."""
    terms, own = state.terms, state.own
    places = [terms.participants.index(one.participant) + 1 for one in keys]
    self_seed = random_bytes(SECRET_BYTES)
    key_shares = split_secret(state.mask_secret, terms.threshold, places)
    seed_shares = split_secret(self_seed, terms.threshold, places)
    pairs = {one.participant: _Pair(key_shares[at], seed_shares[at]) for at, one in enumerate(keys)}
    shares = []
    for one in keys:
        if one.participant != own:
            agreed = _agree_with(state.cipher_secret, one.cipher_key, one.participant)
            pair = pairs[one.participant]
            sealed = seal(pair.key + pair.seed, Envelope(agreed, transcript, own, one.participant))
            shares.append({"participant": one.participant, "share": _base64(sealed)})
    answer = {"shares": shares, "commitment": _base64(commitment_of(self_seed, transcript))}
    return _Shared({one.participant: one for one in keys}, transcript, self_seed, pairs[own], answer)


def _open(state: _State, shared: _Shared, sender: str, sealed: bytes) -> _Pair:
    agreed = _agree_with(state.cipher_secret, shared.keys[sender].cipher_key, sender)
    plain = unseal(sealed, Envelope(agreed, shared.transcript, sender, state.own))
    if plain is None:
        message = f"the share from {sender} was not made by it for this participant"
        raise invalid("bad_share", message, "shares")
    return _Pair(plain[:SHARE_BYTES], plain[SHARE_BYTES:])


def _agree_with(secret: bytes, key: bytes, name: str) -> bytes:
    agreed = agree(secret, key)
    if agreed is None:
        raise invalid("bad_key", f"the key of {name} is none", "keys")
    return agreed
