import { Button, FileInput, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFileImport } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { PriceImportView } from "../../../../../src/contract/price-import.ts";
import type { ApiError } from "../../../api/api-error.ts";
import { apiPost } from "../../../api/client.ts";
import { counted } from "../../../components/counted.ts";
import { FormError } from "../../../components/form-error.tsx";
import { FormModal } from "../../../components/form-modal.tsx";
import { notifyDone } from "../../../components/notify.ts";
import { MODELS_KEY } from "../admin-model.ts";
import { ImportedPrices, touchedBy } from "./imported-prices.tsx";

/** Prices from a file: first what they would change, then that they do. */
export function ImportPrices() {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconFileImport size={16} />} onClick={dialog.open}>
        Import prices
      </Button>
      <FormModal opened={isOpen} onClose={dialog.close} title="Import prices" size="xl">
        <Import onClose={dialog.close} />
      </FormModal>
    </>
  );
}

/** The file's text goes as it is: a number that was read here would have lost its last digits. */
const send = async (file: File, dryRun: boolean): Promise<PriceImportView> =>
  apiPost<PriceImportView>("/api/admin/prices/import", { prices: await file.text(), dryRun });

function Import({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const look = useMutation<PriceImportView, ApiError, File>({
    mutationFn: (file) => send(file, true),
    meta: { showsError: true },
  });
  const apply = useMutation<PriceImportView, ApiError, File>({
    mutationFn: (file) => send(file, false),
    meta: { showsError: true },
    onSuccess(told) {
      notifyDone(`The prices of ${counted(touchedBy(told), "model")} are changed; they hold for the next call.`);
      void client.invalidateQueries({ queryKey: MODELS_KEY });
      onClose();
    },
  });
  const choose = (file: File | null): void => {
    apply.reset();
    if (file === null) look.reset();
    else look.mutate(file);
  };
  const file = look.variables;
  const touched = look.data ? touchedBy(look.data) : 0;
  return (
    <Stack>
      <FileInput
        label="File with prices"
        description="In the form of LiteLLM's model_prices_and_context_window.json: USD for one token, by model. Nothing is changed before you say so."
        placeholder="Choose a JSON file"
        accept="application/json,.json"
        clearable
        clearButtonProps={{ "aria-label": "No file" }}
        onChange={choose}
        data-autofocus
      />
      {look.isPending && (
        <Text size="sm" c="dimmed" role="status">
          Comparing…
        </Text>
      )}
      {look.data && <ImportedPrices told={look.data} />}
      <FormError error={look.error ?? apply.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          disabled={file === undefined || touched === 0}
          loading={apply.isPending}
          onClick={() => file && apply.mutate(file)}
        >
          {touched === 0 ? "Change prices" : `Change ${counted(touched, "model")}`}
        </Button>
      </Group>
    </Stack>
  );
}
