import type { Keys } from "../../accounts/keys.ts";
import type { Route } from "../../http/route.ts";
import { createKey } from "./create-key.ts";
import { getKey } from "./get-key.ts";
import { listKeys } from "./list-keys.ts";
import { removeKey } from "./remove-key.ts";
import { renameKey } from "./rename-key.ts";
import { rotateKey } from "./rotate-key.ts";
import { switchKey } from "./switch-key.ts";
import { updateKey } from "./update-key.ts";

/** The keys with which models are called. */
export const keyRoutes = ({ keys }: { readonly keys: Keys }): Route[] => [
  listKeys(keys),
  createKey(keys),
  getKey(keys),
  renameKey(keys),
  updateKey(keys),
  rotateKey(keys),
  ...switchKey(keys),
  ...removeKey(keys),
];
