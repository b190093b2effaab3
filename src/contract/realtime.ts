import Type from "typebox";

export const RealtimeQuery = Type.Object({
  model: Type.Optional(
    Type.String({ minLength: 1, description: "The model; may be left out where a client secret names it." }),
  ),
  deployment: Type.Optional(Type.String({ minLength: 1, description: "The same, as Azure's clients send it." })),
});

export const ClientSecretRequest = Type.Object({
  expires_after: Type.Optional(
    Type.Object({
      anchor: Type.Optional(Type.Literal("created_at")),
      seconds: Type.Optional(
        Type.Integer({
          minimum: 10,
          maximum: 7200,
          description: "How long it can be used to open a session; 600 by itself.",
        }),
      ),
    }),
  ),
  session: Type.Optional(
    Type.Object(
      {
        type: Type.Optional(Type.Literal("realtime")),
        model: Type.Optional(Type.String({ minLength: 1, description: "Without it, the first realtime model." })),
      },
      { additionalProperties: true, description: "What the session begins with, as `session.update` has it." },
    ),
  ),
});

export const ClientSecretAnswer = Type.Object({
  value: Type.String({ description: "Begins with `ek_`." }),
  expires_at: Type.Integer({ description: "In seconds since 1970." }),
  session: Type.Object({ type: Type.Literal("realtime"), model: Type.String() }, { additionalProperties: true }),
});
