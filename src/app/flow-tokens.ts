/** Flow tokens: the part of a step's address that nobody can guess, good for one flow, one turn and one option. */
import { createTags, TAG } from './tags.ts';

/** Where in a flow a token leads. */
export interface FlowPlace {
  transactionId: string;
  /** 0 is no step: it is where a provider's page sends people back to, whatever turn it is. */
  turn: number;
  /** Which of the steps to choose from; 0 when there is no choice. */
  option: number;
  /** Whether the step there is a wait, whose token stays good when it is over. Those of other steps do not say what they are. */
  isWait: boolean;
}

export interface FlowTokens {
  tokenOf(place: FlowPlace): string;
  /** Undefined for a token that is not ours. */
  read(token: string): FlowPlace | undefined;
}

const FORM = new RegExp(`^([0-9A-Z]{26})-(0|[1-9]\\d{0,3})-(0|[1-9]\\d?)(w?)-(${TAG})$`);

export function createFlowTokens(masterKey: Buffer): FlowTokens {
  const tags = createTags(masterKey, 'flow');
  return {
    tokenOf({ transactionId, turn, option, isWait }) {
      const place = `${transactionId}-${turn}-${option}${isWait ? 'w' : ''}`;
      return `${place}-${tags.of(place)}`;
    },
    read(token) {
      const [, transactionId = '', turn = '', option = '', mark = '', tag = ''] = FORM.exec(token) ?? [];
      const place = `${transactionId}-${turn}-${option}${mark}`;
      if (!tag || !tags.isOf(place, tag)) return undefined;
      return { transactionId, turn: Number(turn), option: Number(option), isWait: mark !== '' };
    },
  };
}
