/** Clients: whoever asks the service something over the simulated network, and waits only so long for an answer. */
import { type Answer, type Request, readAnswer, writeRequest } from './machine/messages.ts';
import { call, type Link } from './machine/network.ts';
import { after, cancel, ticks, WORLD } from './machine/time.ts';

export interface Reply {
  /** 0 when there was no answer. */
  status: number;
  text: string;
  headers: Readonly<Record<string, string>>;
  /** How long it took. */
  ms: number;
  /** Why there was none. */
  failure: '' | 'refused' | 'cut' | 'late';
}

export interface Ask extends Partial<Request> {
  path: string;
}

const PATIENCE_MS = 30_000;

export function ask(place: string, { method = 'GET', path, headers = {}, body = '' }: Ask): Promise<Reply> {
  const began = ticks();
  return new Promise(resolve => {
    let received = Buffer.alloc(0);
    let link: Link | undefined;
    let isOver = false;
    const end = (reply: Partial<Reply>) => {
      if (isOver) return;
      isOver = true;
      cancel(timer);
      link?.close();
      resolve({ status: 0, text: '', headers: {}, failure: '', ...reply, ms: ticks() - began });
    };
    const look = (answer: Answer | undefined) => {
      if (answer) end({ ...answer });
    };
    const timer = after(PATIENCE_MS, () => end({ failure: 'late' }), WORLD);
    call(place, {
      opened(opened) {
        link = opened;
        opened.send(writeRequest({ method, path, headers, body }, 'pay.example'));
      },
      hear(bytes) {
        received = Buffer.concat([received, bytes]);
        look(readAnswer(received, false));
      },
      closed() {
        look(readAnswer(received, true));
        end({ failure: 'cut' });
      },
      refused: () => end({ failure: 'refused' }),
    });
  });
}
