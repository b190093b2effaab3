import type { ToolCallDelta } from "../../../contract/chat.ts";

/** A call of a tool, of which something is to be told. `told` is what its hearer has made of it. */
export class ToolCallBuffer<Told> {
  told: Told | null = null;
  name = "";
  private given = "";

  constructor(
    readonly index: number,
    public id: string | undefined,
  ) {}

  hear({ id, function: called }: ToolCallDelta): void {
    if (this.name === "") {
      this.id ||= id;
      this.name = called?.name ?? "";
    }
    this.given += called?.arguments ?? "";
  }

  /** The arguments that have come since this was asked. */
  take(): string {
    const { given } = this;
    this.given = "";
    return given;
  }
}

/** The calls of a streamed answer, told apart. What begins a call says its name, so nothing is told before that is known. */
export class HeardCalls<Told> {
  /** By their places; of those that claim the same one, the last. */
  private readonly calls = new Map<number, ToolCallBuffer<Told>>();

  /** Null while the call has no name. */
  hear(delta: ToolCallDelta): ToolCallBuffer<Told> | null {
    const place = placeOfCall(delta, this.calls.size);
    let call = this.calls.get(place);
    if (!call || isAnother(delta, call)) {
      call = new ToolCallBuffer(place, delta.id);
      this.calls.set(place, call);
    }
    call.hear(delta);
    return call.name === "" ? null : call;
  }

  /** Those that have no name at the end. */
  get nameless(): ToolCallBuffer<Told>[] {
    return [...this.calls.values()].filter(({ name }) => name === "");
  }

  get isEmpty(): boolean {
    return this.calls.size === 0;
  }
}

/** The place of a call. A provider that says none begins one with an id, and goes on with the last one without. */
const placeOfCall = ({ index, id }: ToolCallDelta, begun: number): number => index ?? Math.max(0, begun - (id ? 0 : 1));

/** Some upstreams have all calls in the first place, or no places; others give each piece a new id, but only once a name. */
const isAnother = <Told>({ id, function: called }: ToolCallDelta, { id: own, name }: ToolCallBuffer<Told>): boolean =>
  name !== "" && !!id && id !== own && !!called?.name;
