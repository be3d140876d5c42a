/** A person at a provider's hosted pages: opens links, fills forms in and presses buttons, as a browser would. */

export interface HostedPage {
  status: number;
  url: string;
  text: string;
  stage: string;
  standing: string;
  /** By which the provider knows the browser again. */
  cookie: string;
}

interface Going {
  method?: string;
  body?: URLSearchParams;
  cookie?: string;
}

/** Opens a page, and follows where it leads. */
export async function visit(url: string, { cookie = '', ...going }: Going = {}): Promise<HostedPage> {
  const response = await fetch(url, { ...going, headers: { cookie }, redirect: 'manual' });
  const text = await response.text();
  const known = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  if (response.status === 303)
    return visit(new URL(response.headers.get('location') ?? '', url).href, { cookie: known });
  return {
    status: response.status,
    url,
    text,
    stage: /data-stage="(\w+)"/.exec(text)?.[1] ?? '',
    standing: /data-standing="(\w+)"/.exec(text)?.[1] ?? '',
    cookie: known,
  };
}

/** Presses a button of the page; the fields of its form keep what stands in them unless told otherwise. */
export async function press(
  page: HostedPage,
  action: string,
  fields: Record<string, string> = {},
): Promise<HostedPage> {
  const forms = [...page.text.matchAll(/<form[\s\S]*?<\/form>/g)].map(([form]) => form);
  const form = forms.find(one => one.includes(`data-action="${action}"`));
  if (!form)
    throw new Error(`no button for ${action} on the page of ${page.stage}: ${page.text.slice(-900)}`);
  const target = new RegExp(`formaction="([^"]*)" data-action="${action}"`).exec(form)?.[1] ?? '';
  const body = new URLSearchParams([...filledIn(form), ...Object.entries(fields)]);
  return visit(new URL(target, page.url).href, { method: 'POST', body, cookie: page.cookie });
}

function filledIn(form: string): Map<string, string> {
  const filled = new Map<string, string>();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1] ?? '';
    if (!/type="radio"/.test(input) || / checked/.test(input))
      filled.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  const chosen = /<select name="(\w+)"[\s\S]*?<option value="(\w+)" selected/.exec(form);
  if (chosen) filled.set(chosen[1] ?? '', chosen[2] ?? '');
  return filled;
}

/** Answers whatever is asked before money is: who they are, and on a sell where the payout goes. */
export async function introduce(start: HostedPage): Promise<HostedPage> {
  let page = start;
  for (let steps = 0; steps < 6; steps++) {
    if (page.stage === 'email') page = await press(page, 'email', { email: 'jane@example.com' });
    else if (page.stage === 'code') page = await press(page, 'code', { code: '123456' });
    else if (['identity', 'document', 'payout'].includes(page.stage)) page = await press(page, page.stage);
    else return page;
  }
  throw new Error(`stuck on the page of ${page.stage}`);
}
