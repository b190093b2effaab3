import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  UnknownRow,
} from "kysely";

/**
 * Times are BIGINT milliseconds, which both databases give as bigint; in the program a time is a number.
 * Stands after the camel-case plugin: it goes by the name `...At`.
 */
export class EpochPlugin implements KyselyPlugin {
  transformQuery(args: PluginTransformQueryArgs) {
    return args.node;
  }

  async transformResult(args: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    for (const row of args.result.rows) {
      for (const [name, value] of Object.entries(row)) {
        if (typeof value === "bigint" && name.endsWith("At")) row[name] = Number(value);
      }
    }
    return args.result;
  }
}
