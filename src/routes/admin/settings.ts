import Type, { type Static } from "typebox";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

const Setting = Type.Object({
  value: Type.Unknown({ description: "As it is in use; a mask in place of a secret, null where it is not set." }),
  needsRestart: Type.Boolean({ description: "Read only at the start: a reload does not take it over." }),
});

const Settings = Type.Object({
  settings: Type.Record(Type.String(), Setting, { description: "By the names that the configuration file has." }),
});
export type SettingsView = Static<typeof Settings>["settings"];

export const adminSettings = (describe: () => SettingsView) =>
  route({
    method: "GET",
    paths: ["/api/admin/settings"],
    tag: "Administration",
    summary: "Show the settings that are in use",
    description: "From the configuration file and the environment together. Secrets are masked.",
    auth: "admin",
    success: Settings,
    errors: [],
    handle: () => json({ settings: describe() }),
  });
