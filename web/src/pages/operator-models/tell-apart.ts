import type { DeploymentView } from "../../../../src/contract/deployments.ts";

type Told = Pick<DeploymentView, "id" | "group" | "provider" | "model" | "apiBase" | "region" | "order" | "share">;
type Mark = (one: Told) => string;

/** What may differ between deployments of one group that call the same model, the most telling first. */
const MARKS: readonly Mark[] = [
  ({ region }) => region ?? "no region",
  ({ apiBase }) => apiBase?.replace(/^https?:\/\//, "") ?? "the provider's address",
  ({ order }) => (order === null ? "no order" : `order ${order.toLocaleString()}`),
];
/** Weights change while they run: they are named where nothing else tells two apart. */
const WEIGHT: Mark = ({ share }) => weightWords(share);

export const weightWords = (share: number): string => `weight ${share.toLocaleString()}`;

/** Words for each deployment that looks like another one of its group, by its id. */
export function tellApart(deployments: Iterable<Told>): ReadonlyMap<string, string> {
  const alike = Map.groupBy(deployments, ({ group, provider, model }) => JSON.stringify([group, provider, model]));
  return new Map([...alike.values()].filter(({ length }) => length > 1).flatMap(wordsOf));
}

function wordsOf(alike: readonly Told[]): readonly (readonly [id: string, words: string])[] {
  const differing = MARKS.filter((mark) => new Set(alike.map(mark)).size > 1);
  const same = Map.groupBy(alike, wordsBy(differing));
  return [...same.values()].flatMap((rest) => {
    if (rest.length === 1) return rest.map((one) => [one.id, wordsBy(differing)(one)] as const);
    const last = new Set(rest.map(WEIGHT)).size === rest.length ? WEIGHT : idAmong(rest);
    return rest.map((one) => [one.id, wordsBy([...differing, last])(one)] as const);
  });
}

const wordsBy =
  (marks: readonly Mark[]): Mark =>
  (one) =>
    marks.map((mark) => mark(one)).join(", ");

const WHOLE_MAX = 24;
const START_MIN = 8;

/** A name that somebody gave stays whole; of a hash, the first letters are enough. */
function idAmong(alike: readonly Told[]): Mark {
  let length = START_MIN;
  while (new Set(alike.map(({ id }) => id.slice(0, length))).size < alike.length) length++;
  return ({ id }) => `id ${id.length <= WHOLE_MAX ? id : `${id.slice(0, length)}…`}`;
}
