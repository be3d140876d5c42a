/** The landing page of the sandbox: what this is, the demo key, the widget live, and the switches of the stand-ins. */
import { type Html, html } from '../html.ts';
import { colour } from './colour.ts';
import type { SitePage } from './layout.ts';
import type { Switches } from './switches.ts';

export interface Landing {
  /** The demo account's public key; none where its account could not be made yet. */
  demoKey: string | undefined;
  switches: Switches;
  publicUrl: string;
  /** The path all of ours begin with. */
  base: string;
}

export function landingPage({ demoKey, switches, publicUrl, base }: Landing): SitePage {
  const docs = `${base}/docs`;
  return {
    title: 'Your own aggregator of crypto ramps',
    about: 'One API and one widget in front of every crypto ramp, on your own machine.',
    scripts: ['landing.js'],
    body: html`<main id="content" class="landing">
<section class="hero">
<div>
<p class="badge">Running · sandbox</p>
<h1>One API in front of every crypto ramp</h1>
<p class="lead">Cloverleaf asks ${switches.list().length} providers at once what a purchase or a sale would bring, leads your user through the one they
choose, and keeps a true record of what happened. It runs on your machine, and here it speaks to imitations of the providers: no money moves, and
everything else is real.</p>
<p class="actions"><a class="button primary" href="${docs}/quick-start">Quick start</a> <a class="button" href="${docs}">Documentation</a> <a class="button" href="${docs}/api">API reference</a></p>
${keySection(demoKey, docs)}
</div>
<section class="live" aria-labelledby="live-title">
<h2 id="live-title">The widget, live</h2>
<cloverleaf-widget${demoKey !== undefined && html` api-key="${demoKey}"`}></cloverleaf-widget>
<p class="note">This very page holds two lines of HTML for it: <a href="${docs}/embed-the-widget">embed the widget</a>.</p>
<script src="${base}/widget.js" async></script>
</section>
${terminalSection({ demoKey, publicUrl, docs })}
</section>
${switchSection(switches, base)}
${linkSection(base)}
</main>`,
  };
}

function keySection(demoKey: string | undefined, docs: string): Html {
  if (demoKey === undefined) {
    return html`<section class="key" aria-labelledby="key-title"><h2 id="key-title">Your demo key</h2>
<p>There is none: make an account with <code>npx cloverleaf account create --name shop</code>.</p></section>`;
  }
  return html`<section class="key" aria-labelledby="key-title"><h2 id="key-title">Your demo key</h2>
<p class="code"><code id="demo-key">${demoKey}</code><button class="copy" type="button" hidden>Copy</button></p>
<p class="note">It is public, and may stand in a page. Its secret never comes to one: it is in <code>demo-account.json</code> in the data
folder, and opens the records. <a href="${docs}/go-headless">What each is for</a>.</p></section>`;
}

interface Terminal {
  demoKey: string | undefined;
  publicUrl: string;
  docs: string;
}

function terminalSection({ demoKey, publicUrl, docs }: Terminal): Html {
  const key = demoKey ?? '$KEY';
  const quotes = `curl '${publicUrl}/quotes/eur/btc?amount=100'`;
  const checkout = `curl -X POST '${publicUrl}/checkout/intent' \\
  -H 'Authorization: ${key}' -H 'Content-Type: application/json' \\
  -d '{ "onramp": "moonpay", "source": "eur", "destination": "btc", "amount": 100,
        "wallet": { "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" } }'`;
  const records = `SECRET=$(node -p "require('./data/demo-account.json').secret")
curl '${publicUrl}/transactions' -H 'Authorization: ${key}' -H "x-service-secret: $SECRET"`;
  return html`<section class="terminal" aria-labelledby="terminal-title">
<h2 id="terminal-title">From a terminal</h2>
<h3>Quotes of all providers, best first</h3>
${codeBlock(quotes)}
<p class="note">Add <code>-H 'Accept: text/event-stream'</code> to see each as it comes.</p>
<h3>An order: open the <code>url</code> of the answer</h3>
${codeBlock(checkout)}
<h3>What became of it</h3>
${codeBlock(records)}
<p class="note">The <a href="${docs}/quick-start">quick start</a> goes through it step by step.</p>
</section>`;
}

