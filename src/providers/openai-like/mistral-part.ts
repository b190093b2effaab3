import { isRecord } from "../../lib/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Mistral reads documents, but knows a file only as one that was stored with it; what lies in the request has a part of its own. */
export function mistralPart(part: Fields): Fields {
  const { type, file } = part;
  if (type !== "file" || !isRecord(file)) return part;
  const { file_data: data, file_id: id, filename } = file;
  const named = typeof filename === "string" && filename !== "" ? { document_name: filename } : {};
  if (typeof data === "string" && data !== "") return { type: "document_url", document_url: addressOf(data), ...named };
  return typeof id === "string" && id !== "" ? { type, file_id: id } : part;
}

/** Clients may leave the head of a data: URL out; of the types that can be meant only a PDF shows itself. */
const addressOf = (data: string): string => (data.startsWith("JVBERi0") ? `data:application/pdf;base64,${data}` : data);
