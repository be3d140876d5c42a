/** A person at a client of the earlier surface: chooses a gateway, and answers what is asked. */
import type { Page } from 'playwright-core';
import { keepPicture, type Person } from './purchase-person.ts';
import { WALLET } from './purchase-world.ts';

/** The smallest picture there is: of one pixel. */
export const PICTURE = {
  name: 'front.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
};
export const PERSON = {
  firstName: 'Jane',
  lastName: 'Doe',
  'dateOfBirth-year': '1990',
  'dateOfBirth-month': '12',
  'dateOfBirth-day': '31',
  street: 'Main Street 1',
  town: 'Berlin',
  postCode: '10115',
  country: 'DE',
  phoneCountryCode: '49',
  phoneNumber: '15112345678',
  termsOfUse: true,
};

export interface Heard {
  origin: string;
  data: Record<string, unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into steps freely
export type AnyStep = any;

/** Comes to the client and waits for its rates. */
export async function come(person: Person, url: string): Promise<Page> {
  person.shops.add(new URL(url).host);
  const page = await person.context.newPage();
  await page.goto(url);
  await page.locator('[data-gateway]').first().waitFor();
  return page;
}

/** Chooses a gateway and answers our own first form. */
export async function begin(page: Page, gateway: string, change: Record<string, string> = {}): Promise<void> {
  await page.locator(`[data-gateway=${gateway}]`).click();
  await fill(page, { cryptocurrencyAddress: WALLET, email: 'jane.doe@example.com', ...change });
}

/** Fills in the form that is shown, and goes on. */
export async function fill(page: Page, values: Readonly<Record<string, string | boolean>>): Promise<void> {
  await page.locator('#screen[data-step=form] #continue').waitFor();
  for (const [name, value] of Object.entries(values)) {
    const field = page.locator(`[name="${name}"]`);
    if (typeof value === 'boolean') await field.setChecked(value);
    else if (await page.locator(`select[name="${name}"]`).count()) await field.selectOption(value);
    else await field.fill(value);
  }
  await page.locator('#continue').click();
}

/** Waits until the client shows a step of this kind. */
export async function sees(page: Page, type: string): Promise<void> {
  await page.locator(`#screen[data-step=${type}]`).waitFor({ state: 'attached' });
}

export async function stepsOf(page: Page): Promise<AnyStep[]> {
  return (await page.evaluate('steps')) as AnyStep[];
}

export async function heardBy(page: Page): Promise<Heard[]> {
  return (await page.evaluate('heard')) as Heard[];
}

/** Opens the window that a redirect leads to. */
export async function redirect(page: Page): Promise<Page> {
  const [popup] = await Promise.all([
    page.context().waitForEvent('page'),
    page.locator('#screen[data-step=redirect] #redirect').click(),
  ]);
  return popup;
}

export function picture(page: Page, name: string): Promise<void> {
  return keepPicture(page, `earlier-${name}`);
}
