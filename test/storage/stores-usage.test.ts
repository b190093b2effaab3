import { describe } from "bun:test";
import { DATABASES } from "./databases.ts";
import { StoreBench } from "./store-bench.ts";
import { usageReadSuite } from "./suites/usage-reads.ts";
import { usageSumSuite } from "./suites/usage-sums.ts";
import { usageWriteSuite } from "./suites/usage-writes.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the usage store on ${kind}`, () => {
    const bench = new StoreBench(kind);
    usageWriteSuite(bench);
    usageReadSuite(bench);
    usageSumSuite(bench);
  });
}
