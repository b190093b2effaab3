import type { FilesPort } from "../../src/assistants/files-port.ts";
import { GatewayError } from "../../src/contract/errors.ts";

const missing = (what: string, id: string): GatewayError =>
  new GatewayError("not_found", `There is no ${what} \`${id.slice(0, 64)}\`.`);

/** Where there are no files yet. */
export const NO_FILES: FilesPort = {
  async requireFiles(_, [first]) {
    if (first !== undefined) throw missing("file", first);
  },
  async settle(_, resources) {
    const [named] = resources?.file_search?.vector_store_ids ?? [];
    if (named !== undefined) throw missing("vector store", named);
    return {};
  },
  withStore: async (_, resources) => resources,
  dropStore: async () => undefined,
  searchable: async (_, resources) => resources,
  imageUrl: (_, id) => Promise.reject(missing("file", id)),
};
