import { ApiError } from "../../api/api-error.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { ErrorState } from "../../components/error-state.tsx";

/** What credit brings back. */
const FOR_CREDIT: ReadonlySet<string> = new Set(["insufficient_quota", "team_blocked"]);

/** The server names whose budget it is first. */
const whereRaised = (words: string): string =>
  /^the key/i.test(words) ? "/keys" : /^the organization/i.test(words) ? "/organization" : "/teams";

/** Why a call failed, and the way on where it is known. */
export const CallFailure = ({ error }: { error: Error }) => (
  <ErrorState error={error} title="This call failed">
    {error instanceof ApiError && FOR_CREDIT.has(error.code) && (
      <ButtonLink to="/billing" size="xs" variant="default">
        Go to Billing
      </ButtonLink>
    )}
    {error instanceof ApiError && error.code === "budget_exceeded" && (
      <ButtonLink to={whereRaised(error.message)} size="xs" variant="default">
        Look at the budget
      </ButtonLink>
    )}
  </ErrorState>
);
