import type { Keys, SeenKey } from "../../accounts/keys.ts";

type KeyInput = Parameters<Keys["disable"]>[0];

/** A key that is switched on or off where that is asked for and is not so already. */
export async function switchedKey(
  keys: Pick<Keys, "disable" | "enable">,
  target: KeyInput,
  seen: SeenKey,
  disabled: boolean | undefined,
): Promise<SeenKey> {
  if (disabled === undefined || disabled === (seen.status === "disabled")) return seen;
  return disabled ? keys.disable(target) : keys.enable(target);
}
