import { Badge, Button, Group, Progress, Stack, Text } from "@mantine/core";
import type { ApiKeyRecord } from "../../../../src/contract/keys.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { FurtherBudget } from "../../components/budget-inputs.tsx";
import { currentWindow } from "../../components/budget-windows.ts";
import type { Column } from "../../components/column.ts";
import { counted } from "../../components/counted.ts";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";
import { type KeyAction, KeyMenu } from "./key-menu.tsx";

const STATUS_COLORS = { active: "pine", disabled: "gray", expired: "orange" } as const;

interface Context {
  readonly teamName: (teamId: string) => string;
  /** Keys of several teams may stand there: also where there is no room for a column, each says its own. */
  readonly isMixed: boolean;
  /** Undefined for people who only look. */
  readonly onAction: ((key: ApiKeyRecord, action: KeyAction) => void) | undefined;
  readonly mayChange: (key: ApiKeyRecord) => boolean;
}

export const keyColumns = ({ teamName, isMixed, onAction, mayChange }: Context): readonly Column<ApiKeyRecord>[] => [
  {
    name: "name",
    header: "Key",
    isSortable: true,
    cell: (key) => (
      <div>
        <Group gap="xs">
          <Text span fw={560} inherit>
            {key.name}
          </Text>
          {key.status !== "active" && (
            <Badge variant="light" color={STATUS_COLORS[key.status]}>
              {key.status === "disabled" ? "off" : key.status}
            </Badge>
          )}
          {key.newValueSince !== null &&
            (onAction && mayChange(key) ? (
              <Button
                size="compact-xs"
                variant="light"
                color="orange"
                onClick={(event) => {
                  event.stopPropagation();
                  onAction(key, "pick-up");
                }}
              >
                Pick up the new value
              </Button>
            ) : (
              <Badge variant="light" color="orange">
                new value waits
              </Badge>
            ))}
        </Group>
        <Text size="sm" c="dimmed" ff="monospace" style={{ whiteSpace: "nowrap" }}>
          {key.maskedToken}
        </Text>
        {isMixed && (
          <Text size="sm" c="dimmed" hiddenFrom="sm">
            {teamName(key.teamId)}
          </Text>
        )}
      </div>
    ),
  },
  { name: "team", header: "Team", from: "sm", cell: (key) => teamName(key.teamId) },
  { name: "budget", header: "Budget", from: "sm", cell: (key) => <BudgetCell subject={key} /> },
  {
    name: "spend",
    header: "Spent in all",
    isFigure: true,
    isSortable: true,
    cell: (key) => <Money nano={key.spend} />,
  },
  { name: "limits", header: "Limits", from: "lg", cell: (key) => <Limits subject={key} /> },
  {
    name: "lastUsedAt",
    header: "Last used",
    isSortable: true,
    from: "md",
    isWhole: true,
    cell: (key) => <Time at={key.lastUsedAt} as="ago" />,
  },
  {
    name: "expiresAt",
    header: "Ends",
    isSortable: true,
    from: "lg",
    isWhole: true,
    cell: (key) => <Time at={key.expiresAt} as="day" />,
  },
  ...(onAction
    ? [
        {
          name: "actions",
          header: <ActionsHeader />,
          isFigure: true,
          cell: (key: ApiKeyRecord) =>
            mayChange(key) && <KeyMenu subject={key} onAction={(action) => onAction(key, action)} />,
        },
      ]
    : []),
];

function BudgetCell({ subject }: { subject: ApiKeyRecord }) {
  const { budget, furtherBudgets } = subject;
  if (!budget && furtherBudgets.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        none
      </Text>
    );
  }
  return (
    <Stack gap={4} miw={130}>
      {budget && <MainBudget name={subject.name} budget={budget} />}
      {furtherBudgets.map((further) => (
        <Text key={`${further.window} ${further.model}`} size="sm">
          <FurtherBudget budget={further} />
        </Text>
      ))}
    </Stack>
  );
}

function MainBudget({ name, budget }: { name: string; budget: NonNullable<ApiKeyRecord["budget"]> }) {
  const share = budget.limit === 0 ? 100 : Math.min(100, (budget.spent / budget.limit) * 100);
  return (
    <>
      <Text size="sm">
        <Money nano={budget.spent} /> of <Money nano={budget.limit} /> {currentWindow(budget.window)}
      </Text>
      <Progress
        value={share}
        size="sm"
        color={share >= 100 ? "red" : share >= 80 ? "orange" : "pine"}
        aria-label={`Budget of ${name}`}
      />
    </>
  );
}

function Limits({ subject }: { subject: ApiKeyRecord }) {
  const told = [
    subject.rpmLimit !== null && `${subject.rpmLimit.toLocaleString()} requests/min`,
    subject.tpmLimit !== null && `${subject.tpmLimit.toLocaleString()} tokens/min`,
    subject.parallelLimit !== null && `${subject.parallelLimit.toLocaleString()} at one time`,
    subject.models.length > 0 && (subject.models.length === 1 ? subject.models[0] : `${subject.models.length} models`),
    subject.rotationInterval !== null && `rotates every ${subject.rotationInterval}`,
    subject.allowedIps.length > 0 && counted(subject.allowedIps.length, "address", "addresses"),
  ].filter((text) => text !== false);
  return told.length === 0 ? (
    <Text size="sm" c="dimmed">
      none
    </Text>
  ) : (
    <Text component="div" size="sm" miw={136}>
      {told.map((text) => (
        <div key={text}>{text}</div>
      ))}
    </Text>
  );
}
