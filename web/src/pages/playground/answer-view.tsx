import { Badge, Group, Spoiler, Stack, Text } from "@mantine/core";
import { memo } from "react";
import speech from "../../components/speech.module.css";
import { SpokenText } from "../../components/spoken-text.tsx";
import { AnswerFigures } from "./answer-figures.tsx";
import { CallFailure } from "./call-failure.tsx";
import type { Answer } from "./conversation.ts";

const FINISHES: Readonly<Record<string, string>> = {
  length: "cut off: no more tokens were allowed",
  content_filter: "stopped by a filter",
};

/** What a model said: plain text, whatever is in it. */
export const AnswerView = memo(function AnswerView({ answer }: { answer: Answer }) {
  const isOver = answer.state !== "waiting" && answer.state !== "streaming";
  const told = answer.finish === null ? undefined : FINISHES[answer.finish];
  return (
    <Stack gap="xs">
      {answer.reasoning !== "" && (
        <Spoiler maxHeight={66} showLabel="Show all of the reasoning" hideLabel="Show less">
          <Text size="sm" c="dimmed" className={speech.text}>
            {answer.reasoning}
          </Text>
        </Spoiler>
      )}
      {(answer.text !== "" || !isOver) && (
        <Text component="div" className={isOver ? speech.text : `${speech.text} ${speech.caret}`}>
          <SpokenText text={answer.text} />
        </Text>
      )}
      {answer.error && <CallFailure error={answer.error} />}
      {(answer.state === "stopped" || told !== undefined) && (
        <Group gap="xs">
          <Badge variant="light" color="gray">
            {answer.state === "stopped" ? "stopped" : told}
          </Badge>
        </Group>
      )}
      <AnswerFigures timing={answer.timing} isOver={isOver} />
    </Stack>
  );
});
