import Type from "typebox";
import { nullable } from "../schema.ts";
import { NAME_CHARS_MAX } from "../usage-row.ts";
import { Alias, BUDGET_ID, bodyOf, Id, LIMITS, PageNumber, pageSize, type Unserved } from "./fields.ts";

/** End users, whom scripts call customers. */
export const UNSERVED_OF_CUSTOMERS: Unserved = {
  allowed_model_region: [],
  default_model: [],
  model_max_budget: [],
  object_permission: [],
  spend: [],
  metadata: [],
  tags: [],
};

const Name = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  pattern: "^[^\\u0000-\\u001f\\u007f]*$",
  description: "The name that calls tell, as `user` or in a header.",
});
const Organization = { organization_id: nullable(Id) };
const SETTINGS = {
  ...LIMITS,
  ...BUDGET_ID,
  ...Organization,
  alias: nullable(Alias),
  blocked: nullable(Type.Boolean()),
};

export const CustomerBody = bodyOf({ ...SETTINGS, user_id: Name }, UNSERVED_OF_CUSTOMERS);
export const CustomersBody = bodyOf({
  ...Organization,
  user_ids: Type.Array(Name, { minItems: 1, maxItems: 100 }),
});
export const CustomerQuery = Type.Object({ end_user_id: Name, organization_id: Type.Optional(Id) });
export const CustomerListQuery = Type.Object({
  organization_id: Type.Optional(Id),
  page: PageNumber,
  page_size: pageSize(100),
});
