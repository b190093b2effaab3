import { Button, Checkbox, FileInput, Group, Stack, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTableImport } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ModelTableView, TableLoadView } from "../../../../../src/contract/price-import.ts";
import type { ApiError } from "../../../api/api-error.ts";
import { apiDelete, apiGet, apiPost } from "../../../api/client.ts";
import { counted } from "../../../components/counted.ts";
import { FormError } from "../../../components/form-error.tsx";
import { FormModal } from "../../../components/form-modal.tsx";
import { notifyDone } from "../../../components/notify.ts";
import { Amount, priceLabel } from "./imported-prices.tsx";

const PATH = "/api/admin/model-table";
const ROWS_MAX = 200;
const NAMES_MAX = 12;

/** A button that loads a newer model table from a file, after a preview. */
export function LoadTable() {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconTableImport size={16} />} onClick={dialog.open}>
        Load model table
      </Button>
      <FormModal opened={isOpen} onClose={dialog.close} title="Load model table" size="xl">
        <TableForm onClose={dialog.close} />
      </FormModal>
    </>
  );
}

interface Loading {
  readonly file: File;
  readonly allowFree: boolean;
}

/** Requests that load, preview and reset the table. */
function useTableChanges(onChanged: (message: string) => void) {
  const client = useQueryClient();
  const changed = (message: string): void => {
    void client.invalidateQueries();
    onChanged(message);
  };
  const send = async ({ file, allowFree }: Loading, dryRun: boolean) =>
    apiPost<TableLoadView>(PATH, { table: await file.text(), dryRun, allowFree });
  const preview = useMutation<TableLoadView, ApiError, File>({
    mutationFn: (file) => send({ file, allowFree: false }, true),
    meta: { showsError: true },
  });
  const load = useMutation<TableLoadView, ApiError, Loading>({
    mutationFn: (given) => send(given, false),
    meta: { showsError: true },
    onSuccess: ({ to }) => changed(`The model table of ${to} is in use.`),
  });
  const reset = useMutation<object, ApiError, void>({
    mutationFn: () => apiDelete<object>(PATH),
    meta: { showsError: true },
    onSuccess: () => changed("The built-in model table is in use."),
  });
  return { preview, load, reset };
}

function TableForm({ onClose }: { onClose: () => void }) {
  const [allowFree, setAllowFree] = useState(false);
  const { preview, load, reset } = useTableChanges((message) => {
    notifyDone(message);
    onClose();
  });
  const choose = (file: File | null): void => {
    load.reset();
    setAllowFree(false);
    if (file === null) preview.reset();
    else preview.mutate(file);
  };
  const { data: seen, variables: file } = preview;
  const needsConsent = (seen?.becomeFree.length ?? 0) > 0;
  return (
    <Stack>
      <CurrentTable onReset={() => reset.mutate()} isResetting={reset.isPending} />
      <FileInput
        label="Model table"
        description="A model-table.json of a newer version. You see what it changes before it is used."
        placeholder="Choose a JSON file"
        accept="application/json,.json"
        clearable
        clearButtonProps={{ "aria-label": "No file" }}
        onChange={choose}
        data-autofocus
      />
      {preview.isPending && (
        <Text size="sm" c="dimmed" role="status">
          Comparing…
        </Text>
      )}
      {seen && <TableChanges view={seen} />}
      {needsConsent && (
        <Checkbox
          label="Models with a price may become free"
          checked={allowFree}
          onChange={(event) => setAllowFree(event.currentTarget.checked)}
        />
      )}
      <FormError error={preview.error ?? load.error ?? reset.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          disabled={!seen || (needsConsent && !allowFree)}
          loading={load.isPending}
          onClick={() => file && load.mutate({ file, allowFree })}
        >
          Use this table
        </Button>
      </Group>
    </Stack>
  );
}

/** The table in use; a loaded table can be replaced by the built-in one. */
function CurrentTable({ onReset, isResetting }: { onReset: () => void; isResetting: boolean }) {
  const { data } = useQuery({
    queryKey: ["model-table"],
    queryFn: ({ signal }) => apiGet<ModelTableView>(PATH, {}, signal),
  });
  if (!data) return null;
  return (
    <Group justify="space-between">
      <Text size="sm">
        Table in use: {data.date}, {data.origin}, {counted(data.models, "model")}
      </Text>
      {data.origin === "loaded" && (
        <Button size="xs" variant="default" loading={isResetting} onClick={onReset}>
          Use the built-in table
        </Button>
      )}
    </Group>
  );
}

const OUTCOMES: Readonly<Record<TableLoadView["models"][number]["outcome"], string>> = {
  free: "becomes free",
  unpriced: "loses its price",
  priced: "gets a price",
  repriced: "other price",
  facts: "other limits",
};

function TableChanges({ view }: { view: TableLoadView }) {
  const rows = view.models.flatMap((model) => model.prices.map((price) => ({ model, price })));
  return (
    <Stack gap="sm">
      {rows.length > 0 && (
        <Table.ScrollContainer
          minWidth={0}
          maxHeight={380}
          type="native"
          tabIndex={0}
          role="region"
          aria-label="Changes"
        >
          <Table aria-label="Changed prices" stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Model</Table.Th>
                <Table.Th>Price</Table.Th>
                <Table.Th ta="right">From</Table.Th>
                <Table.Th ta="right">To</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.slice(0, ROWS_MAX).map(({ model, price }) => (
                <Table.Tr key={`${model.id} ${price.field}`}>
                  <Table.Td>
                    <Text size="sm" className="wraps">
                      {model.name}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {OUTCOMES[model.outcome]}
                    </Text>
                  </Table.Td>
                  <Table.Td>{priceLabel(price)}</Table.Td>
                  <Table.Td ta="right">
                    <Amount change={price} nano={price.fromPrice} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <Amount change={price} nano={price.toPrice} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Summary view={view} />
    </Stack>
  );
}

function Summary({ view: { from, to, summary, becomeFree, models } }: { view: TableLoadView }) {
  const lost = models.filter(({ outcome }) => outcome === "unpriced").map(({ name }) => name);
  const lines = [
    `From the table of ${from} to the table of ${to}: ${counted(summary.added, "new name")}, ${summary.removed.toLocaleString()} removed.`,
    `Models of this server with another price: ${summary.repriced + summary.priced}, with other limits or capabilities: ${summary.facts}.`,
    lost.length > 0 && `No known price any more, so that calls are refused: ${named(lost)}.`,
    becomeFree.length > 0 && `Would be free: ${named(becomeFree)}.`,
  ];
  return (
    <Stack gap={4} role="status">
      {lines.map((line) =>
        line ? (
          <Text key={line} size="sm" c="dimmed" className="wraps">
            {line}
          </Text>
        ) : null,
      )}
    </Stack>
  );
}

const named = (names: readonly string[]): string =>
  names.slice(0, NAMES_MAX).join(", ") + (names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : "");
