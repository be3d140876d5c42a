/** Validation: a schema is compiled when a request first comes to its route; compiling all of them took a tenth of every start. */
import compilerOf from '@fastify/ajv-compiler';
import type { FastifySchemaCompiler, FastifyValidationResult } from 'fastify/types/schema.js';

const OPTIONS = {
  ...{ coerceTypes: false, removeAdditional: false, useDefaults: false },
  // Those who wrote the schemas see to that; the schema of schemas would have to be compiled too.
  validateSchema: false,
};

export function createValidation(): FastifySchemaCompiler<unknown> {
  const compile = compilerOf()({}, { customOptions: OPTIONS }) as unknown as FastifySchemaCompiler<unknown>;
  return route => {
    let validate: FastifyValidationResult | undefined;
    const check: FastifyValidationResult = data => {
      validate ??= compile(route);
      const result = validate(data);
      check.errors = validate.errors ?? null;
      return result;
    };
    return check;
  };
}
