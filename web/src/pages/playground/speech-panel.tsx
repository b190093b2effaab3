import { Anchor, Autocomplete, NumberInput, Select, SimpleGrid, Stack } from "@mantine/core";
import { IconVolume } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { useModelsOfKey } from "../../components/use-own-key.ts";
import type { MediaPanelProps } from "./image-panel.tsx";
import { PromptForm } from "./prompt-form.tsx";
import { RunCard } from "./run-card.tsx";
import { useRuns } from "./use-runs.ts";

const VOICES = ["alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse"];
const FORMATS = ["mp3", "wav", "opus", "aac", "flac"];
const ENDINGS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/ogg": "opus",
  "audio/opus": "opus",
  "audio/aac": "aac",
  "audio/flac": "flac",
};

interface Sound {
  readonly url: string;
  /** Of the name of its file. */
  readonly ending: string;
}

export function SpeechPanel({ keyId, model, onModel }: MediaPanelProps) {
  const { models } = useModelsOfKey(keyId, "audio_speech");
  const [voice, setVoice] = useState("alloy");
  const [format, setFormat] = useState("");
  const [speed, setSpeed] = useState<number | string>("");
  const urls = useUrls();
  const bodyOf = (input: string, name = model) => ({
    model: name,
    input,
    voice,
    ...(format === "" ? {} : { response_format: format }),
    ...(speed === "" ? {} : { speed: Number(speed) }),
  });
  const { runs, start, isRunning } = useRuns<Sound>(async (name, input, signal) => {
    const headers = { "x-gw-key-id": keyId };
    const response = await call("POST", "/v1/audio/speech", { json: bodyOf(input, name), headers, signal });
    const sound = await response.blob();
    const made = { url: urls(sound), ending: ENDINGS[sound.type.split(";")[0] ?? ""] ?? "mp3" };
    return { made, callId: response.headers.get("x-gw-call-id") };
  });
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <div>
        <PromptForm
          label="What to say"
          placeholder="Good morning! The trains run on time today."
          action="Speak"
          models={models}
          model={model}
          onModel={onModel}
          isRunning={isRunning}
          onStart={(input) => void start(model, input)}
          codeOf={(input) => ({ kind: "speech", body: bodyOf(input || "Good morning!") })}
        >
          <SimpleGrid cols={3}>
            <Autocomplete label="Voice" data={VOICES} value={voice} onChange={setVoice} />
            <Select
              label="Format"
              data={[{ value: "", label: "model's default" }, ...FORMATS]}
              value={format}
              onChange={(value) => setFormat(value ?? "")}
              allowDeselect={false}
            />
            <NumberInput
              label="Speed"
              min={0.25}
              max={4}
              step={0.25}
              placeholder="1"
              value={speed}
              onChange={setSpeed}
            />
          </SimpleGrid>
        </PromptForm>
      </div>
      <Stack>
        {runs.length === 0 && (
          <EmptyState icon={IconVolume} title="Nothing spoken yet">
            Write what you would like to hear.
          </EmptyState>
        )}
        {runs.map((run) => (
          <RunCard key={run.id} run={run} height={54}>
            {run.made && (
              <>
                {/* biome-ignore lint/a11y/useMediaCaption: the words stand above it. */}
                <audio controls src={run.made.url} style={{ width: "100%" }} aria-label={run.prompt} />
                <Anchor href={run.made.url} download={`speech.${run.made.ending}`} size="sm">
                  Keep the file
                </Anchor>
              </>
            )}
          </RunCard>
        ))}
      </Stack>
    </SimpleGrid>
  );
}

/** Addresses of what was made, given back when the page is left. */
function useUrls(): (blob: Blob) => string {
  const made = useRef<string[]>([]);
  useEffect(
    () => () => {
      for (const url of made.current.splice(0)) URL.revokeObjectURL(url);
    },
    [],
  );
  return (blob) => {
    const url = URL.createObjectURL(blob);
    made.current.push(url);
    return url;
  };
}
