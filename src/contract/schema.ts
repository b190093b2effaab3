import Type, { type TSchema } from "typebox";

/** The contract's "optional with default null". */
export const nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));
