import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const { RUNTIME_ENV } = await import(join(ROOT, "scripts/launch.mjs"));
const FILES = readdirSync(join(ROOT, "deploy"));
const README = read("README.md");

describe("files for those who run it", () => {
  test("name no variable of ours that the README does not", () => {
    const named = FILES.flatMap((file) => read(`deploy/${file}`).match(/\bTURNPIKE_[A-Z_]+[A-Z]\b/g) ?? []);
    expect(named.length).toBeGreaterThan(10);
    expect([...new Set(named)].filter((name) => !README.includes(`\`${name}\``))).toEqual([]);
  });

  test.each(FILES)("docs/deploy.md tells of %s", (file) => {
    expect(read("docs/deploy.md")).toContain(`deploy/${file}`);
  });

  test.each(["deploy/compose.yaml", "deploy/kubernetes.yaml"])("%s is YAML without faults", (path) => {
    const documents = parseAllDocuments(read(path));
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  });
});

test("the passwords that compose.yaml reads from deploy/.env reach neither git nor an image", () => {
  expect(read(".gitignore").split("\n")).toContain(".env");
  expect(read(".dockerignore").split("\n")).toContain("**/.env");
});

describe("the container", () => {
  const dockerfile = read("deploy/Dockerfile");

  test("has the runtime told what the launcher tells it", () => {
    const told = Object.fromEntries(
      [...dockerfile.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    expect(told).toMatchObject(RUNTIME_ENV);
  });

  test("copies what the program reads from its folder", () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(([, path = ""]) => path);
    // Paths that are asked for in the sources, below PROGRAM_ROOT.
    for (const path of ["package.json", "node_modules", "web/dist", "sdk/typescript", "src", "dist"]) {
      expect(copied).toContain(path);
    }
    expect(copied.filter((path) => !/dist$/.test(path) && !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("leaves out nothing that it is made from", () => {
    const left = new Set(read(".dockerignore").trim().split("\n"));
    for (const path of ["bin", "package.json", "package-lock.json", "scripts", "sdk", "src", "tsconfig.json", "web"]) {
      expect(existsSync(join(ROOT, path))).toBe(true);
      expect(left.has(path)).toBe(false);
    }
  });
});

describe("servers in a cluster", () => {
  const [set, service] = parseAllDocuments(read("deploy/kubernetes.yaml")).map((document) => document.toJS());
  const [container] = set.spec.template.spec.containers;

  test("are not told the address of their own service as TURNPIKE_PORT", () => {
    expect([service.metadata.name, set.spec.template.spec.enableServiceLinks]).toEqual(["turnpike", false]);
  });

  test("have as much time to stop as running calls are given, and more", () => {
    const seconds = Number(/drain_timeout: (\d+)/.exec(read("turnpike.example.yaml"))?.[1]);
    expect(set.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(seconds + 5);
    expect(Number(/^TimeoutStopSec=(\d+)/m.exec(read("deploy/turnpike.service"))?.[1])).toBeGreaterThan(seconds + 5);
    expect(Number(/stop_grace_period: (\d+)s/.exec(read("deploy/compose.yaml"))?.[1])).toBeGreaterThan(seconds + 5);
  });

  test("are probed at addresses that there are", () => {
    const probes = ["readinessProbe", "livenessProbe", "startupProbe"].map((name) => container[name].httpGet.path);
    const served = readdirSync(join(ROOT, "src/routes/service")).map((file) => read(`src/routes/service/${file}`));
    for (const path of probes) expect(served.some((source) => source.includes(`"${path}"`))).toBe(true);
  });
});
