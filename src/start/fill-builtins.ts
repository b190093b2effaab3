/**
 * The runtime makes many of its own objects and functions when they are first used, and whatever holds them is another object
 * to compiled code from then on: that code is thrown away. All of a call was compiled anew, for half a second of CPU, when
 * half a minute after the start a function of `Promise` was first called, and when a global was first used while streams ran.
 * So everything is asked for once before anything is compiled, which takes 3 ms. Of `Bun` only what we use: some of it is
 * whole libraries.
 */
export function fillBuiltins(): void {
  for (const holder of [globalThis, ...HOLDERS]) {
    for (const name of Object.getOwnPropertyNames(holder)) Reflect.get(holder, name);
  }
  for (const name of OF_BUN) Reflect.get(Bun, name);
}

const HOLDERS = [
  Promise,
  Object,
  Array,
  Number,
  String,
  BigInt,
  Date,
  Math,
  JSON,
  Reflect,
  Uint8Array,
  Buffer,
  performance,
];
const OF_BUN = [
  "CryptoHasher",
  "deepEquals",
  "file",
  "gc",
  "hash",
  "mmap",
  "randomUUIDv7",
  "SHA256",
  "sleep",
  "spawn",
  "write",
];
