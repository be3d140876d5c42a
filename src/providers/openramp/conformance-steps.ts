/** Checks of the steps of a ramp that asks the person through us; a ramp without steps passes by its page. */
import { type Check, Failure, good, needed, refused, type Scene } from './conformance.ts';
import { STATUSES } from './schema.ts';
import * as wire from './wire.ts';

export const STEP_CHECKS: readonly Check[] = [
  { what: 'steps are asked as documented', look: begin },
  { what: 'an unknown step is not found', look: answerUnknown },
  { what: 'a wrong answer is asked for again, and says why', look: answerWrongly },
  { what: 'right answers lead on, and sent twice they do no harm', look: walk },
];

/** More steps than anybody would go through. */
const MOST_STEPS = 40;

function orderBody({ ramp, options, made }: Scene): Record<string, unknown> {
  const { body } = needed(made, 'an order');
  return { ...body, reference: ramp.reference(), returnUrl: options.webhookUrl, steps: true };
}

async function make(scene: Scene): Promise<wire.Order> {
  const body = { ...orderBody(scene), email: 'check@openramp.example' };
  return good(await scene.ramp.send({ method: 'POST', path: '/orders', body }), wire.readOrder);
}

const NONE = 'it has no steps: its page is used';

async function begin(scene: Scene): Promise<string> {
  const { step, status } = await make(scene);
  if (!STATUSES.some(word => word === status)) throw new Failure(`${status} is no status`);
  return step ? `${step.type} first` : NONE;
}

async function answerUnknown(scene: Scene): Promise<string | undefined> {
  const { id, step } = await make(scene);
  if (!step) return NONE;
  const path = `/orders/${id}/steps/no-such-step`;
  refused(await scene.ramp.send({ method: 'POST', path, body: { answers: {} } }), 'unknown_step');
  return undefined;
}

async function answerWrongly(scene: Scene): Promise<string | undefined> {
  const { id, step } = await make(scene);
  if (!step) return NONE;
  if (step.type !== 'form') return `not checked: the first step is ${step.type}`;
  const path = `/orders/${id}/steps/${step.key}`;
  const order = good(await scene.ramp.send({ method: 'POST', path, body: { answers: {} } }), wire.readOrder);
  if (!order.wrong) throw new Failure('no answer at all was taken for one');
  const isSame = order.step?.type === 'form' && order.step.key === step.key;
  if (!isSame) throw new Failure('the step that was answered wrongly is not asked again');
  const { field } = order.wrong;
  if (field !== undefined && !step.data.some(({ name }) => name === field))
    throw new Failure(`${field} is no field of the form`);
  return undefined;
}

/** Goes as far as the answers that were told lead; every step is answered twice. */
async function walk(scene: Scene): Promise<string> {
  let order = await make(scene);
  if (!order.step) return NONE;
  const seen: string[] = [order.step.type];
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const sent = sendFor(order, scene);
    if (!sent) return seen.join(', ');
    const next = good(await scene.ramp.send(sent), wire.readOrder);
    if (next.wrong) throw new Failure(`${sent.path}: ${next.wrong.message}`);
    const again = good(await scene.ramp.send(sent), wire.readOrder);
    if (JSON.stringify(again.step) !== JSON.stringify(next.step))
      throw new Failure(`${sent.path} answered again gives another step`);
    order = next;
    if (!order.step) return `${seen.join(', ')}, then ${order.status}`;
    seen.push(order.step.type);
  }
  throw new Failure(`there is no end after ${MOST_STEPS} steps`);
}

/** What answers the step; undefined where a person is needed, or answers that were not told. */
function sendFor({ id, step }: wire.Order, { options }: Scene) {
  const first = step?.type === 'pickOne' ? step.options[0]?.nextStep : step;
  if (first?.type === 'form') {
    const answers = options.answers[first.key];
    const path = `/orders/${id}/steps/${first.key}`;
    return answers && { method: 'POST' as const, path, body: { answers } };
  }
  if (first?.type !== 'file' || !options.answers.files) return undefined;
  const [type = 'image/png'] = first.acceptedContentTypes;
  const file = { type, bytes: FILES[type] ?? new Uint8Array() };
  return { method: 'PUT' as const, path: `/orders/${id}/steps/${first.key}`, file };
}

/** The smallest that look like what they are. */
const FILES: Readonly<Record<string, Uint8Array>> = {
  'image/jpeg': Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 0xff, 0xd9]),
  'image/png': Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]),
  'application/pdf': new TextEncoder().encode('%PDF-1.4\n%%EOF\n'),
};
