import { apiPost } from "../../api/client.ts";
import { RemoveButton } from "../../components/remove-button.tsx";
import { BUDGETS_KEY } from "./budget.ts";

export const RemoveBudget = ({ id }: { id: string }) => (
  <RemoveButton name={id} what="budget" remove={() => apiPost("/budget/delete", { id })} queryKey={BUDGETS_KEY}>
    It can only be removed when nobody has it any more.
  </RemoveButton>
);
