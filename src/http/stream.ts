/** Server-sent events: an answer that grows. */
import type { FastifyReply } from 'fastify';

export interface EventStream {
  /** `data` is one line of JSON. */
  send(event: string, data: string): void;
  end(): FastifyReply;
}

/** Whether a client asks for events in its `Accept`. */
export function wantsStream(accept = ''): boolean {
  return accept
    .toLowerCase()
    .split(',')
    .map(wish => wish.split(';').map(part => part.trim()))
    .some(([type, ...rest]) => type === 'text/event-stream' && !rest.some(part => /^q=0(\.0*)?$/.test(part)));
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
