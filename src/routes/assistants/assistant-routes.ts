import type { Assistants } from "../../assistants/assistants.ts";
import type { Runs } from "../../assistants/runs.ts";
import type { Threads } from "../../assistants/threads.ts";
import type { Route } from "../../http/route.ts";
import { assistantsRoutes } from "./assistants.ts";
import { messageRoutes } from "./messages.ts";
import { runRoutes } from "./runs.ts";
import { stepRoutes } from "./steps.ts";
import { threadRoutes } from "./threads.ts";

export interface AssistantServices {
  readonly assistants: Assistants;
  readonly threads: Threads;
  readonly runs: Runs;
}

/** OpenAI's assistants interface in its second version, for every model group. */
export const assistantRoutes = ({ assistants, threads, runs }: AssistantServices): Route[] => [
  ...assistantsRoutes(assistants),
  ...threadRoutes(threads),
  ...messageRoutes(threads),
  ...runRoutes(runs),
  ...stepRoutes(runs),
];
