import type { Provider } from "../dialect.ts";
import { buildRow } from "./build-row.ts";
import { HOSTS } from "./hosts.ts";
import { MAKERS } from "./makers.ts";
import { RESELLERS } from "./resellers.ts";
import type { Row } from "./row.ts";
import { SELF_HOSTED } from "./self-hosted.ts";

/** Every upstream that speaks OpenAI's interface, one row each. What a row can say stands in row.ts. */
export const ROWS: readonly Row[] = [...MAKERS, ...HOSTS, ...RESELLERS, ...SELF_HOSTED];

export const openAiLike: readonly Provider[] = ROWS.map(buildRow);
