import Type, { type Static } from "typebox";
import { LIMITS, LIMITS_VIEW } from "./limits.ts";
import { nullable } from "./schema.ts";
import { NAME_CHARS_MAX } from "./usage-row.ts";
import { Instant } from "./users.ts";

/** The name that calls tell. */
export const EndUserName = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  pattern: "^[^\\u0000-\\u001f\\u007f]*$",
  description: "The name that calls tell, as `user` or in a header.",
});

/** The same name in two organizations is two end users. Ids of organizations have no slash, names of end users may. */
export const endUserId = (organizationId: string, name: string): string => `${organizationId}/${name}`;

const SETTINGS = {
  ...LIMITS,
  alias: nullable(Type.String({ maxLength: 400, description: "For people: 1 to 100 characters." })),
  blocked: Type.Optional(Type.Boolean({ description: "Calls for them are refused." })),
};

export const CreateEndUserBody = Type.Object({ ...SETTINGS, id: EndUserName });
export const UpdateEndUserBody = Type.Object(SETTINGS);

export const EndUserRecord = Type.Object({
  id: Type.String(),
  alias: Type.Union([Type.String(), Type.Null()]),
  blocked: Type.Boolean(),
  spent: Type.Integer({
    description: "In nano-USD: by all calls since there is a record, and by those before that the log still had.",
  }),
  ...LIMITS_VIEW,
  budgetId: Type.Union([Type.String(), Type.Null()]),
  createdAt: Instant,
  updatedAt: Instant,
});
export type EndUserRecord = Static<typeof EndUserRecord>;
