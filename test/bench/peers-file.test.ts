import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parsePeers, readPeersFile } from "../../bench/peers-file.ts";

const STARTED = { name: "relay", features: "none", command: ["relay", "--port", "{port}"], model: "bench" };
const CONNECTED = { name: "other", features: "none", address: "http://127.0.0.1:8080", pid: 12, model: "bench" };
const parse = (...peers: readonly object[]) => parsePeers(JSON.stringify({ peers }), "/some/folder/peers.json");

test("a peers file declares gateways to start and gateways that run already", () => {
  const [started, connected] = parse(STARTED, { ...CONNECTED, headers: { authorization: "Bearer a" } });
  expect(started).toEqual({ ...STARTED, folder: "/some/folder" });
  expect(connected?.headers).toEqual({ authorization: "Bearer a" });
});

test.each([
  ["{", "The file must contain JSON"],
  ["[]", "The file must be object"],
  [JSON.stringify({ peers: [] }), "peers must not have fewer than 1 items"],
])("a file without peers is rejected: %s", (text, problem) => {
  expect(() => parsePeers(text, "peers.json")).toThrow(problem);
});

test.each<[Record<string, unknown>, string]>([
  [{ ...STARTED, model: undefined }, "peers[0] must have required properties model"],
  [{ ...STARTED, modle: "bench" }, "peers[0] must not have additional properties: modle"],
  [{ ...STARTED, model: 7 }, "peers[0].model must be string"],
  [{ ...STARTED, name: "My Peer" }, "peers[0].name must match pattern"],
  [{ ...STARTED, command: undefined }, "peers[0] must have either `address` or `command`"],
  [{ ...STARTED, address: CONNECTED.address }, "peers[0] must have either `address` or `command`"],
  [{ ...STARTED, pid: 12 }, "peers[0] must not have a `pid` with a `command`"],
  [{ ...STARTED, command: ["relay", "{prot}"] }, "peers[0] has the unknown placeholder {prot}; use {upstream},"],
  [{ ...STARTED, headers: { "x-host": "{upsteam}" } }, "peers[0] has the unknown placeholder {upsteam}"],
  [{ ...CONNECTED, address: "http://example.com" }, "peers[0] must have an `address` on this machine"],
  [{ ...CONNECTED, address: "127.0.0.1" }, "peers[0] must have an `address` on this machine"],
  [{ ...CONNECTED, env: {} }, "peers[0] must not have `env` or `templates` without a `command`"],
])("a mistake in a peer is reported with its place: %j", (peer, problem) => {
  expect(() => parse(peer)).toThrow(problem);
});

test("every problem of a file is reported at once, under its name", () => {
  const failed = () => parse({ ...STARTED, pid: 1 }, { ...STARTED, address: CONNECTED.address });
  expect(failed).toThrow(/^peers\.json is not a valid peers file:\n.*peers\[0\].*\n.*peers\[1\].*\n.*relay must be/s);
});

test("the committed peers file is valid, and its templates exist", () => {
  const peers = readPeersFile(fileURLToPath(new URL("../../bench/peers/peers.json", import.meta.url)));
  expect(peers.map(({ name }) => name).toSorted()).toEqual(
    ["bifrost", "envoy", "gomodel", "litellm", "nginx", "portkey", "smg"].toSorted(),
  );
  for (const { folder, templates = [] } of peers) {
    for (const template of templates) expect(existsSync(join(folder, template))).toBe(true);
  }
});
