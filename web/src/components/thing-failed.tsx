import type { ReactNode } from "react";
import type { ApiError } from "../api/api-error.ts";
import { ErrorState } from "./error-state.tsx";
import { type Back, PageHeader } from "./page-header.tsx";

interface Question {
  readonly error: ApiError | null;
  readonly data: unknown;
  refetch(): unknown;
}

/** Whether there is nothing to show: it was never read, or is gone. While the server is away, what is known stays. */
export const isMissing = ({ error, data }: Question): boolean =>
  error !== null && (data === undefined || error.status === 404);

interface ThingFailedProps {
  readonly query: Question;
  readonly title: string;
  readonly back: Back;
  readonly actions?: ReactNode;
  /** What to do next, where it is not there. */
  readonly children?: ReactNode;
}

/** In place of the page of one thing: why it is not shown, and the way back to those that there are. */
export const ThingFailed = ({ query, title, back, actions, children }: ThingFailedProps) => (
  <>
    <PageHeader back={back} title={title} actions={actions} />
    {query.error && (
      <ErrorState error={query.error} onRetry={() => void query.refetch()}>
        {query.error.status === 404 && children}
      </ErrorState>
    )}
  </>
);
