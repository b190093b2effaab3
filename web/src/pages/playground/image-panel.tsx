import { Anchor, NumberInput, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { useModelsOfKey } from "../../components/use-own-key.ts";
import classes from "./playground.module.css";
import { PromptForm } from "./prompt-form.tsx";
import { RunCard } from "./run-card.tsx";
import { useRuns } from "./use-runs.ts";

export interface MediaPanelProps {
  readonly keyId: string;
  readonly model: string;
  readonly onModel: (model: string) => void;
}

interface Picture {
  readonly b64_json?: string;
  readonly url?: string;
}

const SIZES = ["1024x1024", "1536x1024", "1024x1536", "512x512", "256x256"];

export function ImagePanel({ keyId, model, onModel }: MediaPanelProps) {
  const { models } = useModelsOfKey(keyId, "image");
  const [size, setSize] = useState("");
  const [count, setCount] = useState<number | string>(1);
  const takesFormat = models.find(({ id }) => id === model)?.supportedParams.includes("response_format") ?? false;
  const bodyOf = (prompt: string, name = model) => ({
    model: name,
    prompt,
    ...(size === "" ? {} : { size }),
    ...(count === "" || count === 1 ? {} : { n: Number(count) }),
    // Pictures come with the answer: a page of ours asks no other host for them.
    ...(takesFormat ? { response_format: "b64_json" } : {}),
  });
  const { runs, start, isRunning } = useRuns<readonly Picture[]>(async (name, prompt, signal) => {
    const headers = { "x-gw-key-id": keyId };
    const response = await call("POST", "/v1/images/generations", { json: bodyOf(prompt, name), headers, signal });
    const { data } = (await response.json()) as { data: Picture[] };
    return { made: data, callId: response.headers.get("x-gw-call-id") };
  });
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <div>
        <PromptForm
          label="What to draw"
          placeholder="A lighthouse in the morning, as a woodcut"
          action="Draw"
          models={models}
          model={model}
          onModel={onModel}
          isRunning={isRunning}
          onStart={(prompt) => void start(model, prompt)}
          codeOf={(prompt) => ({ kind: "image", body: bodyOf(prompt || "A lighthouse in the morning") })}
        >
          <SimpleGrid cols={2}>
            <Select
              label="Size"
              data={[{ value: "", label: "model's default" }, ...SIZES]}
              value={size}
              onChange={(value) => setSize(value ?? "")}
              allowDeselect={false}
            />
            <NumberInput label="How many" min={1} max={10} allowDecimal={false} value={count} onChange={setCount} />
          </SimpleGrid>
        </PromptForm>
      </div>
      <Stack>
        {runs.length === 0 && (
          <EmptyState icon={IconPhoto} title="No pictures yet">
            Write what you would like to see.
          </EmptyState>
        )}
        {runs.map((run) => (
          <RunCard key={run.id} run={run} height={320}>
            <SimpleGrid cols={(run.made?.length ?? 0) > 1 ? 2 : 1} spacing="sm">
              {run.made?.map((picture, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what was made does not change.
                <PictureView key={at} picture={picture} alt={run.prompt} />
              ))}
            </SimpleGrid>
          </RunCard>
        ))}
      </Stack>
    </SimpleGrid>
  );
}

function PictureView({ picture: { b64_json: inline, url = "" }, alt }: { picture: Picture; alt: string }) {
  if (inline !== undefined)
    return <img src={`data:${typeOf(inline)};base64,${inline}`} alt={alt} className={classes.picture} />;
  if (url.startsWith("data:image/")) return <img src={url} alt={alt} className={classes.picture} />;
  if (!/^https?:\/\//i.test(url)) return <Text c="dimmed">The model sent no picture.</Text>;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer noopener" className="wraps">
      The model keeps the picture at another address; open it there
    </Anchor>
  );
}

/** By its first letters, as every program tells pictures apart. */
function typeOf(base64: string): string {
  if (base64.startsWith("/9j/")) return "image/jpeg";
  return base64.startsWith("UklGR") ? "image/webp" : "image/png";
}
