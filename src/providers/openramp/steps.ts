/** Openramp's steps: what a ramp asks the person through us, read into ours, and their answers on the way back. */
import type { Decline } from '../../domain/offer.ts';
import type { FileStep, FormStep, PageStep, Step, Told } from '../../domain/step.ts';
import type { NativeOrder, Page, Stage, StepAnswer, Steps, Wrong } from '../contract.ts';
import { BadAnswer, type Context, exchange, type HttpRequest, type Work } from '../exchange.ts';
import { endOf, find, make, pageOf } from './orders.ts';
import * as wire from './wire.ts';

export const steps: Steps = {
  begin(order, context) {
    return exchange<Stage | Page | Decline>(make(order, context, true), ({ body }) => {
      const made = wire.readOrder(body);
      return endOf(made) ?? (made.step ? stageOf(made) : pageOf(made));
    });
  },
  answer(order, answer, context) {
    if (order.theirs !== undefined) return send(order.theirs, answer, context);
    // The id was lost on the way to us: the reference leads to it.
    return exchange(find(order, context), ({ body }) => send(wire.readOrder(body).id, answer, context));
  },
  next(order: NativeOrder, context: Context): Work<Stage | Decline> {
    return exchange<Stage | Decline>(find(order, context), ({ body }) => {
      const found = wire.readOrder(body);
      return endOf(found) ?? stageOf(found);
    });
  },
};

function send(id: string, answer: StepAnswer, context: Context): Work<Stage | Wrong | Decline> {
  const path = `/orders/${encodeURIComponent(id)}/steps/${encodeURIComponent(answer.key)}`;
  const request: Omit<HttpRequest, 'host' | 'headers'> =
    'file' in answer
      ? { method: 'PUT', path, file: answer.file }
      : { method: 'POST', path, body: { answers: answer.values } };
  return exchange<Stage | Wrong | Decline>(wire.call(context, request), ({ body }) => {
    const order = wire.readOrder(body);
    const { wrong } = order;
    return endOf(order) ?? (wrong ? { kind: 'wrong', ...wrong } : stageOf(order));
  });
}

function stageOf({ id, status, step }: wire.Order): Stage {
  if (step) return { kind: 'stage', step: stepOf(step), theirs: id };
  if (status === 'completed') return { kind: 'stage', step: { type: 'completed' }, theirs: id };
  throw new BadAnswer('an order under way without a step');
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
