import { ApiError } from "../../api/api-error.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { useMaySee } from "../../session/session.ts";

/** What credit brings back. */
const FOR_CREDIT: ReadonlySet<string> = new Set(["insufficient_quota", "team_blocked"]);

/** Why a call failed, and the way on where it is known. */
export const CallFailure = ({ error }: { error: Error }) => (
  <ErrorState error={error} title="This call failed">
    {error instanceof ApiError && FOR_CREDIT.has(error.code) && (
      <ButtonLink to="/billing" size="xs" variant="default">
        Go to Billing
      </ButtonLink>
    )}
    {error instanceof ApiError && error.code === "budget_exceeded" && <ToTheBudget words={error.message} />}
  </ErrorState>
);

/** The server names whose budget it is first. That of the organization is not for everybody to see. */
function ToTheBudget({ words }: { words: string }) {
  const runsOrganization = useMaySee()("organization");
  const isOrganizations = words.startsWith("The organization");
  if (isOrganizations && !runsOrganization) return null;
  const page = isOrganizations ? "/organization" : words.startsWith("The key") ? "/keys" : "/teams";
  return (
    <ButtonLink to={page} size="xs" variant="default">
      Look at the budget
    </ButtonLink>
  );
}
