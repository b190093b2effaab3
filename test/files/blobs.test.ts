import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bucketBlobs } from "../../src/files/blobs/bucket-blobs.ts";
import { folderBlobs } from "../../src/files/blobs/folder-blobs.ts";
import { Files } from "../../src/files/files.ts";
import type { FileStores } from "../../src/files/store.ts";
import { createLogger } from "../../src/lib/log.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { startBucket } from "./bucket.ts";

describe("blobs in a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-blobs-"));
  const blobs = folderBlobs(folder);
  afterAll(() => rmSync(folder, { recursive: true }));
  const bytes = (text: string) => new Response(text).body as ReadableStream<Uint8Array>;

  test("are whole or not there", async () => {
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
      pull: (controller) => controller.error(new Error("gone")),
    });
    const failed = await blobs.put("a", broken).then(
      () => false,
      () => true,
    );
    expect([failed, readdirSync(folder)]).toEqual([true, []]);
    expect(await blobs.read("a")).toBeNull();
  });

  test("go when no file has them any more, unless they are being uploaded", async () => {
    const clock = new SteppedClock();
    const known = async (ids: readonly string[]) => new Set(ids.filter((id) => id === "kept"));
    const stores = {
      files: { removeExpired: async () => [], known },
      vectorStores: { clearExpired: async () => 0 },
    } as unknown as FileStores;
    const storage = { admit: async () => undefined };
    const files = new Files({ stores, blobs, storage, clock, log: createLogger("error", () => undefined) });
    await blobs.put("kept", bytes("a"));
    await blobs.put("orphan", bytes("b"));
    await files.tidy();
    expect(readdirSync(folder).sort()).toEqual(["kept", "orphan"]);
    clock.step(2 * 3_600_000);
    await files.tidy();
    expect(readdirSync(folder)).toEqual(["kept"]);
  });
});

describe("blobs in a bucket", () => {
  test("are put in parts, read, listed and removed", async () => {
    const bucket = startBucket();
    const settings = { endpoint: bucket.url, region: "test", accessKeyId: "id", secretAccessKey: "secret" };
    const blobs = bucketBlobs({ bucket: "files", prefix: "tp/", ...settings });
    const large = crypto.getRandomValues(new Uint8Array(64 * 1024));
    const chunks = 320;
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ < chunks) controller.enqueue(large);
        else controller.close();
      },
    });
    await blobs.put("large", stream);
    await blobs.put("small", new Response("few bytes").body as ReadableStream<Uint8Array>);
    expect([...bucket.objects.keys()].sort()).toEqual(["tp/large", "tp/small"]);
    expect(bucket.objects.get("tp/large")?.length).toBe(chunks * large.length);
    expect(bucket.parts).toBeGreaterThan(1);
    const read = await blobs.read("small");
    expect(await new Response(read).text()).toBe("few bytes");
    expect(await blobs.read("none")).toBeNull();
    const names: string[] = [];
    for await (const name of blobs.list(Date.now() + 60_000)) names.push(name);
    expect(names.sort()).toEqual(["large", "small"]);
    await blobs.remove("small");
    expect([...bucket.objects.keys()]).toEqual(["tp/large"]);
    bucket.stop();
  });
});
