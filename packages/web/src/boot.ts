import { type Announcement, hintKey, post, sessionName, type Tokens, tokensOf } from './api/browser-endpoints.js';
import { openEarly } from './server/console-session/page-sockets.js';
import { preferredLocale } from './i18n/locale.js';
import { firstReads } from './api/first-reads.js';

/* Small and loaded first: starts the sign-in renewal, the first reads and the page's files. */

const isKnown = localStorage.getItem(hintKey) !== null;

/** Null without a sign-in, or while another tab renews it. Throws as the renewal does. */
export const firstTokens: Promise<Tokens | null> = isKnown
  ? navigator.locks.request(sessionName, { ifAvailable: true }, async (lock) => (lock === null ? null : renew()))
  : Promise.resolve(null);

/** Opens this server's console early. */
const [, area = '', serverId = ''] = location.pathname.split('/');
if (isKnown && area === 'servers' && serverId !== '') openEarly(serverId, firstTokens);

/** First reads; undefined without an answer. */
export const earlyAnswers = firstReads(location).map((first) => ({
  first,
  answer: firstTokens.then(
    async (tokens) => tokens && ask(first.address, tokens.token),
    () => undefined,
  ),
}));

const part = isKnown ? area : 'sign-in';
const locale = preferredLocale();
for (const name of [part, locale, `${part}.${locale}`]) preload(name);

async function renew(): Promise<Tokens> {
  const tokens = tokensOf(await post('refresh', {}));
  const channel = new BroadcastChannel(sessionName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches its own origin only
  channel.postMessage({ type: 'token', tokens } satisfies Announcement);
  channel.close();
  return tokens;
}

async function ask(address: string, token: string): Promise<{ readonly data: unknown } | undefined> {
  try {
    const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
    const response = await fetch(`/api/v1${address}`, { headers });
    return response.ok ? ((await response.json()) as { readonly data: unknown }) : undefined;
  } catch (error) {
    // The page repeats the read and reports errors.
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Listed by the build. */
function preload(name: string): void {
  const files = document.querySelector<HTMLMetaElement>('meta[name=panel-files]')?.content ?? '{}';
  for (const file of (JSON.parse(files) as Record<string, readonly string[]>)[name] ?? []) {
    const link = document.createElement('link');
    link.rel = file.endsWith('.css') ? 'preload' : 'modulepreload';
    if (link.rel === 'preload') link.as = 'style';
    link.crossOrigin = '';
    link.href = file;
    document.head.append(link);
  }
}
