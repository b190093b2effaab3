// `npm run bench:books -- FOLDER [--calls 1600000] [--days 115] [--database-url URL]`: makes books of many calls, settled as the gateway
// settles them, so that what reads them can be looked at. The folder gets `data/turnpike.db`.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { costOf } from "../src/catalog/cost.ts";
import { flatPrice } from "../src/catalog/price.ts";
import { priceSheet } from "../src/catalog/price-sheet.ts";
import { NO_UNITS, type UsageRecord } from "../src/contract/usage.ts";
import { endedCall } from "../src/ledger/settle-store.ts";
import { openStorage } from "../src/storage/open.ts";
import { newCall } from "../test/ledger/new-call.ts";
import { newKey, newOrganization, newTeam, newUser } from "../test/storage/new-records.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: "string", default: "1600000" },
    days: { type: "string", default: "115" },
    "database-url": { type: "string" },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("name the folder that the books are made in");
const calls = Number(values.calls);
const DAY_MS = 86_400_000;
const ORGANIZATIONS = 12;
const TEAMS_EACH = 5;
const KEYS_EACH = 5;
const BATCH = 2_000;

const MODELS = ["small", "large", "code", "vision", "embed", "echo"].map((model, index) => ({
  model,
  provider: ["openai", "anthropic", "echo"][index % 3] ?? "echo",
  sheet: priceSheet(
    { input: flatPrice(BigInt(index + 1) * 1_000_000n), output: flatPrice(BigInt(index + 1) * 5_000_000n) },
    "standard",
    1_000n,
  ),
}));

const dataDir = join(folder, "data");
mkdirSync(dataDir, { recursive: true });
const storage = openStorage({ databaseUrl: values["database-url"] ?? null, dataDir, timeoutMs: 60_000 });
try {
  await storage.migrate();
  const owners = await makeOwners();
  for (const { sheet } of MODELS) {
    await storage.usage.savePrices({ id: sheet.version, prices: sheet.text, firstSeenAt: 1 });
  }
  const end = Date.now();
  const start = end - Number(values.days) * DAY_MS;
  for (let done = 0; done < calls; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, calls - done) }, (_, index) => {
      const at = Math.floor(start + ((done + index) / calls) * (end - start));
      return endedCall(someCall(owners, at), []);
    });
    await storage.settlement.settle("bench", batch, batch.at(-1)?.record.at ?? end);
    if (done % 100_000 === 0) console.log(`${done} of ${calls}`);
  }
} finally {
  await storage.close();
}

type Owner = Pick<UsageRecord, "organizationId" | "teamId" | "keyId" | "keyName" | "userId">;

async function makeOwners(): Promise<readonly Owner[]> {
  const { users, organizations, teams, keys } = storage.accounts;
  const owners: Owner[] = [];
  for (let number = 0; number < ORGANIZATIONS; number++) {
    const { id: userId } = await users.insert(newUser());
    const organization = newOrganization(userId, { name: `Organization ${number}`, billing: "invoiced" });
    await organizations.insert(organization);
    for (let inOrganization = 0; inOrganization < TEAMS_EACH; inOrganization++) {
      const team = newTeam(organization.id);
      await teams.insert(team);
      for (let inTeam = 0; inTeam < KEYS_EACH; inTeam++) {
        const key = newKey(team.id, { name: `Key ${inTeam}`, createdBy: userId });
        await keys.insert(key);
        owners.push({
          organizationId: organization.id,
          teamId: team.id,
          keyId: key.id,
          keyName: key.name,
          userId,
        });
      }
    }
  }
  return owners;
}

function someCall(owners: readonly Owner[], at: number): UsageRecord {
  const owner = pick(owners);
  const { model, provider, sheet } = pick(MODELS);
  const isBad = Math.random() < 0.02;
  const served = { requestedModel: model, model, deploymentId: `${model}-1`, provider, upstreamModel: model };
  const tags = Math.random() < 0.1 ? ["nightly"] : [];
  if (isBad) return newCall({ ...owner, ...served, at, status: "failed", statusCode: 503, tags });
  const units = { ...NO_UNITS, promptTokens: upTo(4_000), completionTokens: upTo(900) };
  const { cost, providerCost, parts } = costOf(sheet, units);
  const charge = { cost, providerCost, costParts: parts, priceVersion: sheet.version };
  return newCall({
    ...owner,
    ...served,
    ...units,
    ...charge,
    at,
    latencyMs: upTo(9_000),
    firstByteMs: upTo(900),
    tags,
  });
}

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)] as T;
}

function upTo(max: number): number {
  return 1 + Math.floor(Math.random() * max);
}
