import Type from "typebox";
import { Deleted, RecordId } from "../../contract/assistants/parts.ts";
import { GatewayError } from "../../contract/errors.ts";
import { FileAnswer, FileQuery, PURPOSES, type Purpose, UploadForm } from "../../contract/files/files.ts";
import type { Files } from "../../files/files.ts";
import type { StoredFile } from "../../files/records.ts";
import type { MultipartForm } from "../../http/form.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { CursorList, listWire, seconds, secondsOrNull } from "../assistants/wire.ts";

const LIST_LIMIT = 10_000;
const NAME_CHARS_MAX = 500;
const params = Type.Object({ file_id: RecordId });
const shared = { tag: "Files", auth: "key", success: FileAnswer } as const;
const all = ["/v1/files", "/files"] as const;
const one = ["/v1/files/{file_id}", "/files/{file_id}"] as const;

export const fileRoutes = (files: Files, fileBytesMax: number): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: all,
    summary: "Upload a file",
    form: { schema: UploadForm, file: "file", fileBytesMax },
    errors: ["invalid_request", "team_blocked"],
    async handle({ caller, form }) {
      const { file } = form;
      const { purpose, expiresAfterMs } = readFields(form);
      const name = nameOf(file.name);
      const { sizeBytes } = file;
      const stored = await files.upload(caller, { name, purpose, expiresAfterMs, sizeBytes, read: () => file.read() });
      return json(fileWire(stored));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: all,
    summary: "List files",
    query: FileQuery,
    success: CursorList(FileAnswer),
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, query: { limit, order, after, purpose } }) {
      const cursor = {
        limit: limit ?? LIST_LIMIT,
        order: order ?? "desc",
        after: after ?? null,
        before: null,
      } as const;
      return json(listWire(await files.list(caller, cursor, purpose), fileWire));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: one,
    summary: "Get what is known of a file",
    params,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { file_id } }) {
      return json(fileWire(await files.get(caller, file_id)));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: ["/v1/files/{file_id}/content", "/files/{file_id}/content"],
    summary: "Get what a file holds",
    params,
    success: "application/octet-stream",
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { file_id } }) {
      const { file, bytes } = await files.content(caller, file_id);
      return new Response(bytes, {
        headers: {
          "content-type": "application/octet-stream",
          "content-length": String(file.sizeBytes),
          "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
          "x-content-type-options": "nosniff",
        },
      });
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: one,
    summary: "Delete a file",
    description: "With what it holds, and out of every vector store.",
    params,
    success: Deleted,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { file_id } }) {
      await files.remove(caller, file_id);
      return json({ id: file_id, object: "file", deleted: true });
    },
  }),
];

/** Without folders and control characters, and never cut through a character. */
const nameOf = (given: string): string => {
  const last = (given.split(/[/\\]/).at(-1) ?? "").replace(/\p{Cc}/gu, "");
  return last.slice(0, NAME_CHARS_MAX).replace(/[\ud800-\udbff]$/, "") || "file";
};

function readFields({ fields }: MultipartForm): { readonly purpose: Purpose; readonly expiresAfterMs: number | null } {
  const given = new Map(fields);
  const purpose = PURPOSES.find((one) => one === given.get("purpose"));
  if (purpose === undefined) {
    const [msg, type] = given.has("purpose")
      ? [`One of ${PURPOSES.join(", ")}`, "enum"]
      : ["Field required", "missing"];
    throw new GatewayError("validation", `The purpose is one of ${PURPOSES.join(", ")}.`, {
      faults: [{ loc: ["body", "purpose"], msg, type }],
    });
  }
  const anchor = given.get("expires_after[anchor]") ?? "created_at";
  if (anchor !== "created_at") {
    throw new GatewayError("validation", "A file stays for so long after it was made: the anchor is `created_at`.", {
      faults: [{ loc: ["body", "expires_after[anchor]"], msg: "created_at", type: "enum" }],
    });
  }
  const text = given.get("expires_after[seconds]");
  if (text === undefined) return { purpose, expiresAfterMs: null };
  const lifetime = Number(text);
  if (!Number.isInteger(lifetime) || lifetime < 3600 || lifetime > 2_592_000) {
    throw new GatewayError("validation", "A file stays for 3600 to 2592000 seconds.", {
      faults: [{ loc: ["body", "expires_after[seconds]"], msg: "3600 to 2592000", type: "range" }],
    });
  }
  return { purpose, expiresAfterMs: lifetime * 1000 };
}

const fileWire = (file: StoredFile) => ({
  id: file.id,
  object: "file",
  bytes: file.sizeBytes,
  created_at: seconds(file.createdAt),
  expires_at: secondsOrNull(file.expiresAt),
  filename: file.name,
  purpose: file.purpose,
  status: "processed",
  status_details: null,
});
