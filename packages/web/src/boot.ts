import { type Announcement, hintKey, post, sessionName, type Tokens, tokensOf } from './api/browser-endpoints.js';
import { openEarly } from './server/console-session/page-sockets.js';
import { preferredLocale } from './i18n/locale.js';
import { firstReads } from './api/first-reads.js';

/*
 * Begins what the page needs from the panel while most of the page itself is still on its way: the renewal of the sign-in,
 * what is read first, and the files of the page at this address. It is small and loaded before all others.
 */

const isKnown = localStorage.getItem(hintKey) !== null;

/** The sign-in of this browser. Null where there is none, or another tab renews it. Throws as the renewal does. */
export const firstTokens: Promise<Tokens | null> = isKnown
  ? navigator.locks.request(sessionName, { ifAvailable: true }, async (lock) => (lock === null ? null : renew()))
  : Promise.resolve(null);

/** The console of the server at this address is opened as early. */
const [, area = '', serverId = ''] = location.pathname.split('/');
if (isKnown && area === 'servers' && serverId !== '') openEarly(serverId, firstTokens);

/** What is read first; undefined where it was not answered. */
export const earlyAnswers = firstReads(location).map((first) => ({
  first,
  answer: firstTokens.then(
    async (tokens) => tokens && ask(first.address, tokens.token),
    () => undefined,
  ),
}));

preload(isKnown ? area : 'sign-in');
preload(preferredLocale());

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
    // The page asks again, and says what is wrong.
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Load the files of a part of the console, or of a language; the build has written down which they are. */
function preload(part: string): void {
  const files = document.querySelector<HTMLMetaElement>('meta[name=panel-files]')?.content ?? '{}';
  for (const file of (JSON.parse(files) as Record<string, readonly string[]>)[part] ?? []) {
    const link = document.createElement('link');
    link.rel = file.endsWith('.css') ? 'preload' : 'modulepreload';
    if (link.rel === 'preload') link.as = 'style';
    link.crossOrigin = '';
    link.href = file;
    document.head.append(link);
  }
}
