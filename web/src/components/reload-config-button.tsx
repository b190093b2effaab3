import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../api/client.ts";
import { notifyDone } from "./notify.ts";

interface Reloaded {
  readonly deployments: number;
  readonly warnings: readonly string[];
  readonly needRestart: readonly string[];
}

/** Reads the configuration file again; a file with faults changes nothing, and the server says what is wrong with it. */
export function ReloadConfigButton() {
  const client = useQueryClient();
  const reload = useMutation({
    mutationFn: () => apiPost<Reloaded>("/api/admin/config/reload"),
    onSuccess({ warnings, needRestart }) {
      const restart = needRestart.length === 0 ? "" : ` A restart is needed for ${needRestart.join(", ")}.`;
      const odd = warnings.length === 0 ? "" : ` Odd in it: ${warnings.join("; ")}`;
      notifyDone(`The configuration was read again.${restart}${odd}`);
      return client.invalidateQueries({ queryKey: ["operator"] });
    },
  });
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} />}
      loading={reload.isPending}
      onClick={() => reload.mutate()}
    >
      Read the file again
    </Button>
  );
}
