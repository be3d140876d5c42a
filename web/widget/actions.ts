/** Actions: everything that can happen to the widget, by person, by service or by clock. */
import type {
  CryptoAsset,
  FiatCurrency,
  PaymentTypeWithLimits,
  Side,
  TransactionStatus,
} from '../../client/src/index.ts';
import type { CryptoChoice, FiatChoice, WidgetSetup } from '../../src/http/widget/shape.ts';
import type { Decline, Menu, Offer, Order, Recommended, Refusal, Trouble, WalletFlaw } from './state.ts';

export type Action =
  // The person
  | { type: 'side'; side: Side }
  | { type: 'typed'; field: 'source' | 'destination'; text: string }
  | { type: 'menu'; menu: Menu | undefined }
  | { type: 'fiat'; fiat: FiatChoice }
  | { type: 'crypto'; crypto: CryptoChoice }
  | { type: 'country'; country: string }
  | { type: 'region'; region: string }
  | { type: 'method'; method: string }
  | { type: 'recommended'; recommended: Recommended }
  | { type: 'amount'; amount: string }
  | { type: 'chosen'; ramp: string }
  /** The person reaches for the offers, or lets go of them. */
  | { type: 'held'; isHeld: boolean }
  | { type: 'expand' }
  | { type: 'refresh' }
  | { type: 'goOn' }
  | { type: 'back' }
  | { type: 'address'; address: string }
  | { type: 'memo'; memo: string }
  | { type: 'noMemo'; hasNoMemo: boolean }
  | { type: 'left' }
  | { type: 'edit' }
  | { type: 'accept' }
  | { type: 'pay' }
  | { type: 'newOrder' }
  // The service
  | { type: 'asked'; serial: number; key: string }
  | { type: 'offered'; serial: number; offer: Offer }
  | { type: 'refused'; serial: number; refusal: Refusal }
  | { type: 'settled'; serial: number; offers: Offer[]; refusals: Refusal[]; refreshAt: number }
  | { type: 'unsettled'; serial: number; trouble: Trouble; refreshAt: number }
  | { type: 'stuck'; key: string; trouble: Trouble; refreshAt: number }
  | { type: 'methods'; key: string; methods: PaymentTypeWithLimits[] }
  | { type: 'recommendation'; key: string; recommended: Recommended | null }
  | { type: 'currencies'; side: Side; crypto: CryptoAsset[]; fiat: FiatCurrency[] }
  | { type: 'countries'; countries: { code: string; name: string }[] }
  | { type: 'choices'; country: string; choices: WidgetSetup['choices'] }
  | { type: 'partners'; key: string; ids: string[] }
  | { type: 'listFailed'; menu: Menu }
  /** The memo is without blanks around it. */
  | {
      type: 'checked';
      address: string;
      memo: string;
      flaw: WalletFlaw | undefined;
      isMemoWrong: boolean;
      isMemoInside: boolean;
    }
  | { type: 'ordered'; order: Order }
  | { type: 'declined'; ramp: string; decline: Decline }
  | { type: 'unpaid'; trouble: Trouble }
  /** The token is that of the page which says it; undefined where it cannot be told. */
  | { type: 'status'; token: string | undefined; transactionId: string; status: TransactionStatus }
  // The clock
  | { type: 'tick'; now: number };
