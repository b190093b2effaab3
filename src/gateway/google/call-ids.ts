/**
 * Google knows a result by its function's name and the order, and gives ids only lately; chats know it by the id of its call.
 * A call without one gets one, and a result without one is that of the first call of its name that waits.
 */
export class CallIds {
  private readonly waiting: { readonly id: string; readonly name: string }[] = [];
  private made = 0;

  called(id: string | null, name: string): string {
    const own = id || `call_${this.made++}`;
    this.waiting.push({ id: own, name });
    return own;
  }

  /** `isKnown`: there is such a call. */
  answered(id: string | null, name: string): { readonly id: string; readonly isKnown: boolean } {
    const at = this.waiting.findIndex((call) => (id ? call.id === id : call.name === name));
    const [call] = at < 0 ? [] : this.waiting.splice(at, 1);
    return { id: call?.id ?? (id || `call_${this.made++}`), isKnown: call !== undefined };
  }
}
