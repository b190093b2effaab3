import { secagg } from "../../../sdk/typescript/src/index.ts";
import { SeededRandom } from "../seeded-random.ts";

/** After so many groups whose shares give no secret, it counts as lost. */
const GROUPS_MAX = 200;

/** What one survivor told about the others: the share of a seed or of a mask key, by name. */
export interface Told {
  readonly participant: string;
  readonly seeds: ReadonlyMap<string, Uint8Array>;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

interface Group {
  readonly givers: readonly Told[];
  readonly weights: readonly bigint[];
}

/**
 * Those who told their shares, in groups as large as the threshold. Whoever tells wrong ones spoils every group that it is in:
 * where more have told than are needed, groups without it are tried.
 */
export class Givers {
  private group: Group;

  constructor(
    private readonly closed: { readonly threshold: number; readonly participants: readonly string[] },
    private readonly told: readonly Told[],
  ) {
    this.group = this.groupOf(told.slice(0, closed.threshold));
  }

  /** The secret of that name that passes the check; null where no group has it. Who gave it is asked first for the next. */
  findSecret(kind: "seeds" | "keys", name: string, isRight: (secret: Uint8Array) => boolean): Uint8Array | null {
    const known = combine(this.group, kind, name);
    if (known !== null && isRight(known)) return known;
    for (const givers of this.otherGroups()) {
      const group = this.groupOf(givers);
      const secret = combine(group, kind, name);
      if (secret === null || !isRight(secret)) continue;
      this.group = group;
      return secret;
    }
    return null;
  }

  /** Each shifted by one leaves out whoever lies alone, or beside each other; then any. */
  private *otherGroups(): Generator<readonly Told[]> {
    const { threshold } = this.closed;
    const { told } = this;
    if (told.length <= threshold) return;
    const turned = [...told, ...told];
    const shifts = Math.min(told.length, GROUPS_MAX);
    for (let at = 0; at < shifts; at++) yield turned.slice(at, at + threshold);
    const random = new SeededRandom("givers");
    for (let at = shifts; at < GROUPS_MAX; at++) yield random.sample(told, threshold);
  }

  private groupOf(givers: readonly Told[]): Group {
    const places = givers.map(({ participant }) => this.closed.participants.indexOf(participant) + 1);
    return { givers, weights: secagg.weightsAtZero(places) };
  }
}

const combine = ({ givers, weights }: Group, kind: "seeds" | "keys", name: string): Uint8Array | null =>
  secagg.combineShares(
    givers.map((giver) => giver[kind].get(name) as Uint8Array),
    weights,
  );
