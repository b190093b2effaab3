import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Person, type Place, startPlace } from "./command-line.ts";

let place: Place;
let ann: Person;
let env: Record<string, string>;
beforeAll(async () => {
  place = await startPlace();
  ann = place.person();
  await ann.signUp("ann@example.com");
  env = { TURNPIKE_KEY: (await ann.run(["keys", "create", "mine", "--quiet"])).out.trim() };
});
afterAll(() => place.close());

const draw = (...args: string[]) =>
  ann.run(["images", "A cat", "-m", "echo-image", "--size", "64x64", ...args], { env });
const isPng = (file: string): boolean =>
  readFileSync(join(ann.home, file)).subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"));

test("a picture is written to the file, and several get a number each", async () => {
  expect(await draw("--out", "cat.png", "--quiet")).toEqual({ code: 0, out: "cat.png\n", err: "" });
  expect(isPng("cat.png")).toBeTrue();
  expect((await draw("--out", "cats.png", "--count", "2", "-o", "csv")).out).toMatch(
    /^FILE,BYTES\r\ncats-1\.png,\d+\r\ncats-2\.png,\d+\r\n$/,
  );
  expect([isPng("cats-1.png"), isPng("cats-2.png"), existsSync(join(ann.home, "cats.png"))]).toEqual([
    true,
    true,
    false,
  ]);
});

test("what cannot be written is not drawn, and what is refused leaves no file", async () => {
  let calls = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      calls++;
      return Response.json({ data: [{ b64_json: "AAAA" }] });
    },
  });
  const bob = place.person(server.url.href);
  const drawTo = (out: string) => bob.run(["images", "x", "-m", "m", "--out", out], { env });
  expect([(await drawTo("nowhere/cat.png")).code, calls]).toEqual([2, 0]);
  const folder = await drawTo(".");
  expect([folder.code, folder.err, calls]).toEqual([2, expect.stringContaining(". is a folder."), 0]);
  expect([(await drawTo("cat.png")).code, calls]).toEqual([0, 1]);
  for (const out of ["cat.png/second.png", "cat.png/third/second.png"]) {
    const under = await drawTo(out);
    expect([under.code, under.err, calls]).toEqual([2, expect.stringContaining("cannot be written"), 1]);
  }
  await server.stop(true);
  const refused = await ann.run(["images", "x", "-m", "nothing", "--out", "x.png"], { env });
  expect([refused.code, existsSync(join(ann.home, "x.png"))]).toEqual([5, false]);
  expect((await ann.run(["images", "x", "-m", "echo-image", "--out", "x.png"])).code).toBe(3);
});

test("a picture that lies elsewhere is fetched from there, without the key", async () => {
  const seen: (string | null)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request): Response {
      if (new URL(request.url).pathname === "/gone.png") return new Response("gone", { status: 404 });
      if (request.method === "GET") {
        seen.push(request.headers.get("authorization"), request.headers.get("x-gw-api-key"));
        return new Response("the picture");
      }
      const name = request.headers.get("authorization") === "Bearer sk-gone" ? "gone" : "cat";
      return Response.json({ data: [{ url: `${server.url.href}${name}.png` }] });
    },
  });
  const bob = place.person(server.url.href);
  const ask = (key: string) => bob.run(["images", "x", "-m", "m", "--out", "cat.png"], { env: { TURNPIKE_KEY: key } });
  expect((await ask("sk-cat")).code).toBe(0);
  expect(readFileSync(join(bob.home, "cat.png"), "utf8")).toBe("the picture");
  expect(seen).toEqual([null, null]);
  const gone = await ask("sk-gone");
  expect([gone.code, gone.err]).toEqual([7, expect.stringContaining("answered 404")]);
  expect(readFileSync(join(bob.home, "cat.png"), "utf8")).toBe("the picture");
  await server.stop(true);
});
