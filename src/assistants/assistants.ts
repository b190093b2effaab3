import type { NewToolResources, Tool } from "../contract/assistants/parts.ts";
import type { KeyCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { RequestSource } from "../contract/request-source.ts";
import { requireFound } from "../contract/require-found.ts";
import type { Clock } from "../lib/clock.ts";
import { checkTools } from "./check-tools.ts";
import type { FilesPort } from "./files-port.ts";
import { newRecordId } from "./new-ids.ts";
import type { Assistant } from "./records.ts";
import type { AssistantStores, Cursor, Slice } from "./store.ts";

export interface AssistantDeps {
  readonly stores: AssistantStores;
  readonly files: FilesPort;
  /** Throws unless the caller may call the model. */
  readonly requireModel: (caller: KeyCaller, model: string) => void;
  readonly servedTools: ReadonlySet<Tool["type"]>;
  readonly clock: Clock;
}

type Settings = Omit<Assistant, "id" | "teamId" | "createdAt" | "toolResources">;
export type NewAssistant = Settings & { readonly toolResources: NewToolResources | null };
export type AssistantChanges = Partial<NewAssistant>;

/** Models with instructions and tools, kept under a name. They belong to the team of the key. */
export class Assistants {
  constructor(private readonly deps: AssistantDeps) {}

  async create(caller: KeyCaller, given: NewAssistant, source: RequestSource): Promise<Assistant> {
    const { stores, files, requireModel, servedTools, clock } = this.deps;
    requireModel(caller, given.model);
    checkTools(given.tools, servedTools);
    const assistant: Assistant = {
      ...given,
      toolResources: await files.settle(caller, given.toolResources, source),
      id: newRecordId("asst"),
      teamId: caller.teamId,
      createdAt: clock.nowMs(),
    };
    await stores.assistants.insert(assistant);
    return assistant;
  }

  async get(caller: KeyCaller, id: string): Promise<Assistant> {
    return requireFound(await this.deps.stores.assistants.find(caller, id), "assistant", id);
  }

  list(caller: KeyCaller, cursor: Cursor): Promise<Slice<Assistant>> {
    return this.deps.stores.assistants.list(caller, cursor);
  }

  async update(caller: KeyCaller, id: string, changes: AssistantChanges, source: RequestSource): Promise<Assistant> {
    const { stores, files, requireModel, servedTools } = this.deps;
    if (changes.model !== undefined) requireModel(caller, changes.model);
    if (changes.tools) checkTools(changes.tools, servedTools);
    const { toolResources, ...plain } = changes;
    await this.get(caller, id);
    const settled =
      toolResources === undefined ? {} : { toolResources: await files.settle(caller, toolResources, source) };
    // Read again behind the look-ups, and held, so that two changes of different fields both stay.
    return stores.transaction(async (tx) => {
      const present = requireFound(await tx.assistants.hold(caller, id), "assistant", id);
      const next = { ...present, ...plain, ...settled };
      await tx.assistants.update(next);
      return next;
    });
  }

  async remove(caller: KeyCaller, id: string): Promise<void> {
    if (await this.deps.stores.assistants.remove(caller, id)) return;
    throw new GatewayError("not_found", `There is no assistant \`${id.slice(0, 64)}\`.`);
  }
}
