import type { Route } from "../../http/route.ts";
import { getModel } from "./get-model.ts";
import { googleModels } from "./google-models.ts";
import { listModels } from "./list-models.ts";
import type { ModelDeps } from "./model-deps.ts";
import { modelGroupInfo } from "./model-group-info.ts";
import { modelInfo } from "./model-info.ts";

/** Everything that tells what can be called. */
export const modelRoutes = (deps: ModelDeps): Route[] => [
  listModels(deps),
  getModel(deps),
  ...googleModels(deps),
  modelInfo(deps),
  modelGroupInfo(deps),
];
