import type { Route } from "../../http/route.ts";
import { blockModel } from "./block-model.ts";
import { deleteModel } from "./delete-model.ts";
import { newModel } from "./new-model.ts";
import type { StoredModelRouteDeps } from "./stored-model-deps.ts";
import { testConnection } from "./test-connection.ts";
import { updateModel } from "./update-model.ts";

/** Models that operators keep in the database, as those who script the gateway know these operations. */
export const storedModelRoutes = (deps: StoredModelRouteDeps): Route[] => [
  newModel(deps),
  ...updateModel(deps),
  deleteModel(deps),
  ...blockModel(deps),
  testConnection(deps),
];
