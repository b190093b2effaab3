import { Alert, Button, Code, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { formatTime } from "./format-time.ts";

interface ErrorStateProps {
  readonly error: Error;
  readonly title?: string;
  readonly onRetry?: () => void;
  readonly children?: ReactNode;
}

/** What is not there is not there the next time either. */
const isNotFound = (error: Error): boolean => error instanceof ApiError && error.status === 404;

/** The server's words have times as programs read them; people read their own. */
const inViewersTime = (text: string): string =>
  text.replaceAll(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, (time) => formatTime(time));

/** What went wrong in words, with the id of the request for whoever looks into the log. */
export const ErrorState = ({ error, title = "That could not be read", onRetry, children }: ErrorStateProps) => (
  <Alert color="red" icon={<IconAlertTriangle size={18} />} title={title} role="alert">
    <Stack gap="sm" align="flex-start">
      <Text size="sm" className="wraps">
        {inViewersTime(error instanceof ApiError ? error.sentence : error.message)}
      </Text>
      {error instanceof ApiError && error.requestId !== null && (
        <Text size="xs">
          Request <Code>{error.requestId}</Code>
        </Text>
      )}
      {onRetry && !isNotFound(error) && (
        <Button size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
      {children}
    </Stack>
  </Alert>
);