function codeBlock(text: string): Html {
  return html`<div class="code"><pre tabindex="0"><code>${colour(text, 'sh')}</code></pre><button class="copy" type="button" hidden>Copy</button></div>`;
}

/** What people read for each fault; those without words are shown by their own name. */
const FAULT_WORDS: Readonly<Record<string, string>> = {
  none: 'works',
  slow: 'answers after 3 seconds',
  hang: 'never answers',
  error: 'answers 500',
  limited: 'answers 429, too many requests',
  unauthorized: 'refuses our key with 401',
  garbage: 'answers with a web page',
  truncated: 'stops in the middle of the answer',
  huge: 'sends an endless answer',
  drip: 'sends the answer drop by drop',
  reset: 'cuts the connection',
  lie: 'states an absurd price',
  'webhooks-lost': 'loses its webhooks',
  'webhooks-twice': 'sends webhooks twice',
  'webhooks-shuffled': 'sends webhooks out of order',
  'webhooks-forged': 'sends forged webhooks',
  'webhooks-late': 'sends webhooks late',
};

function switchSection(switches: Switches, base: string): Html {
  const { kinds } = switches;
  const option = (kind: string, current: string) =>
    html`<option value="${kind}"${kind === current && html` selected`}>${FAULT_WORDS[kind] ?? kind}</option>`;
  const row = ({ id, name, fault }: ReturnType<Switches['list']>[number]) => html`<tr data-provider="${id}">
<th scope="row"><img src="${base}/icons/onramp/${encodeURIComponent(id)}.svg" alt="" width="24" height="24"> ${name}</th>
<td><div class="switch"><select aria-label="What ${name} does">${kinds.map(kind => option(kind, fault.kind))}</select><span class="answer"></span></div></td>
</tr>
`;
  return html`<section id="switches" aria-labelledby="switches-title" data-base="${base}">
<h2 id="switches-title">Break something</h2>
<p>Every stand-in has a switch. Turn one, and see what it does to quotes: the others go on as if nothing had happened. The same from a terminal:
<code>npx cloverleaf sandbox fault moonpay hang</code>.</p>
<p class="asking"><span>150 EUR of bitcoin, by card, in Germany</span> <button id="ask" class="button" type="button">Ask again</button> <button id="mend" class="button" type="button">Set all right</button> <span id="asked" role="status"></span></p>
<div class="table" tabindex="0"><table class="switches">
<thead><tr><th scope="col">Stand-in</th><th scope="col">What it does, and what you would get</th></tr></thead>
<tbody>
${switches.list().map(row)}</tbody>
</table></div>
<noscript><p class="note">The switches need a script.</p></noscript>
</section>`;
}

function linkSection(base: string): Html {
  const links: readonly (readonly [href: string, title: string, about: string])[] = [
    ['/docs', 'Documentation', 'Guides and reference'],
    ['/docs/api', 'API reference', 'Every operation, to read and to try'],
    ['/openapi.json', 'OpenAPI', 'The same for programs'],
    ['/widget', 'Widget', 'As a page of its own'],
    ['/health/ready', 'Health', 'Whether the service can serve'],
    ['/metrics', 'Metrics', 'For Prometheus'],
  ];
  return html`<section aria-labelledby="links-title"><h2 id="links-title">Everything that is here</h2>
<ul class="cards">
${links.map(
  ([
    href,
    title,
    about,
  ]) => html`<li><a href="${base}${href}"><strong>${title}</strong><span>${about}</span></a></li>
`,
)}</ul></section>`;
}
