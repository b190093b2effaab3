import { handleOf, newKey } from "../../src/accounts/key-format.ts";
import { KeyVerifier } from "../../src/accounts/key-verifier.ts";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MASTER_KEY, type TestApp } from "../app.ts";

const SECRET = "a-secret-for-tests-0123456789abcdef";

/** A key of the demo team that may call these groups only. */
export async function restrictedKey(
  app: TestApp,
  models: readonly string[],
): Promise<{ id: string; key: string; teamId: string }> {
  const { keys } = app.storage.accounts;
  const verifier = new KeyVerifier(keys, deriveSecrets(SECRET).keyPepper, MASTER_KEY, systemClock);
  const demo = await keys.findByHash(verifier.hash(app.first.demoKey ?? ""));
  if (!demo) throw new Error("the demo key is missing");
  const [id, key] = [crypto.randomUUID(), newKey()];
  await keys.insert({ ...demo.key, id, hash: verifier.hash(key), handle: handleOf(key), models });
  return { id, key, teamId: demo.team.id };
}
