import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import type { ConnectAnswer, ConnectQuery, ConnectView } from "../../../../src/contract/connect.ts";
import { apiPost } from "../../api/client.ts";
import { BudgetInputs } from "../../components/budget-inputs.tsx";
import { Facts } from "../../components/facts.tsx";
import { FormError } from "../../components/form-error.tsx";
import { localInput } from "../../components/local-input.ts";
import { checkAmount, parseUsd, plainUsd } from "../../components/parse-usd.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useSignedIn } from "../../session/session.ts";

interface ConnectFormProps {
  readonly asked: ConnectQuery;
  readonly view: ConnectView;
}

const decide = (body: object): Promise<ConnectAnswer> => apiPost<ConnectAnswer>("/api/auth/connect", body);
/** The server has made the address, of an app's whose protocol it has looked at. */
const leave = ({ redirectTo }: ConnectAnswer): void => window.location.replace(redirectTo);

/** Which team's key it will be, what it may spend and how long it lasts; then yes or no. */
export function ConnectForm({ asked, view }: ConnectFormProps) {
  const { user } = useSignedIn();
  const { host, callbackUrl, teams } = view;
  const form = useForm<Values>({
    initialValues: {
      teamId: teams[0]?.id ?? "",
      budget: plainUsd(view.budget),
      budgetWindow: view.budgetWindow,
      expiresAt: localInput(view.expiresAt),
    },
    validate: { budget: checkAmount },
  });
  const allow = useFormMutation({
    form,
    send: ({ teamId, budget, budgetWindow, expiresAt }) => {
      const limit = budget.trim() === "" ? null : parseUsd(budget);
      return decide({
        ...asked,
        teamId,
        budget: limit,
        budgetWindow: limit === null ? null : budgetWindow,
        expiresAt: expiresAt === "" ? null : new Date(expiresAt).toISOString(),
      });
    },
    onDone: leave,
  });
  const deny = useMutation({ mutationFn: () => decide({ ...asked, deny: true }), onSuccess: leave });
  const isLeaving = allow.isSuccess || deny.isSuccess;
  const mayAllow = teams.length > 0;
  return (
    <form onSubmit={allow.onSubmit}>
      <Stack>
        <Facts
          items={[
            ["You are", user.email],
            ["The code goes to", callbackUrl.split("?")[0]],
          ]}
        />
        {mayAllow ? (
          <Limits form={form} teams={teams} />
        ) : (
          <Text>You may not make keys in any team. Ask an administrator of your organization, and come back.</Text>
        )}
        <Text size="sm" c="dimmed">
          Go on only if you have started this yourself, at this app. You can change or remove the key at any time, on
          the page of your keys.
        </Text>
        <FormError error={allow.error} />
        <Group grow>
          <Button variant="default" loading={deny.isPending} disabled={isLeaving} onClick={() => deny.mutate()}>
            Deny
          </Button>
          {mayAllow && (
            <Button type="submit" loading={allow.isPending} disabled={isLeaving}>
              Allow
            </Button>
          )}
        </Group>
        {isLeaving && (
          <Text size="sm" role="status">
            You are on the way back to {host}.
          </Text>
        )}
      </Stack>
    </form>
  );
}

interface Values extends Record<string, unknown> {
  teamId: string;
  budget: string;
  budgetWindow: string;
  expiresAt: string;
}

const Limits = ({ form, teams }: { form: UseFormReturnType<Values>; teams: ConnectView["teams"] }) => (
  <>
    <Select
      label="Team and organization"
      description="Whose credit and budget its calls count for."
      required
      searchable
      allowDeselect={false}
      data={teams.map(({ id, name, organizationName }) => ({ value: id, label: `${name} of ${organizationName}` }))}
      {...form.getInputProps("teamId")}
    />
    <BudgetInputs
      label="Spends at most"
      flex={1}
      amount={form.getInputProps("budget")}
      window={form.getInputProps("budgetWindow")}
      isEmpty={form.values.budget.trim() === ""}
    />
    <TextInput
      label="Ends"
      description="In your time zone. Empty: never."
      type="datetime-local"
      {...form.getInputProps("expiresAt")}
    />
  </>
);
