import { Catalog } from "../catalog/catalog.ts";
import { offlineModels } from "../catalog/offline-models.ts";
import type { Config } from "../config/config.ts";

/** The configuration as it is now, with the catalogue that is made of it. A reload replaces both at once. */
export class LiveConfig {
  private readonly made: { config: Config; catalog: Catalog };

  constructor(initial: Config) {
    this.made = { config: initial, catalog: buildCatalog(initial) };
  }

  get config(): Config {
    return this.made.config;
  }

  get catalog(): Catalog {
    return this.made.catalog;
  }

  replace(next: Config): void {
    Object.assign(this.made, { config: next, catalog: buildCatalog(next) });
  }
}

/** The offline models stand beside the configured ones, unless a configured group has taken the name. */
function buildCatalog(config: Config): Catalog {
  const taken = new Set(config.deployments.map((deployment) => deployment.group));
  const offline = config.demo ? offlineModels().filter((deployment) => !taken.has(deployment.group)) : [];
  const { groupAliases, router } = config;
  return new Catalog([...config.deployments, ...offline], { groupAliases, modelAliases: router.modelAliases });
}
