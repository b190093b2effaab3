import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileEndpoints } from "../../src/http/endpoints.ts";
import { uiRoutes } from "../../src/routes/ui/ui-routes.ts";
import { WebBuild } from "../../src/routes/ui/web-build.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-ui-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function build(script: string, builtAt: Date): void {
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(
    join(folder, "index.html"),
    `<meta name="csp-nonce" content="__CSP_NONCE__"><meta name="page-facts" content="__PAGE_FACTS__"><p>${script}</p>`,
  );
  writeFileSync(join(folder, "assets", script), "plain");
  writeFileSync(join(folder, "assets", `${script}.br`), "brotli");
  writeFileSync(join(folder, "assets", `${script}.gz`), "gzip");
  writeFileSync(join(folder, "favicon.svg"), "<svg/>");
  writeFileSync(join(folder, ".turnpike-built.json"), "{}");
  utimesSync(join(folder, "index.html"), builtAt, builtAt);
}

const pages = new WebBuild(folder);
const facts = { keyHeader: "x-gw-api-key", command: 'a "quoted" <command> of $& O\'Hara' };
const table = compileEndpoints(uiRoutes({ build: pages, facts }));

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const found = table.find(path);
  const operation = found?.endpoint.operations.get("GET");
  if (!found || !operation) throw new Error(`no route for ${path}`);
  const request = new Request(`http://turnpike.test${path}`, { headers });
  return operation.route.handle({ request, params: found.params } as never);
}

const nonceOf = async (answer: Response): Promise<string> => /content="(\w+)"/.exec(await answer.text())?.[1] ?? "";

describe("the pages", () => {
  test("that were not built are told of in words, with the way around them", async () => {
    const answer = await get("/ui");
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('href="/fallback/login"');
  });

  test("begin with one page, at every depth", async () => {
    build("index-1.js", new Date(1_000_000));
    for (const path of ["/ui", "/ui/", "/ui/keys", "/ui/teams/t_1/members"]) {
      const answer = await get(path);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-cache"]);
      expect(await answer.text()).toContain("index-1.js");
    }
  });

  test("are told what they show to be copied, as text", async () => {
    const page = await (await get("/ui/keys")).text();
    const [, told = ""] = /name="page-facts" content="([^"<>]*)"/.exec(page) ?? [];
    const decoded = told.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    expect(JSON.parse(decoded)).toEqual(facts);
    expect(page).not.toContain("<command>");
  });

  test("run no script but our files, and no style but our files and those with the nonce of the very answer", async () => {
    const [one, other] = [await get("/ui"), await get("/ui")];
    const policy = one.headers.get("content-security-policy") ?? "";
    const [first, second] = [await nonceOf(one), await nonceOf(other)];
    expect(first).toMatch(/^\w{22}$/);
    expect(second).not.toBe(first);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain(`style-src 'self' 'nonce-${first}';`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(one.headers.get("x-content-type-options")).toBe("nosniff");
    expect(one.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test.each([
    ["", null, "plain"],
    ["gzip, deflate, br, zstd", "br", "brotli"],
    ["gzip", "gzip", "gzip"],
    ["br;q=0, gzip", "gzip", "gzip"],
    ["br;q=0.5", "br", "brotli"],
    ["identity", null, "plain"],
  ])("send their files as they lie ready for %p", async (accepted, encoding, body) => {
    const answer = await get("/ui/assets/index-1.js", { "accept-encoding": accepted });
    expect([answer.headers.get("content-encoding"), await answer.text()]).toEqual([encoding, body]);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(answer.headers.get("vary")).toBe("accept-encoding");
  });

  test("have no file but those that were built, and none by a way around", async () => {
    for (const path of [
      "/ui/assets/none.js",
      "/ui/assets/%2e%2e%2f%2e%2e%2fpackage.json",
      "/ui/assets/../index.html",
    ]) {
      expect((await get(path).catch((thrown) => thrown)).kind).toBe("not_found");
    }
    // Anything else is an address of the program in the browser, and gets its first page.
    const stamp = await (await get("/ui/.turnpike-built.json")).text();
    expect(stamp).toContain("index-1.js");
  });

  test("that were built anew are served without a restart", async () => {
    build("index-2.js", new Date(2_000_000));
    expect(await (await get("/ui")).text()).toContain("index-2.js");
    expect((await get("/ui/assets/index-2.js")).status).toBe(200);
  });
});
