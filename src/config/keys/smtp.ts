import { keyTable } from "./key-table.ts";

export const SMTP = keyTable({ served: "host port secure starttls username password from" });
