import { describe, expect, test } from "bun:test";
import type { StoreBench } from "../store-bench.ts";

export function settingSuite(bench: StoreBench): void {
  describe("settings", () => {
    test("the last value put is the one found", async () => {
      const { settings } = bench.stores;
      expect(await settings.find("colour")).toBeNull();
      await settings.put("colour", "red");
      await settings.put("colour", "blue");
      expect(await settings.find("colour")).toBe("blue");
    });
  });
}
