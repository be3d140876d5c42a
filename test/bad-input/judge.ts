/** The judge: whether an answer to a case is the one it must get. */
import type { Case } from './cases.ts';
import type { Line, Reply } from './line.ts';
import type { Surface } from './parameter.ts';

/** What is wrong with the answer to each case, those that are answered as they should be left out. */
export async function judgeAll(cases: readonly Case[], lines: readonly Line[]): Promise<string[]> {
  const wrong: string[] = [];
  let next = 0;
  await Promise.all(
    lines.map(async line => {
      for (let one = cases[next++]; one !== undefined; one = cases[next++]) {
        const { flaw } = await judge(one, line);
        if (flaw !== undefined) wrong.push(flaw);
      }
    }),
  );
  return wrong;
}

export interface Verdict {
  flaw: string | undefined;
  /** 0 when there was no answer. */
  ms: number;
}

export async function judge(one: Case, line: Line): Promise<Verdict> {
  try {
    const reply = await line.ask(one.bytes);
    const flaw = flawOf(one, reply);
    return { flaw: flaw && `${one.what}: ${flaw}`, ms: reply.ms };
  } catch (error) {
    return { flaw: `${one.what}: ${(error as Error).message}`, ms: 0 };
  }
}

function flawOf(
  { surface, fields, taken }: Case,
  { status, headers, body, text }: Reply,
): string | undefined {
  const said = `${status} ${text.slice(0, 160)}`;
  if (taken !== undefined) return status >= 200 && status < 300 ? undefined : `${said}; yet ${taken}`;
  if (status < 400 || status > 499) return said;
  if (surface === 'page') return undefined;
  if (headers['content-type'] !== 'application/json; charset=utf-8')
    return `${said}; it is ${headers['content-type']}`;
  // What is refused unread is for no surface yet.
  if (!isProblem(status === 431 ? 'current' : surface, status, body))
    return `${said}; not a problem of the ${surface} surface`;
  return isNamed(fields, String(body?.field)) ? undefined : `${said}; it names ${body?.field}`;
}

/** By its name, or by that of something in it. */
function isNamed(fields: readonly string[], named: string): boolean {
  return fields.some(
    field => named === field || named.startsWith(`${field}.`) || named.startsWith(`${field}[`),
  );
}

const NAMES: Record<Surface, readonly string[]> = {
  current: ['message', 'errorId', 'errorCode', 'errorMessage', 'requestId', 'field'],
  earlier: ['message', 'field', 'fatal'],
  page: [],
};

/** Members that a refusal by a provider has beside them. */
const DECLINED = ['type', 'minAmount', 'maxAmount'];

function isProblem(surface: Surface, status: number, body: Reply['body']): boolean {
  if (typeof body !== 'object' || body === null || typeof body.message !== 'string') return false;
  const { errorCode, errorMessage, message } = body as Reply['body'] & { errorMessage?: string };
  if (!Object.keys(body).every(name => [...NAMES[surface], ...DECLINED].includes(name))) return false;
  return surface === 'earlier' || (errorCode === status && errorMessage === message);
}
