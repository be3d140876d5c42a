/** Steps as clients read them. */
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../app/flow-turns.ts';
import { writeJson } from '../../domain/json.ts';
import type { Step } from '../../domain/step.ts';
import type { ProviderId } from '../../domain/words.ts';
import { viewStep } from './step-view.ts';

const LEGACY = 'https://ramp.example/legacy';
const view = (step: Step, tokens = ['t0']) => {
  const turn: Turn = { provider: 'acme' as ProviderId, transactionId: 'tx', step, tokens };
  return JSON.parse(writeJson(viewStep(turn, LEGACY)));
};

describe('a step', () => {
  it('of each type has its own members, and where it leads', () => {
    const at = (word: string) => `${LEGACY}/transaction/acme/${word}/t0`;
    expect(view({ type: 'form', key: 'k', fields: [] })).toEqual({
      type: 'form',
      url: at('form'),
      data: [],
      txId: 'tx',
    });
    expect(
      view({ type: 'file', key: 'k', humanName: 'Passport', hint: 'Flat.', accepts: ['image/png'] }),
    ).toEqual({
      type: 'file',
      url: at('file'),
      humanName: 'Passport',
      hint: 'Flat.',
      acceptedContentTypes: ['image/png'],
      txId: 'tx',
    });
    expect(view({ type: 'wait', message: 'A moment.' })).toEqual({
      type: 'wait',
      url: at('wait'),
      message: 'A moment.',
      txId: 'tx',
    });
    const page = { key: 'k', url: 'https://provider.example/secret' };
    expect(view({ type: 'iframe', ...page, permissions: ['camera', 'payment'] })).toEqual({
      type: 'iframe',
      url: at('pay'),
      fullscreen: true,
      neededFeatures: 'camera; payment',
      txId: 'tx',
    });
    expect(view({ type: 'redirect', ...page, hint: 'Come back.' })).toEqual({
      type: 'redirect',
      url: at('pay'),
      hint: 'Come back.',
      txId: 'tx',
    });
    expect(view({ type: 'completed', trackingUrl: 'https://ramp.example/pay/x' }, [])).toEqual({
      type: 'completed',
      trackingUrl: 'https://ramp.example/pay/x',
      txId: 'tx',
    });
  });

  it('may say more: a title, a name, a description and how far it has come', () => {
    const told = { title: 'T', humanName: 'H', description: 'D', progress: 40 };
    expect(view({ type: 'wait', message: 'M', ...told })).toMatchObject(told);
  });

  it('that is a choice has a way for each option, whose step it is beside the one it leads to', () => {
    const file = { type: 'file', key: 'k', humanName: 'Passport', accepts: ['image/png'] } as const;
    const choice: Step = {
      type: 'pickOne',
      options: [
        { title: 'One', description: 'First.', step: file },
        { title: 'Two', step: { ...file, humanName: 'Licence' } },
      ],
    };
    const { options, ...rest } = view(choice, ['t0', 't1']);
    expect(rest).toEqual({ type: 'pickOne', txId: 'tx' });
    expect(options).toMatchObject([
      { title: 'One', description: 'First.', type: 'file', url: `${LEGACY}/transaction/acme/file/t0` },
      { title: 'Two', nextStep: { humanName: 'Licence', url: `${LEGACY}/transaction/acme/file/t1` } },
    ]);
  });
});
