/** Server-sent events: an answer that grows. */
import type { FastifyReply } from 'fastify';

export interface EventStream {
  /** `data` is one line of JSON. */
  send(event: string, data: string): void;
  end(): FastifyReply;
}

/** Whether a client asks for events in its `Accept`, and does not like JSON better. */
export function wantsStream(accept = ''): boolean {
  // Few name it at all.
  if (!/event-stream/i.test(accept)) return false;
  const wishes = accept
    .toLowerCase()
    .split(',')
    .map(wish => wish.split(';').map(part => part.trim()));
  const weight = (type: string) =>
    Math.max(0, ...wishes.filter(([wish]) => wish === type).map(([, ...rest]) => weightIn(rest)));
  const events = weight('text/event-stream');
  return events > 0 && events >= weight('application/json');
}

function weightIn(parameters: readonly string[]): number {
  const given = parameters.flatMap(part => /^q=([01](?:\.\d{0,3})?)$/.exec(part)?.[1] ?? []);
  return given[0] === undefined ? 1 : Number(given[0]);
}

/** Takes the reply over; whoever went away in between is simply no longer written to. */
export function openStream(reply: FastifyReply): EventStream {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  return {
    send(event, data) {
      if (!raw.destroyed) raw.write(`event: ${event}\ndata: ${data}\n\n`);
    },
    end() {
      raw.end();
      return reply;
    },
  };
}
