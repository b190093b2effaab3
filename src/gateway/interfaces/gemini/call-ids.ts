interface Call {
  readonly id: string;
  readonly name: string;
  isAnswered: boolean;
}

/** Calls in their order; those before `first` are answered. */
interface Line {
  readonly calls: Call[];
  first: number;
}

/**
 * Google knows a result by its function's name and the order, and gives ids only lately; chats know it by the id of its call.
 * A call without one gets one, and a result without one is that of the first call of its name that waits.
 *
 * A conversation may have very many of them, so that no result looks through all calls.
 */
export class CallIds {
  private readonly byId = new Map<string, Line>();
  private readonly byName = new Map<string, Line>();
  private made = 0;

  called(id: string | null, name: string): string {
    const own = id || `call_${this.made++}`;
    const call = { id: own, name, isAnswered: false };
    enqueue(this.byId, own, call);
    enqueue(this.byName, name, call);
    return own;
  }

  /** `isKnown`: there is such a call. */
  answered(id: string | null, name: string): { readonly id: string; readonly isKnown: boolean } {
    const call = firstWaiting(id ? this.byId.get(id) : this.byName.get(name));
    if (!call) return { id: id || `call_${this.made++}`, isKnown: false };
    call.isAnswered = true;
    return { id: call.id, isKnown: true };
  }
}

function enqueue(lines: Map<string, Line>, key: string, call: Call): void {
  const line = lines.get(key);
  if (line) line.calls.push(call);
  else lines.set(key, { calls: [call], first: 0 });
}

/** A call stands in two lines, and may have been answered in the other one. */
function firstWaiting(line: Line | undefined): Call | undefined {
  if (!line) return undefined;
  while (line.calls[line.first]?.isAnswered) line.first++;
  return line.calls[line.first];
}
