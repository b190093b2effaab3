import Type, { type TObject, type TProperties, type TSchema } from "typebox";

/**
 * On a list of values or on an object: what to say of a value or a field that others have and we do not. A symbol, so that it is
 * no part of the schema that callers see.
 */
export const INSTEAD = Symbol("instead");
export type Instead = ReadonlyMap<string, string>;

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
