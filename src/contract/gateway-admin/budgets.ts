import Type from "typebox";
import { nullable } from "../schema.ts";
import { bodyOf, FURTHER_BUDGETS, Id, LIMITS, MODEL_RATES, NewId } from "./fields.ts";

const SETTINGS = { ...LIMITS, ...MODEL_RATES, ...FURTHER_BUDGETS };

export const NewBudgetBody = bodyOf({ ...SETTINGS, budget_id: nullable(NewId) });
export const UpdateBudgetBody = bodyOf({ ...SETTINGS, budget_id: Id });
export const BudgetInfoBody = bodyOf({ budgets: Type.Array(Id, { minItems: 1, maxItems: 100 }) });
export const DeleteBudgetBody = bodyOf({ id: Id });
export const BudgetQuery = Type.Object({ budget_id: Id });
