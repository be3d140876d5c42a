/** Flow turns: a step as somebody is to take it, with the words that lead to it, and as it is kept meanwhile. */
import type { PageStep, Step } from '../domain/step.ts';
import type { ProviderId } from '../domain/words.ts';
import type { Flow } from '../store/flows.ts';
import type { Transaction } from '../store/transactions.ts';
import type { FlowTokens } from './flow-tokens.ts';
import type { Lines } from './lines.ts';
import type { Seal } from './seal.ts';
import type { Sessions } from './sessions.ts';

/** A step that somebody is to take, and the words that lead to it. */
export interface Turn {
  provider: ProviderId;
  /** Unknown before the first answer. */
  transactionId: string | undefined;
  step: Step;
  /** The last part of the step's address; for a choice one for each of its options, and none at the end. */
  tokens: readonly string[];
}

export interface FlowTurns {
  /** Without a step of its own the provider's page is next, through our pay page. */
  turnOf(transaction: Transaction, step: Step | undefined, turn: number): Turn;
  /** Our page of the transaction. */
  payPage(transaction: Transaction): string;
  /** Where a provider's page sends people back to. */
  returnUrl(transaction: Transaction): string;
  /** A step as it is kept; undefined when it is too long for that. */
  close(transaction: Transaction, step: Step): string | undefined;
  /** The step a flow is at; undefined where there is only the provider's page, and after the end. */
  open(flow: Flow): Step | undefined;
}

export interface FlowTurnsOptions {
  tokens: FlowTokens;
  lines: Lines;
  sessions: Sessions;
  /** For `flow-steps`. */
  seal: Seal;
  publicUrl(): string;
  /** Where the earlier surface is found by the outside world. */
  legacyUrl(): string;
}

/** What is sealed grows by a third and must still be opened. */
const LONGEST_STEP = 40_000;

export function createFlowTurns(options: FlowTurnsOptions): FlowTurns {
  const { tokens, lines, sessions, seal, publicUrl, legacyUrl } = options;

  const payPage = ({ sessionId }: Transaction) => `${publicUrl()}/pay/${sessions.tokenOf(sessionId)}`;

  function shownStep(transaction: Transaction, step: Step | undefined): Step {
    const { provider, environment } = transaction;
    const manifest = lines.find(provider, environment)?.adapter.manifest;
    const { opens = 'redirect', permissions = [] } = manifest?.checkout ?? {};
    const hint = `You will go on at ${manifest?.name ?? provider}, and come back here.`;
    const furnish = <T extends Step>(shown: T): T | PageStep => {
      if (shown.type === 'iframe') return { permissions, ...shown };
      return shown.type === 'redirect' ? { hint, ...shown } : shown;
    };
    if (!step) return furnish<PageStep>({ type: opens, key: '', url: payPage(transaction) });
    if (step.type === 'completed') return { ...step, trackingUrl: payPage(transaction) };
    if (step.type !== 'pickOne') return furnish(step);
    return { ...step, options: step.options.map(option => ({ ...option, step: furnish(option.step) })) };
  }

  return {
    payPage,
    turnOf(transaction, step, turn) {
      const { id: transactionId, provider } = transaction;
      const shown = shownStep(transaction, step);
      const ways = waysOf(shown).map(({ type }, option) =>
        tokens.tokenOf({ transactionId, turn, option, isWait: type === 'wait' }),
      );
      return { provider, transactionId, step: shown, tokens: ways };
    },
    returnUrl({ id: transactionId, provider }) {
      const token = tokens.tokenOf({ transactionId, turn: 0, option: 0, isWait: false });
      return `${legacyUrl()}/transaction/${provider}/return/${token}`;
    },
    close({ id }, step) {
      const text = JSON.stringify(step);
      return text.length > LONGEST_STEP ? undefined : seal.close(text, id);
    },
    open({ transactionId, step }) {
      const text = step === undefined ? undefined : seal.open(step, transactionId);
      return text === undefined ? undefined : (JSON.parse(text) as Step);
    },
  };
}

/** The steps that can be taken from here: each of a choice, and none at the end. */
function waysOf(step: Step): Step[] {
  if (step.type === 'pickOne') return step.options.map(option => option.step);
  return step.type === 'completed' || step.type === 'requestBankTransaction' ? [] : [step];
}
