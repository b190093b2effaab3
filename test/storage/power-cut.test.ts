import { expect, test } from "bun:test";
import type { Api } from "../../src/cli/api.ts";
import { download } from "../../src/cli/download.ts";
import { folderBlobs } from "../../src/files/blobs/folder-blobs.ts";
import { loadSecretFile } from "../../src/storage/secret-file.ts";
import { RunFiles } from "../../src/training/hosting/run-files.ts";
import { newFolder } from "../e2e/process.ts";
import { watchFlushes } from "../power-cut.ts";

const secrets = { secret: "s".repeat(16), masterKey: `sk-${"k".repeat(16)}` };

test.each<[string, (folder: string) => unknown]>([
  ["the secrets of the first start", (folder) => loadSecretFile(folder, () => secrets)],
  [
    "a model that a run begins with",
    (folder) => new RunFiles(`${folder}/training`, 0).keepInitial("r", Buffer.from("m")),
  ],
  ["a file that was uploaded", (folder) => folderBlobs(`${folder}/files`).put("f", new Blob(["text"]).stream())],
  ["a download", (folder) => download({} as Api, new Response("a model"), `${folder}/model.safetensors`, null)],
])("a power cut does not take away %s", async (_, write) => {
  const folder = newFolder();
  const flushes = watchFlushes();
  try {
    await write(folder.path);
    expect(flushes.lost(folder.path)).toEqual([]);
  } finally {
    flushes.end();
    folder.remove();
  }
});
