/** Flow tokens: the part of a step's address that nobody can guess, good for one flow, one turn and one option. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Where in a flow a token leads. */
export interface FlowPlace {
  transactionId: string;
  /** 0 is no step: it is where a provider's page sends people back to, whatever turn it is. */
  turn: number;
  /** Which of the steps to choose from; 0 when there is no choice. */
  option: number;
}

export interface FlowTokens {
  tokenOf(place: FlowPlace): string;
  /** Undefined for a token that is not ours. */
  read(token: string): FlowPlace | undefined;
}

const TAG_CHARACTERS = 22;
const FORM = /^([0-9A-Z]{26})-(0|[1-9]\d{0,3})-(0|[1-9]\d?)-([A-Za-z0-9_-]{22})$/;

export function createFlowTokens(masterKey: Buffer): FlowTokens {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'cloverleaf/flow', 32));
  const tagOf = (place: string) =>
    createHmac('sha256', key).update(place).digest('base64url').slice(0, TAG_CHARACTERS);
  return {
    tokenOf({ transactionId, turn, option }) {
      const place = `${transactionId}-${turn}-${option}`;
      return `${place}-${tagOf(place)}`;
    },
    read(token) {
      const [, transactionId = '', turn = '', option = '', tag = ''] = FORM.exec(token) ?? [];
      const place = `${transactionId}-${turn}-${option}`;
      if (!tag || !timingSafeEqual(Buffer.from(tag), Buffer.from(tagOf(place)))) return undefined;
      return { transactionId, turn: Number(turn), option: Number(option) };
    },
  };
}
