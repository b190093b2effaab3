import Type from "typebox";
import { EndUserName } from "../end-users.ts";
import { nullable } from "../schema.ts";
import { Alias, BUDGET_ID, bodyOf, Id, LIMITS, PageNumber, pageSize, type Unserved } from "./fields.ts";

/** End users, whom scripts call customers. */
export const UNSERVED_OF_CUSTOMERS: Unserved = {
  allowed_model_region: [],
  default_model: [],
  model_max_budget: [],
  object_permission: [],
  spend: [0],
  metadata: [],
  tags: [],
};

const Organization = { organization_id: nullable(Id) };
const SETTINGS = {
  ...LIMITS,
  ...BUDGET_ID,
  ...Organization,
  alias: nullable(Alias),
  blocked: nullable(Type.Boolean()),
};

export const CustomerBody = bodyOf({ ...SETTINGS, user_id: EndUserName }, UNSERVED_OF_CUSTOMERS);
export const CustomersBody = bodyOf({
  ...Organization,
  user_ids: Type.Array(EndUserName, { minItems: 1, maxItems: 100 }),
});
export const CustomerQuery = Type.Object({ end_user_id: EndUserName, organization_id: Type.Optional(Id) });
export const CustomerListQuery = Type.Object({
  organization_id: Type.Optional(Id),
  page: PageNumber,
  page_size: pageSize(100),
});
