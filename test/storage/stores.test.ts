import { describe } from "bun:test";
import { DATABASES } from "./databases.ts";
import { accountStoreSuite } from "./store-suite.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`account stores on ${kind}`, () => accountStoreSuite(kind));
}
