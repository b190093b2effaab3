import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { formatMs } from "./format-latency.ts";

export interface Connection {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly error: string | null;
}

/** How the smallest call to a model went. */
export const ConnectionResult = ({ result }: { result: Connection }) =>
  result.ok ? (
    <Alert color="pine" icon={<IconCircleCheck size={18} />} title="It answers" role="status">
      The smallest call took {formatMs(result.latencyMs)}.
    </Alert>
  ) : (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} />}
      title="It does not answer"
      role="status"
      className="wraps"
    >
      {result.error}
    </Alert>
  );
