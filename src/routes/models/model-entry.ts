import { MODEL_CREATED_SECONDS, type ModelEntry } from "../../contract/models.ts";

export const modelEntry = (id: string, owner: string | undefined): ModelEntry => ({
  id,
  object: "model",
  created: MODEL_CREATED_SECONDS,
  owned_by: owner ?? "",
});
