import type { ConfigTexts } from "../config/load.ts";
import type { Link } from "../lib/link.ts";

/** The configuration that the workers of a server go by, as one of them asks for it and tells it after a reload. */
export interface SharedConfig {
  last(): Promise<ConfigTexts>;
  taken(texts: ConfigTexts): Promise<void>;
}

export const remoteConfig = (link: Link): SharedConfig => ({
  last: () => link.call<ConfigTexts>("config.last", []),
  taken: (texts) => link.call<void>("config.taken", [texts]),
});

/** The supervisor keeps it: a worker that is started again goes by what the others go by, whatever is in the file by then. */
export class KeptConfig {
  constructor(private texts: ConfigTexts) {}

  offer(link: Link): void {
    link.on("config.last", () => this.texts);
    link.on("config.taken", (texts: ConfigTexts) => {
      this.texts = texts;
    });
  }
}
