import Type from "typebox";
import { nullable } from "../schema.ts";
import { bodyOf, Id, LIMITS, MODEL_RATES, NewId, type Unserved } from "./fields.ts";

export const UNSERVED_OF_BUDGETS: Unserved = { model_max_budget: [] };

const SETTINGS = { ...LIMITS, ...MODEL_RATES };

export const NewBudgetBody = bodyOf({ ...SETTINGS, budget_id: nullable(NewId) }, UNSERVED_OF_BUDGETS);
export const UpdateBudgetBody = bodyOf({ ...SETTINGS, budget_id: Id }, UNSERVED_OF_BUDGETS);
export const BudgetInfoBody = bodyOf({ budgets: Type.Array(Id, { minItems: 1, maxItems: 100 }) });
export const DeleteBudgetBody = bodyOf({ id: Id });
export const BudgetQuery = Type.Object({ budget_id: Id });
