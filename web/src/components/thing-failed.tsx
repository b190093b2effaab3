import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApiError } from "../api/api-error.ts";
import { AppLink } from "./app-link.tsx";
import { ErrorState } from "./error-state.tsx";
import { PageHeader } from "./page-header.tsx";

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
  /** The list that it would stand in. */
  readonly back: { readonly to: string; readonly words: string };
  readonly actions?: ReactNode;
  /** What to do next, where it is not there. */
  readonly children?: ReactNode;
}

/** In place of the page of one thing: why it is not shown, and the way back to those that there are. */
export const ThingFailed = ({ query, title, back, actions, children }: ThingFailedProps) => (
  <>
    <Text size="sm" mb="xs">
      <AppLink to={back.to}>{back.words}</AppLink>
    </Text>
    <PageHeader title={title} actions={actions} />
    {query.error && (
      <ErrorState error={query.error} onRetry={() => void query.refetch()}>
        {query.error.status === 404 && children}
      </ErrorState>
    )}
  </>
);
