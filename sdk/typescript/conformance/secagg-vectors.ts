// Computes the vectors of ../../conformance/secagg/vectors.json anew and writes them to standard output.

import { readFileSync } from "node:fs";
import { changeOf } from "../src/secagg/change-of.ts";
import { seal, unseal } from "../src/secagg/derive.ts";
import { toWords } from "../src/secagg/fixed-point.ts";
import { addMask, bytesOf } from "../src/secagg/masks.ts";
import { randomSource } from "../src/secagg/random-source.ts";
import { splitSecret } from "../src/secagg/shamir.ts";
import { agree, publicOf } from "../src/secagg/x25519.ts";

const vectors = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
const hex = (value: Uint8Array | null) => (value === null ? null : Buffer.from(value).toString("hex"));

for (const vector of vectors.agree) vector.agreed = hex(agree(bytes(vector.secret), bytes(vector.public)));
for (const vector of vectors.public) vector.public = hex(publicOf(bytes(vector.secret)));
for (const vector of vectors.iterated) {
  let secret: Uint8Array = bytes(`09${"00".repeat(31)}`);
  let point = secret;
  for (let time = 0; time < vector.times; time++) [secret, point] = [agree(secret, point) ?? secret, secret];
  vector.result = hex(secret);
}
for (const vector of vectors.shamir) {
  randomSource.bytes = () => bytes(vector.random);
  vector.shares = splitSecret(bytes(vector.secret), vector.threshold, vector.places).map(hex);
}
for (const vector of vectors.masks) {
  const words = new Uint32Array(vector.words).fill(vector.start);
  addMask(words, bytes(vector.seed), vector.sign);
  vector.some = vector.places.map((place: number) => words[place]);
}
for (const vector of vectors.words) {
  const change = { length: vector.change.length, pieces: [vector.change.slice(0, 1), vector.change.slice(1)] };
  const words = toWords(change, vector.weight, { clip: vector.clip, maxWeight: vector.max_weight });
  vector.bytes = hex(bytesOf(words));
}
for (const vector of vectors.changes) {
  const words = toWords(changeOf(bytes(vector.base), bytes(vector.trained)), 1, { clip: 8, maxWeight: 1 });
  vector.bytes = hex(bytesOf(words));
}
for (const vector of vectors.sealed) {
  const envelope = { agreed: bytes(vector.agreed), transcript: bytes(vector.transcript), from: "a", to: "b" };
  vector.sealed = hex(seal(bytes(vector.plain), envelope));
  vector.opened = hex(unseal(bytes(vector.sealed), envelope));
  vector.turned = hex(unseal(bytes(vector.sealed), { ...envelope, from: "b", to: "a" }));
}
process.stdout.write(JSON.stringify(vectors));
