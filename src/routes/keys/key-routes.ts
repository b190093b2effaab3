import type { Route } from "../../http/route.ts";
import { createKey } from "./create-key.ts";
import { getKey } from "./get-key.ts";
import type { KeyRouteDeps } from "./key-route-deps.ts";
import { listKeys } from "./list-keys.ts";
import { pickUpKey } from "./pick-up-key.ts";
import { removeKey } from "./remove-key.ts";
import { renameKey } from "./rename-key.ts";
import { rotateKey } from "./rotate-key.ts";
import { switchKey } from "./switch-key.ts";
import { updateKey } from "./update-key.ts";

/** The keys with which models are called. */
export const keyRoutes = (deps: KeyRouteDeps): Route[] => [
  listKeys(deps),
  createKey(deps),
  getKey(deps),
  renameKey(deps),
  updateKey(deps),
  rotateKey(deps),
  pickUpKey(deps),
  ...switchKey(deps),
  ...removeKey(deps.keys),
];
