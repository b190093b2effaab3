import Type, { type Static } from "typebox";
import { nullable } from "../schema.ts";
import { Instructions, Metadata, ModelName, RecordId, SAMPLING, ToolResources, Tools } from "./parts.ts";
import { CreateMessage, CreateThread } from "./threads.ts";

const TOKENS_MIN = 256;

const ToolChoice = Type.Union([
  Type.Enum(["none", "auto", "required"]),
  Type.Object({ type: Type.Enum(["file_search", "code_interpreter"]) }),
  Type.Object({ type: Type.Literal("function"), function: Type.Object({ name: Type.String({ maxLength: 64 }) }) }),
]);

const SETTINGS = {
  assistant_id: RecordId,
  model: nullable(ModelName),
  instructions: nullable(Instructions),
  tools: nullable(Tools),
  metadata: nullable(Metadata),
  ...SAMPLING,
  tool_choice: nullable(ToolChoice),
  parallel_tool_calls: nullable(Type.Boolean()),
  max_prompt_tokens: nullable(Type.Integer({ minimum: TOKENS_MIN })),
  max_completion_tokens: nullable(Type.Integer({ minimum: 1 })),
  truncation_strategy: nullable(
    Type.Object({
      type: Type.Enum(["auto", "last_messages"]),
      last_messages: nullable(Type.Integer({ minimum: 1 })),
    }),
  ),
  stream: nullable(Type.Boolean()),
};

export const CreateRun = Type.Object({
  ...SETTINGS,
  additional_instructions: nullable(Instructions),
  additional_messages: nullable(Type.Array(CreateMessage, { maxItems: 1000 })),
});
export type CreateRun = Static<typeof CreateRun>;

export const CreateThreadAndRun = Type.Object({
  ...SETTINGS,
  thread: nullable(CreateThread),
  tool_resources: nullable(ToolResources),
});
export type CreateThreadAndRun = Static<typeof CreateThreadAndRun>;

export const UpdateRun = Type.Object({ metadata: nullable(Metadata) });

export const SubmitToolOutputs = Type.Object({
  tool_outputs: Type.Array(
    Type.Object({
      tool_call_id: Type.String({ maxLength: 256 }),
      output: nullable(Type.String({ maxLength: 524_288 })),
    }),
    { maxItems: 128 },
  ),
  stream: nullable(Type.Boolean()),
});

export const RunAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("thread.run"),
    created_at: Type.Integer(),
    thread_id: Type.String(),
    assistant_id: Type.String(),
    status: Type.String(),
  },
  { additionalProperties: true },
);

export const StepAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("thread.run.step"),
    created_at: Type.Integer(),
    run_id: Type.String(),
    type: Type.Enum(["message_creation", "tool_calls"]),
    status: Type.String(),
  },
  { additionalProperties: true },
);

/** What may be told with a step if it is asked for. */
export const RESULT_TEXTS = "step_details.tool_calls[*].file_search.results[*].content";
