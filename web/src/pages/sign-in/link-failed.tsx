import type { ReactNode } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { AppLink } from "../../components/app-link.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { useMe } from "../../session/session.ts";

interface LinkFailedProps {
  /** Null: the address has no token at all. */
  readonly error: ApiError | null;
  readonly onRetry?: () => void;
  readonly children?: ReactNode;
}

const NOT_WHOLE = new Error("The end of the address is missing. Open the link itself, or copy all of it.");

/** A mailed link that does not do: not whole, refused by the server, or only not answered, which says nothing of the link. */
export function LinkFailed({ error, onRetry, children }: LinkFailedProps) {
  if (error === null) return <ErrorState error={NOT_WHOLE} title="This link is not whole" />;
  if (!isRefused(error)) return <ErrorState error={error} title="That did not work" {...(onRetry && { onRetry })} />;
  return (
    <>
      <ErrorState error={error} title="This link is not good, or no longer" />
      {children}
    </>
  );
}

/** Asking again would be refused again. */
export const isRefused = ({ status }: ApiError): boolean => status >= 400 && status < 500 && status !== 429;

/** The way on from a link that leads nowhere. */
export const Elsewhere = () => <AppLink to="/">{useMe().data ? "To the overview" : "To the log-in"}</AppLink>;
