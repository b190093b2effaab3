import { isRecord, textOf } from "../../../lib/json.ts";
import type { Fields } from "../../call/gateway.ts";
import type { ResponseMetadata } from "../../call/response-metadata.ts";
import { recordsIn } from "../shared/read-chunk.ts";
import { finishReason, likelihoods, sourcesOf } from "./candidate.ts";
import { generatedParts } from "./generated-parts.ts";
import { generatedUsage } from "./generated-usage.ts";

/** A chat's answer in Google's form. It is read as what it is: something that an upstream wrote. */
export function toGenerated(
  answer: unknown,
  showsThoughts: boolean,
  estimate: ResponseMetadata["estimate"] = null,
): Fields {
  const { id, model, choices, usage } = isRecord(answer) ? answer : ({} as Fields);
  return {
    candidates: recordsIn(choices).map((choice, at) => {
      const said = isRecord(choice.message) ? choice.message : {};
      return {
        content: { parts: generatedParts(said, showsThoughts), role: "model" },
        finishReason: finishReason(choice),
        index: typeof choice.index === "number" ? choice.index : at,
        ...sourcesOf(said),
        ...likelihoods(choice.logprobs),
      };
    }),
    ...generatedUsage(usage, estimate),
    modelVersion: textOf(model) ?? "",
    responseId: responseId(id),
  };
}

export const responseId = (id: unknown): string => (textOf(id) ?? "").replace(/^chatcmpl-/, "");
