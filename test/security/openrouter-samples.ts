import type { MakeSample } from "./samples.ts";

const nothing: MakeSample = () => ({});
const unique = (what: string): string => `${what} ${crypto.randomUUID()}`;
const keyHash: MakeSample = async (world, { teamId, people }) => ({
  params: { hash: (await world.newKey(teamId, people.member.id)).handle },
});

/** OpenRouter's addresses, as far as no key is what calls them. */
export const OPENROUTER_SAMPLES: Readonly<Record<string, MakeSample>> = {
  "GET /api/v1/keys": nothing,
  "POST /api/v1/keys": (_, { teamId }) => ({ body: { workspace_id: teamId, name: unique("Made") } }),
  "GET /api/v1/keys/{hash}": keyHash,
  "PATCH /api/v1/keys/{hash}": async (...asked) => ({
    ...(await keyHash(...asked)),
    body: { name: unique("Renamed") },
  }),
  "DELETE /api/v1/keys/{hash}": keyHash,
  "GET /api/v1/credits": nothing,
  "GET /api/v1/activity": nothing,
  "GET /api/v1/providers": nothing,
};
