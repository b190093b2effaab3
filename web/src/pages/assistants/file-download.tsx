import { ActionIcon, Tooltip } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { saveFile } from "../../components/save-file.ts";

interface FileDownloadProps {
  readonly api: KeyApi;
  readonly id: string;
  /** What it is saved as. */
  readonly name: string;
  readonly label?: string;
  readonly icon?: ReactNode;
}

/** Saves a stored file on the person's machine. */
export function FileDownload({ api, id, name, label = "Download", icon }: FileDownloadProps) {
  const download = useMutation({
    mutationFn: async () => (await api.open("GET", `/v1/files/${id}/content`)).blob(),
    onSuccess: (content) => saveFile(content, name),
  });
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${label} ${name}`}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        {icon ?? <IconDownload size={18} stroke={1.6} />}
      </ActionIcon>
    </Tooltip>
  );
}
