/** The steps of the earlier surface as schemas: what is documented. Bodies are checked by what each step asks. */
import { Type } from 'typebox';
import { earlierFailures, StepBody } from './schema.ts';

const tags = ['Earlier surface'];

const params = Type.Object({
  identifier: Type.String({ maxLength: 64, description: 'The provider.' }),
  token: Type.String({ maxLength: 4_096, description: 'Leads to one step of one order, and is good once.' }),
});

const next = { description: 'The next step.', ...StepBody };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });

export const stepSchemas = {
  form: {
    tags,
    params,
    summary: 'Answers a form',
    description:
      'The address is that of a `form` step. The body is JSON whatever its content type says: a flat object keyed by the ' +
      'names of the fields. The first answer of a flow makes the transaction, and may carry `partnerContext`, an object ' +
      'or a string, which comes back in events. What is wrong is told as `{message, field}`; a step that was answered ' +
      'before is a 409, an expired one a 410, and `fatal` says that the order cannot go on.',
    body: json({ type: 'object', title: 'StepAnswers', additionalProperties: true }),
    response: { 200: next, ...earlierFailures },
  },
  wait: {
    tags,
    params,
    summary: 'Asks whether there is a next step by now',
    description:
      'The address is that of a `wait` step. The same step again while there is nothing new; asked again after that, ' +
      'where the order is by then.',
    response: { 200: next, ...earlierFailures },
  },
  upload: {
    tags,
    params,
    summary: 'Uploads a file',
    description:
      'The address is that of a `file` step. The body is the file itself, or a `data:` URL of it: JPEG, PNG or PDF by ' +
      'its content, at most 10 MiB. It goes to the provider at once and is not kept.',
    response: { 200: next, ...earlierFailures },
  },
  page: {
    tags,
    params,
    summary: 'Leads to the page of a step',
    description:
      'The address is that of an `iframe` or `redirect` step; for a frame or a window, not for a script.',
    response: { 303: { description: 'To the page.', type: 'null' }, ...earlierFailures },
  },
};
