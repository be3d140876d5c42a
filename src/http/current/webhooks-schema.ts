/** The webhook routes as schemas: they validate requests and are their part of the OpenAPI document. */
import { Type } from 'typebox';
import { answers, failures } from './answers.ts';

const moment = (description: string) => Type.String({ format: 'date-time', description });

const WebhookEndpoint = Type.Object(
  {
    id: Type.String(),
    url: Type.String({ format: 'uri' }),
    createdAt: moment('When it was made.'),
    enabled: Type.Boolean({ description: 'Whether events are sent there.' }),
    disabledAt: Type.Optional(moment('When it was disabled.')),
    disabledReason: Type.Optional(Type.String()),
    rotating: Type.Boolean({ description: 'Whether events are signed with the previous secret as well.' }),
  },
  { title: 'Webhook endpoint' },
);

const WebhookSecret = Type.Object(
  {
    ...WebhookEndpoint.properties,
    secret: Type.String({ description: '`whsec_` and 32 bytes in base64; shown this once.' }),
  },
  { title: 'Webhook endpoint with its secret' },
);

const WebhookTest = Type.Object(
  {
    accepted: Type.Boolean({ description: 'Whether the endpoint answered with a 2xx.' }),
    status: Type.Optional(Type.Integer({ description: 'Its answer; absent when there was none.' })),
    error: Type.Optional(Type.String({ description: 'Why it was not accepted.' })),
    milliseconds: Type.Integer(),
  },
  { title: 'Outcome of a test' },
);

const WebhookDelivery = Type.Object(
  {
    eventId: Type.String({ description: 'Sent as `webhook-id`, after `msg_`.' }),
    transactionId: Type.String(),
    sequence: Type.Integer({ description: 'Which change of its transaction it tells of.' }),
    state: Type.Enum(['due', 'delivered', 'dead']),
    attempts: Type.Integer(),
    lastStatus: Type.Optional(Type.Integer({ description: 'The last answer; absent when there was none.' })),
    lastError: Type.Optional(Type.String({ description: 'Why the last attempt failed.' })),
    createdAt: moment('When it happened.'),
    nextAttemptAt: Type.Optional(moment('When it is due.')),
    doneAt: Type.Optional(moment('When it was delivered or given up.')),
  },
  { title: 'Webhook delivery' },
);

const common = { tags: ['Webhooks'], security: [{ key: [], secret: [] }] };
const done = (description: string) => ({ 204: { description }, ...failures });
const ById = Type.Object({ id: Type.String({ description: 'Id of the endpoint.' }) });

export const webhookSchemas = {
  list: {
    ...common,
    summary: 'Webhook endpoints of the account',
    response: answers(Type.Object({ webhooks: Type.Array(WebhookEndpoint) }), 'The oldest first.'),
  },
  add: {
    ...common,
    summary: 'Add a webhook endpoint',
    body: Type.Object({
      url: Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'https on port 443 or 8443, on the public internet; no user, password or fragment.',
      }),
    }),
    response: {
      201: { description: 'The secret is shown this once.', ...WebhookSecret },
      ...failures,
    },
  },
  remove: {
    ...common,
    summary: 'Remove a webhook endpoint and what was delivered to it',
    params: ById,
    response: done('It is gone.'),
  },
  rotate: {
    ...common,
    summary: 'Give a webhook endpoint a new secret',
    params: ById,
    response: answers(
      WebhookSecret,
      'Shown this once. Events are signed with the previous secret as well, until it is ended or another one is made.',
    ),
  },
  endRotation: {
    ...common,
    summary: 'End the previous secret of a webhook endpoint',
    params: ById,
    response: done('Events are signed with the current secret only.'),
  },
  enable: {
    ...common,
    summary: 'Enable a webhook endpoint that was disabled',
    params: ById,
    response: answers(
      WebhookEndpoint,
      'New events are sent there; those it has missed, when they are replayed.',
    ),
  },
  test: {
    ...common,
    summary: 'Send a test event now',
    params: ById,
    response: answers(WebhookTest, 'What came of it.'),
  },
  deliveries: {
    ...common,
    summary: 'The newest deliveries to a webhook endpoint',
    params: ById,
    querystring: Type.Object({
      state: Type.Optional(
        Type.Enum(['due', 'delivered', 'dead'], { description: 'Only these; all when absent.' }),
      ),
      limit: Type.Optional(
        Type.String({
          pattern: '^0*[1-9][0-9]{0,8}$',
          maxLength: 16,
          default: '50',
          description: 'At most 50; above, it is held to 50.',
        }),
      ),
    }),
    response: answers(Type.Object({ deliveries: Type.Array(WebhookDelivery) }), 'The newest event first.'),
  },
  replay: {
    ...common,
    summary: 'Send events to a webhook endpoint again',
    params: ById,
    body: Type.Object(
      {
        state: Type.Optional(Type.Enum(['dead'], { description: 'All that were given up.' })),
        eventIds: Type.Optional(
          Type.Array(Type.String({ pattern: '^[0-9A-Za-z_-]{1,128}$' }), {
            minItems: 1,
            maxItems: 50,
            description: 'Their `webhook-id`, with or without `msg_`.',
          }),
        ),
        since: Type.Optional(
          Type.String({
            maxLength: 40,
            description: 'All of this moment and later, delivered or not.',
          }),
        ),
      },
      { description: 'One of the three.' },
    ),
    response: answers(
      Type.Object({ replayed: Type.Integer() }),
      'How many are due again: the oldest, and 10,000 at most. Events from before the endpoint was made are among them.',
    ),
  },
};
