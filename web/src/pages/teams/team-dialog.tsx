import { NumberInput, SimpleGrid, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { TeamRecord } from "../../../../src/contract/organizations.ts";
import { apiPatch } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { plainUsd } from "../../components/parse-usd.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useOrganizationKey } from "../../session/session.ts";
import { LimitFields } from "./limit-fields.tsx";
import { checkUsd, countOrNull, limitBody, limitValues, nanoOrNull } from "./limit-values.ts";

interface TeamDialogProps {
  readonly onClose: () => void;
  readonly team: TeamRecord;
  /** What the organization allows the team is its own affair; a team's admins change its name and tags. */
  readonly maySetLimits: boolean;
}

export function TeamDialog({ onClose, team, maySetLimits }: TeamDialogProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const form = useForm({
    initialValues: {
      name: team.name,
      tags: [...team.tags],
      models: [...team.models],
      softBudget: team.softBudget === null ? "" : plainUsd(team.softBudget),
      parallelLimit: (team.parallelLimit ?? "") as number | string,
      ...limitValues(team),
    },
    validate: { budget: checkUsd, softBudget: checkUsd },
  });
  const save = useFormMutation({
    form,
    send: ({ name, tags, models, softBudget, parallelLimit, ...limits }) =>
      apiPatch<TeamRecord>(`/api/gw/teams/${team.id}`, {
        name,
        tags,
        ...(maySetLimits
          ? {
              models,
              softBudget: nanoOrNull(softBudget),
              parallelLimit: countOrNull(parallelLimit),
              ...limitBody(limits, nanoOrNull(softBudget)),
            }
          : {}),
      }),
    onDone() {
      notifyDone("The team is changed.");
      onClose();
      void client.invalidateQueries({ queryKey: [...key, "teams"] });
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Change the team"
      action="Save"
      onSubmit={save.onSubmit}
      error={save.error}
      isPending={save.isPending}
    >
      <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
      <TagsInput label="Tags" maxTags={50} {...form.getInputProps("tags")} />
      {maySetLimits && (
        <>
          <TagsInput
            label="Models that it may call"
            description="Empty for all that the organization may call."
            {...form.getInputProps("models")}
          />
          <LimitFields form={form} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label="Tell at, in USD"
              description="Passing it is told, nothing is refused."
              placeholder="nothing"
              inputMode="decimal"
              {...form.getInputProps("softBudget")}
            />
            <NumberInput
              label="Calls at one time"
              description="More than these are refused."
              placeholder="no limit"
              min={0}
              allowDecimal={false}
              thousandSeparator=","
              {...form.getInputProps("parallelLimit")}
            />
          </SimpleGrid>
        </>
      )}
    </FormDialog>
  );
}
