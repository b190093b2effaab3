import type { ApiError } from "../api/api-error.ts";
import { ErrorState } from "./error-state.tsx";

/** What the server said about a form as a whole. */
export const FormError = ({ error }: { error: ApiError | null }) =>
  error === null ? null : <ErrorState error={error} title="That did not work" />;
