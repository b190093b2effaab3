import { Card, Checkbox, Group, Stack, Text, Title } from "@mantine/core";
import type { PlatformModel } from "../../../../src/contract/platform-models.ts";
import { AppLink } from "../../components/app-link.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { CapabilityBadges, StatusBadge } from "./badges.tsx";
import type { Compared } from "./model-table-state.ts";
import { COMPARED_MAX } from "./model-table-state.ts";
import { PriceLine } from "./price-line.tsx";
import { shortCount, typeWords } from "./words.ts";

interface ModelCardProps {
  readonly model: PlatformModel;
  /** The page that lists models; a model's own page lies below it. */
  readonly base: string;
  readonly compared: Compared;
}

export const ModelCard = ({ model, base, compared }: ModelCardProps) => (
  <Card component="article" aria-label={model.id}>
    <Stack gap="sm" h="100%">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Group gap={4} wrap="nowrap">
            <Title order={2} fz="md" className="wraps">
              <AppLink to={`${base}/${encodeURIComponent(model.id)}`} c="inherit" underline="hover">
                {model.id}
              </AppLink>
            </Title>
            <CopyButton value={model.id} label={`Copy the id ${model.id}`} />
          </Group>
          <Text size="sm" c="dimmed">
            {model.providerName} · {typeWords(model.type)}
            {model.contextLength !== null && (
              <span title={`${model.contextLength.toLocaleString()} tokens`}>
                {" "}
                · {shortCount(model.contextLength)} context
              </span>
            )}
          </Text>
        </div>
        <StatusBadge model={model} />
      </Group>
      <CapabilityBadges model={model} />
      <Group justify="space-between" mt="auto" align="flex-end" wrap="nowrap">
        <PriceLine model={model} />
        <CompareBox id={model.id} compared={compared} withLabel />
      </Group>
    </Stack>
  </Card>
);

interface CompareBoxProps {
  readonly id: string;
  readonly compared: Compared;
  readonly withLabel?: boolean;
}

export const CompareBox = ({ id, compared, withLabel = false }: CompareBoxProps) => (
  <Checkbox
    size="xs"
    {...(withLabel ? { label: "Compare" } : {})}
    aria-label={`Compare ${id}`}
    checked={compared.has(id)}
    disabled={!compared.has(id) && compared.ids.length >= COMPARED_MAX}
    onChange={() => compared.toggle(id)}
    onClick={(event) => event.stopPropagation()}
  />
);
