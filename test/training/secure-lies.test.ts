import { expect, test } from "bun:test";
import { secagg } from "../../sdk/typescript/src/index.ts";
import { baseOf, CLIP, Group, MAX_WEIGHT } from "./secure-group.ts";

const members = Array.from({ length: 4 }, (_, at) => ({ id: `p${at}`, change: [at, -1, CLIP], examples: 50 }));

/** The outcome of a round in which the last of them sends other words than it should. */
async function roundWith(lie: (words: Uint32Array) => void) {
  let group: Group | null = null;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const answer = await group?.participants.get("p3")?.handle(request);
      if (answer === undefined || !request.url.endsWith("/masked"))
        return answer ?? new Response(null, { status: 503 });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const words = secagg.wordsOf(bytes);
      lie(words);
      return new Response(secagg.bytesOf(words));
    },
  });
  group = new Group(members, baseOf(3), new Map([["p3", `http://127.0.0.1:${server.port}`]]));
  try {
    return await group.run();
  } finally {
    group.remove();
    await server.stop(true);
  }
}

const add = (words: Uint32Array, place: number, more: number): void => {
  words[place] = (words[place] as number) + more;
};

test.each<[string, (words: Uint32Array) => void]>([
  ["a change that no training makes", (words) => add(words, 0, 2 ** 31)],
  ["a change beyond the clip", (words) => add(words, 2, 2 ** 20)],
  ["fewer examples than all have, so that their changes count for more", (words) => add(words, 3, -199)],
  ["more examples than it may count for", (words) => add(words, 3, 4 * MAX_WEIGHT)],
])("whoever slips %s into a secure sum does not have it counted", async (_, lie) => {
  expect(await roundWith(lie)).toMatchObject({
    why: "the sum is none of changes within the clip: somebody sent something else",
  });
});

test("changes as large as the clip, of all, are counted", async () => {
  const outcome = await roundWith(() => undefined);
  if ("why" in outcome) throw new Error(outcome.why);
  expect(outcome.meanAt(2)).toBeCloseTo(CLIP, 4);
});
