import { keyTable } from "./key-table.ts";

export const FILES_BUCKET = keyTable({ served: "bucket endpoint region access_key_id secret_access_key prefix" });
