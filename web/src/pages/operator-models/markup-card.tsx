import { Button, Card, Group, NumberInput, Skeleton, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { MarkupView } from "../../../../src/contract/routing-rules.ts";
import { apiDelete, apiGet, apiPut } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { formatPercent } from "../../components/format-percent.ts";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { RULES_KEY } from "./use-rules.ts";

const PATH = "/api/admin/markup";

export const useMarkup = () =>
  useQuery({
    queryKey: [...RULES_KEY, "markup"],
    queryFn: ({ signal }) => apiGet<MarkupView>(PATH, {}, signal),
  });

/** What is put on top of the providers' prices, and a way to set it. */
export function MarkupCard() {
  const { data } = useMarkup();
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: RULES_KEY });
  const back = useMutation({
    mutationFn: () => apiDelete(PATH),
    onSuccess() {
      notifyDone("The mark-up is as the file has it again.");
      return refresh();
    },
  });
  return (
    <Card mb="lg" maw={560} component="section" aria-label="Mark-up">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text size="sm" c="dimmed">
            Mark-up of the installation
          </Text>
          <Text component="div" fz={24} fw={620} lh={1.35} mt={2} className="figures">
            {data ? formatPercent(data.percent / 100, 2) : <Skeleton height={22} my={5} width={96} />}
          </Text>
          <Text size="sm" c="dimmed" mih={22}>
            {data && placeOf(data)}
          </Text>
        </div>
        <Group gap="xs" justify="flex-end">
          {data?.source === "database" && (
            <Button size="xs" variant="default" loading={back.isPending} onClick={() => back.mutate()}>
              Back to the file's
            </Button>
          )}
          <Button size="xs" variant="default" onClick={dialog.open} disabled={!data} aria-label="Change the mark-up">
            Change
          </Button>
        </Group>
      </Group>
      {data && isOpen && <MarkupDialog percent={data.percent} onClose={dialog.close} onDone={refresh} />}
    </Card>
  );
}

const placeOf = ({ source, configured }: MarkupView): string =>
  source === "database"
    ? `Set here, in place of the configuration file's ${formatPercent(configured / 100, 2)}.`
    : "As the configuration file has it. Models may have one of their own.";

interface MarkupDialogProps {
  readonly percent: number;
  readonly onClose: () => void;
  readonly onDone: () => unknown;
}

function MarkupDialog({ percent, onClose, onDone }: MarkupDialogProps) {
  const form = useForm({ initialValues: { percent: percent as number | string } });
  const save = useFormMutation({
    form,
    send: (values) => apiPut(PATH, { percent: Number(values.percent || 0) }),
    onDone() {
      notifyDone("The mark-up is changed; it holds for calls that begin from now on.");
      void onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Mark-up of the installation"
      action="Save"
      onSubmit={save.onSubmit}
      error={save.error}
      isPending={save.isPending}
    >
      <NumberInput
        label="Mark-up"
        description="Put on top of the providers' prices for everybody. Running calls keep theirs."
        min={0}
        max={10_000}
        decimalScale={2}
        suffix="%"
        data-autofocus
        {...form.getInputProps("percent")}
      />
    </FormDialog>
  );
}
