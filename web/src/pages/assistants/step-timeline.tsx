import { Badge, Code, Group, Spoiler, Stack, Text, Timeline } from "@mantine/core";
import { IconCheck, IconClock, IconMessage, IconPlayerPlay, IconSearch, IconTool, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Money } from "../../components/money.tsx";
import { prettyJson } from "../../components/pretty-json.ts";
import speech from "../../components/speech.module.css";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import classes from "./assistants.module.css";
import type { Run, SearchCall, Step } from "./records.ts";
import { endingOf, endOf, isActive, tookOf } from "./run-states.tsx";

interface StepTimelineProps {
  readonly run: Run;
  readonly steps: readonly Step[];
}

/** What a run did, from its beginning to its end. */
export const StepTimeline = ({ run, steps }: StepTimelineProps) => (
  <Timeline bulletSize={24} lineWidth={2} active={steps.length + 1} aria-label="Steps" role="list">
    <Timeline.Item
      role="listitem"
      bullet={<IconPlayerPlay size={13} />}
      title={<Head at={run.created_at}>Begun</Head>}
    />
    {steps.map((step) => (
      <Timeline.Item
        key={step.id}
        role="listitem"
        color={step.last_error ? "red" : "pine"}
        bullet={iconOf(step)}
        title={<Head at={step.created_at}>{wordsOf(step)}</Head>}
      >
        <StepBody step={step} waits={run.status === "requires_action"} />
      </Timeline.Item>
    ))}
    <Timeline.Item
      role="listitem"
      color={isActive(run) ? "gray" : run.status === "completed" ? "pine" : "orange"}
      bullet={
        isActive(run) ? (
          <IconClock size={13} />
        ) : run.status === "completed" ? (
          <IconCheck size={13} />
        ) : (
          <IconX size={13} />
        )
      }
      title={<Head at={endOf(run)}>{wordOfEnd(run)}</Head>}
    >
      {endingOf(run) !== null && (
        <Text size="sm" c="dimmed" className="wraps">
          {endingOf(run)}
        </Text>
      )}
    </Timeline.Item>
  </Timeline>
);

const Head = ({ at, children }: { at: number | null; children: ReactNode }) => (
  <Group gap="xs" justify="space-between" wrap="nowrap">
    <Text size="sm" fw={560} className="wraps">
      {children}
    </Text>
    {at !== null && (
      <Text size="xs" c="dimmed" className={classes.aside}>
        <Time at={isoOf(at)} as="ago" />
      </Text>
    )}
  </Group>
);

function wordOfEnd(run: Run): string {
  if (run.status === "requires_action") return "Waits for a result";
  return isActive(run) ? "Goes on" : run.status.charAt(0).toUpperCase() + run.status.slice(1);
}

function wordsOf({ type, step_details }: Step): string {
  if (type === "message_creation") return "Wrote a message";
  const calls = step_details.tool_calls ?? [];
  const names = calls.map((call) => (call.type === "function" ? call.function.name : "file search"));
  return names.length === 0 ? "Calls a tool" : `Called ${names.join(", ")}`;
}

function iconOf({ type, step_details }: Step) {
  if (type === "message_creation") return <IconMessage size={13} />;
  const searches = step_details.tool_calls?.some((call) => call.type === "file_search");
  return searches ? <IconSearch size={13} /> : <IconTool size={13} />;
}

function StepBody({ step, waits }: { step: Step; waits: boolean }) {
  const end = step.completed_at ?? step.failed_at ?? step.cancelled_at ?? step.expired_at;
  const { usage } = step;
  return (
    <Stack gap={6}>
      <Text size="xs" c="dimmed" className="figures">
        {end === null ? (waits ? "waits for its result" : "not over yet") : tookOf(step.created_at, end)}
        {usage && ` · ${usage.prompt_tokens} in, ${usage.completion_tokens} out`}
        {usage?.cost_nano !== undefined && (
          <>
            {" · "}
            <Money nano={usage.cost_nano} />
          </>
        )}
      </Text>
      {step.last_error && <Text size="sm">{step.last_error.message}</Text>}
      {step.step_details.tool_calls?.map((call) =>
        call.type === "function" ? (
          <Code key={call.id} block tabIndex={0}>
            {prettyJson(call.function.arguments)}
            {call.function.output != null && `\n→ ${call.function.output}`}
          </Code>
        ) : (
          <Found key={call.id} call={call} />
        ),
      )}
    </Stack>
  );
}

function Found({ call: { file_search } }: { call: SearchCall }) {
  if (file_search.results.length === 0) return <Text size="sm">Nothing was found.</Text>;
  return (
    <Stack gap="xs">
      {file_search.results.map(({ file_name, score, content }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: several passages may come from one file, in this order.
        <div key={at}>
          <Group gap={6} wrap="nowrap">
            <Text size="sm" className="wraps">
              {file_name}
            </Text>
            <Badge color="pine" className="figures">
              {score.toFixed(3)}
            </Badge>
          </Group>
          {content && (
            <Spoiler
              maxHeight={56}
              showLabel="Show all of it"
              hideLabel="Show less"
              styles={{ control: { fontSize: 12 } }}
            >
              <Text size="xs" c="dimmed" className={speech.text}>
                {content.map(({ text }) => text).join("\n")}
              </Text>
            </Spoiler>
          )}
        </div>
      ))}
    </Stack>
  );
}
