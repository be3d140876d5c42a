/** Answers as schemas: what every route of the surface documents in the same way. */
import { type TSchema, Type } from 'typebox';

export const Problem = Type.Object(
  {
    message: Type.String(),
    errorId: Type.Integer(),
    errorCode: Type.Integer(),
    errorMessage: Type.String(),
    field: Type.Optional(Type.String({ description: 'The parameter at fault.' })),
    requestId: Type.String(),
  },
  { title: 'Problem' },
);

export const failures = {
  '4xx': { description: 'The request cannot be served as it is.', ...Problem },
  '5xx': { description: 'It cannot be served at the moment.', ...Problem },
};

export const answers = (schema: TSchema, description: string) => ({
  200: { description, ...schema },
  ...failures,
});
