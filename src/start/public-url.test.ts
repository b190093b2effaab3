import { describe, expect, test } from "bun:test";
import { loadConfig } from "../config/load.ts";
import { publicUrlOf } from "./public-url.ts";

function configOf(env: Record<string, string>) {
  const loaded = loadConfig({ file: null, env, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.config;
}

describe("the address in links", () => {
  test("has the port that is listened on, where the system chose it", () => {
    expect(publicUrlOf(configOf({ TURNPIKE_PORT: "0" }), 41_234)).toBe("http://127.0.0.1:41234");
  });

  test("has brackets around a number of IPv6", () => {
    expect(publicUrlOf(configOf({ TURNPIKE_HOST: "::1" }), null)).toBe("http://[::1]:4000");
  });
});
