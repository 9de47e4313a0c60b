import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { needBrowser } from './browser.js';
import type { SharedStack } from './stack.js';

/** A web console page with a browser state of its own. */
export interface WebPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors, policy violations and foreign requests: normally empty. */
  readonly complaints: readonly string[];
  signIn(): Promise<void>;
  /** A page with a separate browser state. Its complaints count too. */
  openForeign(): Promise<Page>;
  close(): Promise<void>;
}

interface WebOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
}

/** Logs every policy violation as a complaint, even if the browser does not. */
const reportViolations = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
  console.error('policy violation: ' + [effectiveDirective, blockedURI, sample].join(' ')));`;

/** Without a graphics card, its rasterizer in software takes more of the processor than the plain one. */
const flags = ['--no-sandbox', '--disable-gpu', '--disable-gpu-rasterization'];

/** A container of another test gave the machine an address or took it: the browser then gives up its requests. */
const networkChanged = 'net::ERR_NETWORK_CHANGED';

/** One per process, for all pages. */
let running: Browser | undefined;

async function webBrowser(program: string): Promise<Browser> {
  if (running?.isConnected()) return running;
  running = await chromium.launch({ executablePath: await find(program), args: flags });
  return running;
}

/** At the end of the run. */
export async function closeWebBrowser(): Promise<void> {
  await running?.close();
}

/** In `before`: opens a page; pending without a browser. */
export async function openWeb(mocha: Mocha.Context, test: SharedStack, options: WebOptions = {}): Promise<WebPage> {
  const browser = await webBrowser(needBrowser(mocha));
  const { width = 1440, height = 900, colorScheme = 'light', locale = 'en' } = options;
  const contexts: BrowserContext[] = [];
  const openContext = async (): Promise<BrowserContext> => {
    const opened = await browser.newContext({ viewport: { width, height }, colorScheme, locale });
    contexts.push(opened);
    await opened.addInitScript(reportViolations);
    return opened;
  };
  const context = await openContext();
  const complaints: string[] = [];
  const open = async (from: BrowserContext): Promise<Page> => {
    const opened = await from.newPage();
    opened.on('console', (message) => {
      const isOfMachine = message.text().includes(networkChanged);
      if (message.type() === 'error' && !isOfMachine) complaints.push(message.text());
    });
    opened.on('pageerror', (error) => complaints.push(error.message));
    opened.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      const isOwn = origin === new URL(test.stack.baseUrl).origin || protocol === 'blob:' || protocol === 'data:';
      if (!isOwn) complaints.push(`foreign request: ${request.url()}`);
    });
    return opened;
  };
  const page = await open(context);
  return {
    page,
    context,
    complaints,
    signIn: async () => {
      await page.goto(test.stack.baseUrl);
      await signInAs(page, test.adminEmail, test.password);
      await page.waitForSelector('.shell');
    },
    openForeign: async () => open(await openContext()),
    close: async () => {
      for (const opened of contexts) await opened.close();
    },
  };
}

/** Fills the sign-in page. The next step depends on the account. */
export async function signInAs(page: Page, email: string, password: string): Promise<void> {
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await page.click('button[type=submit]');
}

/** Playwright needs a path. */
async function find(program: string): Promise<string> {
  const { access } = await import('node:fs/promises');
  for (const directory of (process.env.PATH ?? '').split(path.delimiter)) {
    const candidate = path.join(directory, program);
    const isThere = await access(candidate).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  throw new Error(`${program} is not on the PATH`);
}

/** Before a repetition loses the state. */
export async function keepScreenshot(mocha: Mocha.Context, web: WebPage | undefined): Promise<void> {
  const { currentTest } = mocha;
  if (!web || !currentTest || currentTest.isPassed() || currentTest.isPending()) return;
  const directory = path.join(process.env.TEST_RESULTS_DIR ?? 'dist', 'screenshots');
  await mkdir(directory, { recursive: true });
  const willBeRepeated = !currentTest.isFailed();
  const name = `${currentTest.fullTitle()}${willBeRepeated ? ' before it is repeated' : ''}`;
  const file = `${name.replace(/[^a-z0-9]+/gi, '-')}.png`;
  try {
    await web.page.screenshot({ path: path.join(directory, file), fullPage: true });
    if (willBeRepeated) await web.page.reload();
  } catch (error) {
    // The test reports an unreachable page.
    process.stderr.write(`${file}: ${String(error)}\n`);
  }
}
