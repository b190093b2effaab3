import { createHash } from "node:crypto";
import { randomBase62 } from "../lib/ids.ts";

/** By their beginning, links can be told apart, and the log knows them for what they are. */
export type LinkKind = "inv" | "rst" | "rsm" | "vfy";

/** 256 bits: nobody finds one by trying. */
export const newLinkSecret = (kind: LinkKind): string => `${kind}-${randomBase62(43)}`;

/** The beginning is hashed with the rest: nobody makes a link of one kind from one of another. */
export const isOfKind = (secret: string, kind: LinkKind): boolean => secret.startsWith(`${kind}-`);

/** What is stored of it. */
export const hashLink = (secret: string): string => createHash("sha256").update(secret).digest("hex");
