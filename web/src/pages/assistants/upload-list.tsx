import { ActionIcon, Card, Group, Progress, Stack, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { ErrorState } from "../../components/error-state.tsx";
import { formatPercent } from "../../components/format-percent.ts";
import type { Upload } from "./use-uploads.ts";

/** How far each file has come. */
export const UploadList = ({ uploads }: { uploads: readonly Upload[] }) =>
  uploads.length > 0 && (
    <Card mb="md" component="section" aria-label="Uploads">
      <Stack gap="sm">
        {uploads.map(({ id, name, share, error, stop }) => (
          <Group key={id} gap="sm" wrap="nowrap" align="flex-start">
            <Stack gap={4} flex={1} miw={0}>
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <Text size="sm" truncate>
                  {name}
                </Text>
                {error === null && (
                  <Text size="sm" c="dimmed" className="figures">
                    {formatPercent(share, 0)}
                  </Text>
                )}
              </Group>
              {error === null ? (
                <Progress value={share * 100} aria-label={`Upload of ${name}`} />
              ) : (
                <ErrorState error={error} title="It was not uploaded" />
              )}
            </Stack>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={error === null ? `Stop the upload of ${name}` : `Put ${name} away`}
              onClick={stop}
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
        ))}
      </Stack>
    </Card>
  );
