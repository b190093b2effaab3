import type { Route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { deleteKeys } from "./delete-keys.ts";
import { generateKey } from "./generate-key.ts";
import { keyInfo } from "./key-info.ts";
import { listKeys } from "./list-keys.ts";
import { pickUpKey } from "./pick-up-key.ts";
import { regenerateKey } from "./regenerate-key.ts";
import { resetSpend } from "./reset-spend.ts";
import { switchKey } from "./switch-key.ts";
import { updateKey } from "./update-key.ts";

export const gatewayKeyRoutes = (deps: GatewayAdminDeps): Route[] => [
  ...generateKey(deps),
  ...updateKey(deps),
  deleteKeys(deps),
  ...keyInfo(deps),
  ...listKeys(deps),
  ...regenerateKey(deps),
  pickUpKey(deps),
  resetSpend(deps),
  ...switchKey(deps),
];
