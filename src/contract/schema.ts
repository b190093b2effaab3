import Type, { type TObject, type TProperties, type TSchema } from "typebox";

/** The contract's "optional with default null". */
export const nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

/** A body whose model may be named elsewhere: in the path or in the query. */
export const withOptionalModel = <P extends TProperties>(schema: TObject<P>) =>
  Type.Object(
    { ...schema.properties, model: nullable(Type.String({ minLength: 1, maxLength: 512 })) } as Omit<P, "model"> & {
      model: ReturnType<typeof nullable<ReturnType<typeof Type.String>>>;
    },
    { additionalProperties: true },
  );
