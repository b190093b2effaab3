import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  UnknownRow,
} from "kysely";

const TIME_NAME = /(^at|At|Until)$/;

/**
 * Times are BIGINT milliseconds, which both databases give as bigint; in the program a time is a number.
 * Stands after the camel-case plugin: it goes by the names `at`, `...At` and `...Until`.
 */
export class EpochPlugin implements KyselyPlugin {
  transformQuery(args: PluginTransformQueryArgs) {
    return args.node;
  }

  async transformResult(args: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    for (const row of args.result.rows) {
      for (const [name, value] of Object.entries(row)) {
        if (typeof value === "bigint" && TIME_NAME.test(name)) row[name] = Number(value);
      }
    }
    return args.result;
  }
}
