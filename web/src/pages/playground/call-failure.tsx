import { ApiError } from "../../api/api-error.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { ErrorState } from "../../components/error-state.tsx";

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
  </ErrorState>
);
