/**
 * The runtime puts a function of its own objects there when it is first used, and the object is another one to compiled
 * code then: all of a call's code was compiled anew, for half a second of CPU, when `Promise.allSettled` was first called
 * after thirty seconds. Here everything is put there before anything is compiled. Of `Bun` only what we use: some of it is
 * whole libraries.
 */
export function fillBuiltins(): void {
  for (const holder of [Promise, Object, Array, Number, String, BigInt, Date, Math, JSON, Reflect, Buffer, performance]) {
    for (const name of Object.getOwnPropertyNames(holder)) Reflect.get(holder, name);
  }
  for (const name of OF_BUN) Reflect.get(Bun, name);
}

const OF_BUN = ["CryptoHasher", "deepEquals", "file", "gc", "hash", "mmap", "randomUUIDv7", "sleep", "spawn", "write"];
