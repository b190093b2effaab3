import { Alert, Badge, Button, Card, Group, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { apiPost } from "../../api/client.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { type Draft, paramsOf, type TryAnswer } from "./guardrail.ts";
import { MarkedText } from "./marked-text.tsx";

export type Tried =
  | { readonly kind: "configured"; readonly name: string }
  | { readonly kind: "draft"; readonly draft: Draft };

const SAMPLE = "Write to ada@example.com or call +49 30 901820, and pay with DE89 3704 0044 0532 0130 00.";

/** What a guardrail would find in a text. Nothing is stored or charged. */
export function TryCard({ tried }: { tried: Tried }) {
  const [text, setText] = useState(SAMPLE);
  const look = useMutation({
    meta: { showsError: true },
    mutationFn: async (asked: string) => {
      const guardrail = tried.kind === "configured" ? { name: tried.name } : { definition: paramsOf(tried.draft) };
      return {
        text: asked,
        answer: await apiPost<TryAnswer>("/api/admin/guardrails/test", { ...guardrail, text: asked }),
      };
    },
  });
  const name = tried.kind === "configured" ? tried.name : tried.draft.name || "it";
  return (
    <Card component="section" aria-label="Try it">
      <Title order={2} mb="md" className="wraps">
        Try {name} on a text
      </Title>
      <Stack>
        <Textarea
          label="Text"
          autosize
          minRows={3}
          maxRows={14}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group>
          <Button loading={look.isPending} onClick={() => look.mutate(text)}>
            Look
          </Button>
        </Group>
        {look.error && <ErrorState error={look.error} title="It could not be tried" />}
        {look.data && <Result text={look.data.text} answer={look.data.answer} />}
      </Stack>
    </Card>
  );
}

function Result({ text, answer }: { text: string; answer: TryAnswer }) {
  const { findings, blocked, maskedText } = answer;
  if (findings.length === 0) {
    return (
      <Alert color="pine" title="Nothing was found" role="status">
        A call with this text goes through unchanged.
      </Alert>
    );
  }
  return (
    <Stack gap="sm" role="status">
      <Text>{blocked ? "A call with this text would be refused." : "What was found is masked before it goes on."}</Text>
      <Group gap={6}>
        {findings.map(({ category, start }) => (
          <Badge key={`${category} ${start}`} variant="light" color={blocked ? "red" : "orange"} tt="none">
            {category}
          </Badge>
        ))}
      </Group>
      <MarkedText text={text} findings={findings} />
      {maskedText !== null && !blocked && <CodeBlock code={maskedText} label="Copy the masked text" />}
    </Stack>
  );
}
