/** The language of the pay page: asked for, remembered, or the browser's own; the same on every page of an order. */
import { describe, expect, it } from 'vitest';
import { exampleView } from '../../../test/browser/pay-world.ts';
import { get, type Headers, ORIGIN, OWN, PAGE, post, setPayRoute, world } from '../../../test/pay-route.ts';
import { Fault } from '../../domain/fault.ts';
import type { PaySetup } from './shape.ts';

setPayRoute();

describe('the page', () => {
  it.each<[why: string, url: string, headers: Headers, language: string, said: string]>([
    ['nothing', '/pay/t1', {}, 'en', 'Check the details'],
    [
      'what the browser reads',
      '/pay/t1',
      { 'accept-language': 'fr-CA,en;q=0.5' },
      'fr',
      'Vérifiez les détails',
    ],
    ['a wish', '/pay/t1?lang=de', { 'accept-language': 'fr' }, 'de', 'Bitte prüfen Sie die Angaben'],
    [
      'a wish made before',
      '/pay/t1',
      { cookie: 'x=1; lang=es', 'accept-language': 'fr' },
      'es',
      'Revise los datos',
    ],
    ['a new wish', '/pay/t1?lang=ja', { cookie: 'lang=es' }, 'ja', '内容をご確認ください'],
    ['a wish we cannot fulfil', '/pay/t1?lang=tlh', { 'accept-language': 'pt' }, 'pt', 'Confira os dados'],
    ['a cookie that is none of ours', '/pay/t1', { cookie: 'lang=xx' }, 'en', 'Check the details'],
  ])('follows %s', async (_why, url, headers, language, said) => {
    const { statusCode, body } = await get(url, { ...PAGE, ...headers });
    expect(statusCode).toBe(200);
    expect(body).toContain(`<html lang="${language}" dir="ltr"`);
    expect(body).toContain(said);
  });

  it('runs from right to left in Arabic, but for addresses and figures', async () => {
    const { body } = await get('/pay/t1?lang=ar', PAGE);
    expect(body).toContain('<html lang="ar" dir="rtl"');
    expect(body).toContain('<code id="wallet" dir="ltr">');
    expect(body).toContain('<span>\u2068100.00 EUR\u2069</span>');
    expect(body).toContain('<bdi>01JCQ5V8R1W0M2T3N4P5Q6R7S8</bdi>');
  });

  it('keeps a wish in its addresses and for the way back, and what was not wished out of both', async () => {
    const wished = await get('/pay/t1?lang=de', PAGE);
    expect(wished.body).toContain('action="/base/pay/t1/open?lang=de"');
    expect(wished.body).toContain('action="/base/pay/t1/again?lang=de"');
    expect(setupOf(wished.body)).toMatchObject({ path: '/base/pay/t1', query: '?lang=de' });
    expect(wished.headers['set-cookie']).toBe('lang=de; Path=/base/pay/t1; HttpOnly; SameSite=Lax; Secure');
    const plain = await get('/pay/t1', { ...PAGE, 'accept-language': 'de' });
    expect(setupOf(plain.body).query).toBe('');
    expect(plain.headers['set-cookie']).toBeUndefined();
  });

  it('gives its script the words it needs', async () => {
    const { texts, refusals } = setupOf((await get('/pay/t1?lang=de', PAGE)).body);
    expect(texts).toMatchObject({ copied: 'Kopiert', opening: 'MoonPay wird geöffnet …' });
    expect(texts.leaving).toBe('Zurück in {seconds} s.');
    expect(refusals['422']).toBe('Der Auftrag wurde abgelehnt: {reason}');
  });

  function setupOf(body: string): PaySetup {
    const [, text = ''] = /data-setup="([^"]*)"/.exec(body) ?? [];
    return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'));
  }
});

describe('everything else', () => {
  it('tells the state in the same language', async () => {
    const { body } = await get('/pay/t1/state?lang=es');
    expect(JSON.parse(body).texts).toMatchObject({
      title: 'Revise los datos',
      open: 'Continuar con MoonPay',
    });
    const plain = await get('/pay/t1/state', { 'accept-language': 'ja' });
    expect(JSON.parse(plain.body).texts.title).toBe('内容をご確認ください');
  });

  it('follows an order in the same language', async () => {
    world.pay.put('t1', exampleView({ status: 'completed' }));
    const { body } = await get('/pay/t1/events?lang=fr');
    expect(body).toContain('"title":"Terminé"');
  });

  it('starts over in the language that was asked for', async () => {
    world.pay.put('t1', exampleView({ status: 'failed' }));
    const url = `${ORIGIN}/base/pay/t1-again`;
    expect((await post('/pay/t1/again?lang=ar', OWN)).json()).toEqual({ url: `${url}?lang=ar` });
    const form = await post('/pay/t1/again?lang=ar', { ...OWN, ...PAGE });
    expect(form.headers.location).toBe(`${url}?lang=ar`);
    expect((await post('/pay/t1/again', { ...OWN, 'accept-language': 'ar' })).json()).toEqual({ url });
  });

  it('leads back in the language that was asked for, whatever the provider appended', async () => {
    const page = await get('/pay/t1/return?lang=fr', { ...PAGE, cookie: 'lang=de', 'accept-language': 'es' });
    expect(page.body).toContain('<h1>Sie sind zurück</h1>');
    const plain = await get('/pay/t1/return?lang=fr', { ...PAGE, 'accept-language': 'es' });
    expect(plain.body).toContain('<h1>Ya está de vuelta</h1>');
    expect(plain.body).toContain('href="/base/pay/t1"');
  });

  it('says what is wrong in it, and leads back to it', async () => {
    expect((await get('/pay/nobody?lang=pt', PAGE)).body).toContain('Este link não funciona');
    world.pay.fault = new Fault('providerLate', 'The provider did not answer in time');
    const form = await post('/pay/t1/open?lang=de', { ...OWN, ...PAGE });
    expect(form.body).toContain('Der Anbieter hat nicht rechtzeitig geantwortet.');
    expect(form.body).toContain(
      '<a class="button primary" href="/base/pay/t1?lang=de">Noch einmal versuchen</a>',
    );
    expect(form.body).not.toContain('did not answer');
  });

  it('tells programs in English', async () => {
    world.pay.fault = new Fault('providerLate', 'The provider did not answer in time');
    const { json } = await post('/pay/t1/open?lang=de', OWN);
    expect(json().message).toBe('The provider did not answer in time');
  });
});
