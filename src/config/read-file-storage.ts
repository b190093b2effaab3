import type { FilesConfig } from "./config.ts";
import { FILES_BUCKET } from "./keys/files-bucket.ts";
import { readUrl } from "./read-server.ts";
import { Section } from "./section.ts";

const MEBIBYTE = 1024 * 1024;
const FILE_MB = 512;
const QUOTA_MB = 1024;
const KEEP_FREE_MB = 512;

/** Reads where files are stored, how large they may be, how much is stored and which model finds files. */
export function readFileStorage(general: Section): FilesConfig {
  const map = general.map("files_bucket");
  const parts = new Section(general.scope).add(map?.node, map?.path ?? "", "files_bucket", FILES_BUCKET);
  if (map !== null) parts.require("bucket", map.node.at, map.path);
  const [accessKeyId, secretAccessKey] = [parts.text("access_key_id"), parts.text("secret_access_key")];
  if (accessKeyId !== null && secretAccessKey === null)
    parts.fault("access_key_id", "needs a `secret_access_key` beside it");
  const bucket = parts.text("bucket");
  const endpoint = readUrl(parts, "endpoint", /^https?:$/, "http:// or https://");
  const [region, prefix] = [parts.text("region"), parts.text("prefix") ?? "turnpike/"];
  return {
    bytesMax: Math.floor((general.number("max_file_size_mb", { min: 0.001, max: 8192 }) ?? FILE_MB) * MEBIBYTE),
    quotaBytes: Math.floor((general.number("storage_quota_mb", { min: 0 }) ?? QUOTA_MB) * MEBIBYTE),
    keepFreeMb: general.number("keep_free_mb", { integer: true, min: 0 }) ?? KEEP_FREE_MB,
    embeddingModel: general.text("file_search_model"),
    bucket: bucket === null ? null : { bucket, endpoint, region, accessKeyId, secretAccessKey, prefix },
  };
}
