/** Openramp's steps: what a ramp asks the person through us, read into ours, and their answers on the way back. */
import type { Decline } from '../../domain/offer.ts';
import type { FileStep, FormStep, PageStep, Step, Told } from '../../domain/step.ts';
import type { Page, Stage, StepAnswer, Steps, Wrong } from '../contract.ts';
import { type Context, exchange, type HttpRequest } from '../exchange.ts';
import { endOf, find, make, pageOf, readOwn } from './orders.ts';
import * as wire from './wire.ts';

export const steps: Steps = {
  begin(order, context) {
    return exchange(make(order, context, true), ({ body }) => comesOf(readOwn(order, body)));
  },
  answer(order, answer, context) {
    const send = (id: string) =>
      exchange(sending(id, answer, context), ({ body }) => takenOf(readOwn(order, body)));
    if (order.theirs !== undefined) return send(order.theirs);
    // The id was lost on the way to us: the reference leads to it.
    return exchange(find(order, context), ({ body }) => send(readOwn(order, body).id));
  },
  next(order, context) {
    return exchange(find(order, context), ({ body }) => comesOf(readOwn(order, body)));
  },
};

function sending(id: string, answer: StepAnswer, context: Context): HttpRequest {
  const path = `/orders/${encodeURIComponent(id)}/steps/${encodeURIComponent(answer.key)}`;
  return wire.call(
    context,
    'file' in answer
      ? { method: 'PUT', path, file: answer.file }
      : { method: 'POST', path, body: { answers: answer.values } },
  );
}

/** What comes of an answer: of one that is not taken, what is wrong with it. */
function takenOf(order: wire.Order): Stage | Page | Wrong | Decline {
  const comes = comesOf(order);
  return order.wrong && comes.kind !== 'decline' ? { kind: 'wrong', ...order.wrong } : comes;
}

/** What comes next: the step that is asked; without one the end, or the page, which is never wrong. */
function comesOf(order: wire.Order): Stage | Page | Decline {
  const { id: theirs, status, step } = order;
  const end = endOf(order);
  if (end) return end;
  if (step) return { kind: 'stage', step: stepOf(step), theirs };
  return status === 'completed' ? { kind: 'stage', step: { type: 'completed' }, theirs } : pageOf(order);
}

function stepOf(step: wire.Step): Step {
  switch (step.type) {
    case 'pickOne':
      return {
        type: step.type,
        ...toldOf(step),
        options: step.options.map(({ title, description, nextStep }) => ({
          title,
          description,
          step: simpleOf(nextStep),
        })),
      };
    case 'wait':
      return { type: step.type, ...toldOf(step), message: step.message };
    case 'requestBankTransaction':
      return { type: step.type, ...toldOf(step), ...wire.bankOf(step) };
    case 'completed':
      return { type: step.type, ...toldOf(step) };
    default:
      return simpleOf(step);
  }
}

type Simple = Extract<wire.Step, { key: string }>;

function simpleOf(step: Simple): FormStep | FileStep | PageStep {
  const { key } = step;
  if (step.type === 'form') return { type: step.type, key, ...toldOf(step), fields: step.data };
  if (step.type === 'file') {
    const { humanName, hint, acceptedContentTypes: accepts } = step;
    return { type: step.type, key, ...toldOf(step), humanName, hint, accepts };
  }
  return { type: step.type, key, ...toldOf(step), url: step.url };
}

function toldOf({ title, humanName, description, progress }: Partial<Record<keyof Told, string>>): Told {
  return {
    title,
    humanName,
    description,
    progress: progress === undefined ? undefined : Number(progress),
  };
}
