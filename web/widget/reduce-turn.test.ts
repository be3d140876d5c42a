/** Turning from buying to selling and back: what was chosen goes along, what was typed is found again. */
import { describe, expect, it } from 'vitest';
import type { WidgetSetup } from '../../src/http/widget/shape.ts';
import type { Action } from './actions.ts';
import { BTC, EUR, exampleMethod, exampleSetup, exampleState, play, USD, XRP } from './example.ts';
import { askOf } from './state.ts';

const ETH = { ...BTC, id: 'eth_ethereum', code: 'ETH', decimals: 18, network: 'ethereum' };
const GBP = { ...EUR, id: 'gbp', code: 'GBP' };
const SELL: Action = { type: 'side', side: 'sell' };
const BUY: Action = { type: 'side', side: 'buy' };
const typed = (text: string): Action => ({ type: 'typed', field: 'source', text });
const coin = (crypto: typeof BTC): Action => ({ type: 'crypto', crypto });

/** Bitcoin is bought for euros, and XRP sold for dollars. */
const CHOICES: WidgetSetup['choices'] = {
  buy: { fiat: EUR, crypto: BTC, amount: '100', method: 'creditcard' },
  sell: { fiat: USD, crypto: XRP, amount: '50', method: 'sepabanktransfer' },
};
const begun = (setup: Partial<WidgetSetup> = {}) => exampleState({}, { choices: CHOICES, ...setup });

describe('turning to the other side', () => {
  it('begins with that side’s own pair where nobody has chosen another', () => {
    const sold = play(begun(), SELL);
    expect(sold).toMatchObject({ pair: { fiat: USD, crypto: XRP }, typed: '50', isTyped: false });
    expect(askOf(sold)).toMatchObject({ side: 'sell', amount: '50', method: 'sepabanktransfer' });
    expect(play(sold, BUY)).toMatchObject({ pair: { fiat: EUR, crypto: BTC }, typed: '100' });
  });

  it('takes along the coin that was chosen, and nothing that was not', () => {
    const sold = play(begun(), coin(ETH), SELL);
    expect(sold.pair).toEqual({ fiat: USD, crypto: ETH });
    // As many as are usual of another coin is not known yet.
    expect(sold).toMatchObject({ typed: '', isMethodSure: false });
    const methods = [exampleMethod('sepabanktransfer', { moonpay: { min: '0.01' } })];
    const known = play(sold, { type: 'methods', key: 'sell usd eth_ethereum DE', methods });
    expect(askOf(known)).toMatchObject({ amount: '0.05', method: 'sepabanktransfer' });
  });

  it('takes along the currency that was chosen', () => {
    const sold = play(begun(), { type: 'fiat', fiat: GBP }, SELL);
    expect(sold).toMatchObject({ pair: { fiat: GBP, crypto: XRP }, typed: '50' });
  });

  it('takes along what was chosen last, on whichever side', () => {
    const sold = play(begun(), coin(ETH), SELL, coin(XRP));
    expect(play(sold, BUY).pair).toEqual({ fiat: EUR, crypto: XRP });
    expect(play(sold, BUY, SELL).pair).toEqual({ fiat: USD, crypto: XRP });
  });

  it('leaves behind what that side is known not to have', () => {
    const lists: Action = {
      type: 'currencies',
      side: 'sell',
      crypto: [XRP, BTC] as never,
      fiat: [USD, GBP] as never,
    };
    const chosen = play(begun(), lists, coin(ETH), { type: 'fiat', fiat: GBP });
    expect(play(chosen, SELL)).toMatchObject({ pair: { fiat: GBP, crypto: XRP }, typed: '50' });
    // Nothing was chosen there, and here everything is as it was left.
    expect(play(chosen, SELL, BUY).pair).toEqual({ fiat: GBP, crypto: ETH });
    const partners: Action = { type: 'partners', key: 'sell btc_bitcoin DE', ids: ['usd'] };
    const apart = play(begun(), lists, partners, coin(ETH), coin(BTC), { type: 'fiat', fiat: GBP }, SELL);
    expect(apart.pair).toEqual({ fiat: GBP, crypto: XRP });
  });

  it('is sure of the method only where all is as the page began', () => {
    const sold = play(begun(), SELL);
    expect(sold.isMethodSure).toBe(true);
    const other = play(sold, { type: 'method', method: 'creditcard' }, BUY, SELL);
    expect(other).toMatchObject({ method: 'creditcard', isMethodSure: false });
    const moved = play(begun(), { type: 'country', country: 'FR' }, SELL);
    expect(moved.isMethodSure).toBe(false);
  });
});

describe('turning back', () => {
  it('finds what was typed again, on both sides', () => {
    const sold = play(begun(), typed('250'), SELL, { type: 'typed', field: 'destination', text: '70' });
    const bought = play(sold, BUY);
    expect(bought).toMatchObject({ typed: '250', isTyped: true, field: 'source' });
    expect(play(bought, SELL)).toMatchObject({ typed: '70', isTyped: true, field: 'destination' });
  });

  it('keeps what was typed where the coin has become another', () => {
    const bought = play(begun(), typed('250'), SELL, coin(ETH), BUY);
    expect(bought).toMatchObject({ pair: { fiat: EUR, crypto: ETH }, typed: '250', isTyped: true });
  });

  it('finds the address again of the same coin, and gives it to no other', () => {
    const addressed = play(begun(), { type: 'address', address: 'bc1' }, SELL);
    expect(addressed.wallet.address).toBe('');
    expect(play(addressed, BUY).wallet.address).toBe('bc1');
    expect(play(addressed, coin(ETH), BUY).wallet.address).toBe('');
  });

  it('does not hold an address that is missing here against the other side', () => {
    const { choices } = exampleSetup();
    const pressed = play(begun({ choices }), { type: 'pay' });
    expect(pressed.wallet.flaw).toEqual({ kind: 'empty' });
    expect(play(pressed, SELL).wallet.flaw).toBeUndefined();
  });

  it('leaves an address that the page gave to each coin', () => {
    const wallets = { [BTC.id]: { address: 'bc2' }, [ETH.id]: { address: '0x1' } };
    const sold = play(begun({ wallets }), coin(ETH), SELL);
    expect(sold.wallet).toMatchObject({ address: '0x1', isGiven: true });
    expect(play(sold, coin(BTC), BUY).wallet).toMatchObject({ address: 'bc2', isGiven: true });
  });
});
