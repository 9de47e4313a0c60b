import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { WebSocket } from 'ws';

/** A page of a headless Chromium over DevTools. */
export interface Browser {
  goto(url: string): Promise<void>;
  /** The value of an expression in the page; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** Types into the focus by key events. */
  type(text: string): Promise<void>;
  press(key: 'Enter' | 'Tab'): Promise<void>;
  /** A PNG of the viewport. */
  screenshot(width: number, height: number): Promise<Buffer>;
  /** Console messages of the page, including policy violations. */
  readonly complaints: readonly string[];
  /** Requested addresses. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** In a `before` hook: pending without a browser, in CI it fails. */
export function needBrowser(context: Mocha.Context): string {
  const found = programs.find((name) => spawnSync(name, ['--version'], { timeout: 10_000 }).status === 0);
  if (found !== undefined) return found;
  if (process.env.CI) throw new Error('CI needs Chromium');
  return context.skip();
}

interface Event {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export async function openBrowser(program: string): Promise<Browser> {
  const profile = await mkdtemp(path.join(tmpdir(), 'panel-browser-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  const options = [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const page = await connectToPage(await debuggerPort(child));
    return {
      ...page,
      close: async () => {
        child.kill('SIGTERM');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        await rm(profile, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function debuggerPort(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  return waitUntil('the browser', () => /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1], 30_000);
}

async function connectToPage(port: string): Promise<Omit<Browser, 'close'>> {
  const pages = await waitUntil('a page', async () => {
    const list = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[];
    return list.find(({ type }) => type === 'page');
  });
  const socket = new WebSocket(pages.webSocketDebuggerUrl, { maxPayload: 64 * 1024 ** 2 });
  await once(socket, 'open');
  const complaints: string[] = [];
  const requests: string[] = [];
  const answers = new Map<number, (event: Event) => void>();
  let loads = 0;
  socket.on('message', (data: Buffer) => {
    const event = JSON.parse(data.toString('utf8')) as Event;
    if (event.id !== undefined) answers.get(event.id)?.(event);
    else if (event.method === 'Page.loadEventFired') loads += 1;
    else if (event.method === 'Log.entryAdded' || event.method === 'Runtime.exceptionThrown')
      complaints.push(JSON.stringify(event.params));
    else if (event.method === 'Network.requestWillBeSent')
      requests.push((event.params as { request: { url: string } }).request.url);
  });
  let sent = 0;
  const call = async (method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> => {
    const id = (sent += 1);
    const answer = new Promise<Event>((resolve) => answers.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answer;
    answers.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  };
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await call(`${domain}.enable`);
  return {
    complaints,
    requests,
    goto: async (url) => {
      // Through an empty page, because a new fragment is no navigation.
      for (const next of ['about:blank', url]) {
        const before = loads;
        await call('Page.navigate', { url: next });
        await waitUntil(`the page ${next}`, () => loads > before);
      }
    },
    evaluate: async <T>(expression: string) => {
      const { result, exceptionDetails } = await call('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { value: T }).value;
    },
    type: async (text) => void (await call('Input.insertText', { text })),
    press: async (key) => {
      const code = { Enter: 13, Tab: 9 }[key];
      const common = { key, code: key, windowsVirtualKeyCode: code };
      await call('Input.dispatchKeyEvent', { type: 'keyDown', ...common, ...(key === 'Enter' ? { text: '\r' } : {}) });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
    },
    screenshot: async (width, height) => {
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
      const { data } = await call('Page.captureScreenshot');
      return Buffer.from(String(data), 'base64');
    },
  };
}
