import { makeParseableResponseFormat } from "openai/lib/parser";

interface City {
  readonly city: string;
  readonly population: number;
}

/** A response format that the client parses by itself, without a schema library. */
export const zodlessSchema = makeParseableResponseFormat<City>(
  {
    type: "json_schema",
    json_schema: {
      name: "city",
      strict: true,
      schema: {
        type: "object",
        properties: { city: { type: "string" }, population: { type: "integer" } },
        required: ["city", "population"],
        additionalProperties: false,
      },
    },
  },
  (content) => JSON.parse(content) as City,
);
