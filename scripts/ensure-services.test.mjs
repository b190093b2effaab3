import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forbidServiceStarts } from "./ensure-services.mjs";

test("service starts are forbidden for the while of an install, and a policy that was there stays as it was", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-policy-"));
  const policy = join(folder, "policy-rc.d");
  const allow = forbidServiceStarts(policy);
  expect(Bun.spawnSync([policy]).exitCode).toBe(101);
  allow();
  expect(existsSync(policy)).toBe(false);

  writeFileSync(policy, "theirs");
  forbidServiceStarts(policy)();
  expect(readFileSync(policy, "utf8")).toBe("theirs");
  rmSync(folder, { recursive: true });
});
