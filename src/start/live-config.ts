import { Catalog } from "../catalog/catalog.ts";
import { offlineModels } from "../catalog/offline-models.ts";
import type { Config } from "../config/config.ts";
import type { Deployment } from "../contract/deployment.ts";
import { applyRules } from "../models/apply-rules.ts";
import { type Runtime, readStock } from "../models/read-stock.ts";
import { EMPTY_STOCK, type Stock } from "../models/stock.ts";

interface Made {
  /** What the file and the environment say. */
  readonly configured: Config;
  /** The same with what operators have set at run time: what everybody goes by. */
  readonly config: Config;
  readonly stock: Stock;
  readonly catalog: Catalog;
}

/** The configuration and the stored models as they are now, with the catalogue that is made of them. */
export class LiveConfig {
  private made: Made;

  constructor(initial: Config) {
    this.made = make(initial, EMPTY_STOCK, null);
  }

  get config(): Config {
    return this.made.config;
  }

  /** Without what operators have set at run time. */
  get configured(): Config {
    return this.made.configured;
  }

  get catalog(): Catalog {
    return this.made.catalog;
  }

  /** What stored models are read against. */
  present(): { readonly stock: Stock; readonly surroundings: Runtime } {
    const { config, stock } = this.made;
    return { stock, surroundings: surroundingsOf(config, stock) };
  }

  /** After a reload. Stored models are read again: a credential or a variable of the file may be another one now. */
  replace(next: Config): void {
    this.made = make(next, this.made.stock, this.made);
  }

  restock(stock: Stock): void {
    this.made = make(this.made.configured, stock, this.made);
  }
}

function make(configured: Config, stock: Stock, before: Made | null): Made {
  // The same object where nothing has changed: much is remembered by it.
  const isSame = before?.configured === configured && before.stock.rules === stock.rules;
  const config = isSame ? before.config : applyRules(configured, stock.rules);
  const surroundings = surroundingsOf(config, stock);
  const { groupAliases, router } = config;
  const deployments = [...surroundings.configured, ...storedDeployments(stock, surroundings)];
  return {
    configured,
    config,
    stock,
    catalog: new Catalog(deployments, { groupAliases, modelAliases: router.modelAliases }),
  };
}

/** Those that are switched on and can be read. */
const storedDeployments = (stock: Stock, surroundings: Runtime): Deployment[] =>
  surroundings.storeModels
    ? readStock(stock, surroundings).flatMap(({ open, deployment }) =>
        deployment && open.record.status === "enabled" ? [deployment] : [],
      )
    : [];

/**
 * An administrator's session, which ends, must not lend a model the root secret or the master key, which stay: it could be
 * sent to any address.
 */
const OWN_VARIABLE = /^TURNPIKE_/i;

function surroundingsOf(config: Config, stock: Stock): Runtime {
  const { credentials, environment, storeModels } = config;
  return {
    credentials,
    storeModels,
    variable: (name) => (OWN_VARIABLE.test(name) ? undefined : (environment[name] ?? process.env[name])),
    configured: [...config.deployments, ...offlineBeside(config, stock)],
  };
}

/** The offline models stand beside the others, unless a group has taken the name. */
function offlineBeside(config: Config, stock: Stock): Deployment[] {
  if (!config.demo) return [];
  const stored = config.storeModels ? stock.deployments.map(({ record }) => record) : [];
  const enabled = stored.filter(({ status }) => status === "enabled").map(({ groupName }) => groupName);
  const taken = new Set([...config.deployments.map(({ group }) => group), ...enabled]);
  return offlineModels().filter(({ group }) => !taken.has(group));
}
