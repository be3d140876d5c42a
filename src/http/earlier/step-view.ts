/** Steps as the clients of the earlier surface read them. */
import type { Turn } from '../../app/flow-turns.ts';
import type { Field, Pick, Step, Told } from '../../domain/step.ts';

/** `legacyUrl` is where the earlier surface is found by the outside world. */
export function viewStep(turn: Turn, legacyUrl: string): Record<string, unknown> {
  const { provider, transactionId, tokens } = turn;
  const base = `${legacyUrl}/transaction/${provider}`;
  const view = (step: Step, token: string) => ({
    ...viewOwn(step, token, base),
    ...viewTold(step),
    txId: transactionId,
  });
  const { step } = turn;
  if (step.type !== 'pickOne') return view(step, tokens[0] ?? '');
  const options = step.options.map((option, at) => viewOption(option, view(option.step, tokens[at] ?? '')));
  return { ...view(step, ''), options };
}

/** What any step may say. */
function viewTold({ title, humanName, description, progress }: Told) {
  return { title, humanName, description, progress };
}

/** What is a step's alone. */
function viewOwn(step: Step, token: string, base: string): Record<string, unknown> {
  const { type } = step;
  switch (step.type) {
    case 'form':
      return { type, url: `${base}/form/${token}`, data: step.fields.map(viewField) };
    case 'file':
      return { type, url: `${base}/file/${token}`, hint: step.hint, acceptedContentTypes: step.accepts };
    case 'iframe':
      return {
        type,
        url: `${base}/pay/${token}`,
        fullscreen: true,
        neededFeatures: step.permissions?.join('; ') || undefined,
      };
    case 'redirect':
      return { type, url: `${base}/pay/${token}`, hint: step.hint };
    case 'wait':
      return { type, url: `${base}/wait/${token}`, message: step.message };
    case 'requestBankTransaction':
      return { type, depositBankAccount: step.account, reference: step.reference, hint: step.hint };
    case 'completed':
      return { type, trackingUrl: step.trackingUrl };
    default:
      return { type };
  }
}

/** An option is a step with its own fields beside the one that it leads to: clients read either. */
function viewOption({ title, description }: Pick, nextStep: Record<string, unknown>) {
  return { ...nextStep, title, description: description ?? nextStep.description, nextStep };
}

function viewField(field: Field): Record<string, unknown> {
  const { type, name, humanName, hint, required } = field;
  const common = { type, name, humanName, hint, required };
  switch (field.type) {
    case 'select':
    case 'choice':
      return { ...common, options: field.options };
    case 'boolean':
      return { ...common, terms: field.terms };
    case 'date':
      return { ...common, data: PARTS_OF_DATE };
    default:
      return common;
  }
}

const PARTS_OF_DATE = ['Day', 'Month', 'Year'].map(humanName => ({
  type: 'integer',
  name: humanName.toLowerCase(),
  humanName,
}));
