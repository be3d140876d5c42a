/** The sandbox's switches: which stand-in does what wrong, for the landing page and for nobody else. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { badInput, Fault } from '../../domain/fault.ts';
import { answers } from '../current/answers.ts';
import { isOwn } from '../security.ts';

export interface Switches {
  /** What a stand-in can be told to do; `none` is to work. */
  kinds: readonly string[];
  list(): SwitchedProvider[];
  set(provider: string, fault: SwitchedFault): void;
}

export interface SwitchedProvider {
  id: string;
  name: string;
  fault: SwitchedFault;
}

export interface SwitchedFault {
  kind: string;
  /** How long what is slow or late takes. */
  ms: number;
}

export interface SwitchRoutes {
  /** None where the service has no sandbox of its own. */
  switches: Switches | undefined;
  publicUrl(): string;
}

const tags = ['Sandbox'];
const SLOW_MS = 3_000;
const LONGEST_MS = 60_000;

export function switchRoutes(options: SwitchRoutes): FastifyPluginAsyncTypebox {
  function find(): Switches {
    if (!options.switches) throw new Fault('notFound', 'This service has no sandbox', 'path');
    return options.switches;
  }

  return async app => {
    // Only the landing page talks to these: what other sites may read elsewhere they may not read here.
    app.addHook('onRequest', (_request, reply, done) => {
      reply.removeHeader('access-control-allow-origin');
      reply.removeHeader('access-control-expose-headers');
      reply.header('cache-control', 'no-store');
      done();
    });

    app.get('/sandbox/providers', { schema: schemas.list }, async () => {
      const { list, kinds } = find();
      return { providers: list(), kinds };
    });

    app.put('/sandbox/providers/:provider', { schema: schemas.set }, async request => {
      const switches = find();
      if (!isOwn(request, new URL(options.publicUrl()).origin)) {
        throw new Fault('forbidden', 'Only the landing page may do this; the command line can too', 'Origin');
      }
      const { provider: id } = request.params;
      const { kind, ms = SLOW_MS } = request.body;
      const found = switches.list().find(provider => provider.id === id);
      if (!found) throw new Fault('notFound', 'There is no such stand-in', 'provider');
      if (!switches.kinds.includes(kind))
        throw badInput('kind', `kind must be one of ${switches.kinds.join(', ')}`);
      const fault = { kind, ms: kind === 'none' ? 0 : ms };
      switches.set(id, fault);
      return { ...found, fault };
    });
  };
}

const kind = Type.String({ description: 'What it does; one of `kinds`.' });
const ms = Type.Integer({
  minimum: 0,
  maximum: LONGEST_MS,
  description: 'How long what is slow or late takes.',
});
const Provider = Type.Object(
  { id: Type.String(), name: Type.String(), fault: Type.Object({ kind, ms }) },
  { title: 'Stand-in' },
);

const schemas = {
  list: {
    tags,
    summary: 'What each stand-in does wrong',
    description: '404 where the service was started without a sandbox.',
    response: answers(
      Type.Object({ providers: Type.Array(Provider), kinds: Type.Array(Type.String()) }),
      'All stand-ins, and what there is to choose from.',
    ),
  },
  set: {
    tags,
    summary: 'Has a stand-in do something wrong',
    description: 'For the landing page only. Elsewhere: `cloverleaf sandbox fault <provider> <kind>`.',
    params: Type.Object({ provider: Type.String({ description: 'Id of the provider.' }) }),
    body: Type.Object({ kind, ms: Type.Optional(ms) }),
    response: answers(Provider, 'The stand-in as it is now.'),
  },
};
