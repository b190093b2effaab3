import type { NewToolResources, ToolResources } from "../contract/assistants/parts.ts";
import type { KeyCaller } from "../contract/caller.ts";
import type { RequestSource } from "../contract/request-source.ts";
import type { Owner } from "./store.ts";

/** What assistants need to know of files and vector stores. */
export interface FilesPort {
  /** Throws `not_found` unless all of them are the owner's. */
  requireFiles(owner: Owner, ids: readonly string[]): Promise<void>;
  /** Throws `not_found` where a vector store is named that is not there; makes those that are to be made. */
  settle(caller: KeyCaller, resources: NewToolResources | null, source: RequestSource): Promise<ToolResources>;
  /** The same resources with a vector store, made where there is none. */
  withStore(caller: KeyCaller, resources: ToolResources): Promise<ToolResources>;
  /** Takes back the store that was made for nothing. */
  dropStore(caller: KeyCaller, resources: ToolResources): Promise<void>;
  /** The same resources, with a vector store in which these files are found. */
  searchable(
    caller: KeyCaller,
    resources: ToolResources,
    fileIds: readonly string[],
    source: RequestSource,
  ): Promise<ToolResources>;
  /** The picture in a file as an address that models take. */
  imageUrl(owner: Owner, fileId: string): Promise<string>;
}
