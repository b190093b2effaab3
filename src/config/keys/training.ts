import { keyTable } from "./key-table.ts";

export const TRAINING = keyTable({ served: "allow_private_participants parallel_runs keep_free_mb" });
