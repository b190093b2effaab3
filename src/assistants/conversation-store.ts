import type { Metadata } from "../contract/assistants/parts.ts";
import type { Cursor, Owner, Slice } from "../contract/cursor.ts";
import type { NamedItem } from "./name-items.ts";

/** What is said in several responses. */
export interface Conversation {
  readonly id: string;
  readonly teamId: string | null;
  readonly createdAt: number;
  readonly metadata: Metadata;
}

export interface ConversationStore {
  /** Null for what is another team's. */
  find(owner: Owner, id: string): Promise<Conversation | null>;
  insert(conversation: Conversation, items: readonly NamedItem[]): Promise<void>;
  update(conversation: Conversation): Promise<boolean>;
  /** With all that was said in it. */
  remove(owner: Owner, id: string): Promise<boolean>;
  /** Puts items behind all that are there. False where it is not there any more, or would be longer than so many characters. */
  append(id: string, items: readonly NamedItem[], charsMax: number): Promise<boolean>;
  /** All of it, in the order in which it was said. */
  said(id: string): Promise<readonly NamedItem[]>;
  list(id: string, cursor: Cursor): Promise<Slice<NamedItem>>;
  findItem(id: string, itemId: string): Promise<NamedItem | null>;
  removeItem(id: string, itemId: string): Promise<boolean>;
}
