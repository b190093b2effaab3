import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import type { ResponseDeps } from "../../gateway/interfaces/responses/respond.ts";
import type { Route } from "../../http/route.ts";
import { chatCompletions } from "./chat-completions.ts";
import { completions } from "./completions.ts";
import { embeddings } from "./embeddings.ts";
import { embedContents, generateContent } from "./generate-content.ts";
import { imageEdits } from "./image-edits.ts";
import { images } from "./images.ts";
import { messages } from "./messages.ts";
import { moderations } from "./moderations.ts";
import { rerankDocuments } from "./rerank.ts";
import { countResponseInput, createResponse } from "./responses.ts";
import { speech } from "./speech.ts";
import { transcriptions } from "./transcriptions.ts";
import { translations } from "./translations.ts";

/** Everything that calls a model. */
export function inferenceRoutes(deps: GatewayDeps, responses: Omit<ResponseDeps, "gateway">): Route[] {
  const asked = { gateway: deps, ...responses };
  const all = [...listed(deps), createResponse(asked), countResponseInput(asked)];
  return all.map((route) => ({ ...route, sheddable: true }));
}

const listed = (deps: GatewayDeps): Route[] => [
  ...chatCompletions(deps),
  ...completions(deps),
  ...messages(deps),
  ...generateContent(deps),
  ...embedContents(deps),
  ...embeddings(deps),
  moderations(deps),
  ...images(deps),
  ...imageEdits(deps),
  ...speech(deps),
  ...transcriptions(deps),
  ...translations(deps),
  rerankDocuments(deps),
];
