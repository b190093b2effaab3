import { describe } from "bun:test";
import { DATABASES } from "./databases.ts";
import { StoreBench } from "./store-bench.ts";
import { ledgerSuite } from "./suites/ledger.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the books on ${kind}`, () => ledgerSuite(new StoreBench(kind)));
}
