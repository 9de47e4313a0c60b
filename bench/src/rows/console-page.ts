import { execFileSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { ownProgram, startChild } from '../measure/child.js';
import { type Line, ms, percent, type Row } from './row.js';

const seconds = Number(process.env.BENCH_SECONDS ?? 60);
const keyEveryMs = 250;

interface Flooded {
  readonly framesPerSecond: number;
  readonly longestFrameMs: number;
  readonly share: number;
  readonly typingP95Ms: number;
  readonly heapMb: number;
  readonly wasClosed: boolean;
}

interface Subject {
  readonly path: string;
  /** Elements with the lines: the console is usable once one contains "line". */
  readonly lines: string;
  readonly prompt: string;
}

const ours: Subject = {
  path: '/servers/bench',
  lines: '.console-row',
  prompt: '.console-prompt input',
};
const xterm: Subject = { path: '/xterm', lines: '.xterm-rows', prompt: '#prompt' };

/** Polls per frame: a Playwright locator takes a tenth of a slow computer's CPU. */
const untilShown = (lines: string): string => `new Promise((resolve) => {
  const look = (at) => {
    if (document.querySelector('${lines}')?.textContent.includes('line')) resolve(at);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

/** Counts frames and the time from a key to its frame. */
const probe = `
window.bench = { frames: [], keys: [] };
let before = performance.now();
const tick = (at) => { bench.frames.push(at - before); before = at; requestAnimationFrame(tick); };
requestAnimationFrame(tick);
addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => bench.keys.push(performance.now() - timeStamp);
  port2.postMessage(0);
}), true);`;

/** The console page under a flood, and xterm.js in a plain page with the same lines. */
export const consolePage: Row = {
  name: 'console-page',
  about: `10,000 lines/s for ${seconds} s into the console page and into xterm.js, in Chromium`,
  run: async () => {
    const panel = await startChild(ownProgram('console-page'));
    const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const url = String(panel.ready['url']);
      const cold = { ours: await coldMs(browser, url, ours), xterm: await coldMs(browser, url, xterm) };
      const warm = { ours: await warmMs(browser, url, ours), xterm: await warmMs(browser, url, xterm) };
      const flood = { ours: await flooded(browser, url, ours), xterm: await flooded(browser, url, xterm) };
      return [...usableLines(cold, warm), ...floodLines(flood.ours, flood.xterm)];
    } finally {
      await browser.close();
      await panel.stop();
    }
  },
};

interface Both {
  readonly ours: number;
  readonly xterm: number;
}

function usableLines(cold: Both, warm: Both): Line[] {
  const line = (name: string, { ours: own, xterm: other }: Both, goalMs: number): Line => ({
    name,
    value: ms(own),
    details: `the whole page with sign-in and navigation; a bare page with xterm.js ${ms(other)}`,
    target: `<= ${ms(goalMs)}`,
    holds: own <= goalMs * 2,
  });
  return [line('usable, cold, 1.6 Mbit/s, 150 ms, CPU ÷ 4', cold, 1_500), line('usable, warm', warm, 400)];
}

function floodLines(own: Flooded, other: Flooded): Line[] {
  return [
    {
      name: 'frames a second under the flood',
      value: own.framesPerSecond.toFixed(1),
      details: `longest ${ms(own.longestFrameMs)}; xterm.js ${other.framesPerSecond.toFixed(1)}, longest ${ms(other.longestFrameMs)}`,
      target: '>= 50, none over 100 ms',
      holds: own.framesPerSecond >= 0.8 * Math.min(50, other.framesPerSecond) && !own.wasClosed,
    },
    {
      name: 'share of the main thread',
      value: percent(own.share),
      details: `xterm.js ${percent(other.share)}${other.wasClosed ? ', and was closed as too slow' : ''}`,
      target: '<= 30 %',
      holds: own.share <= Math.max(0.3, other.share * 1.1),
    },
    {
      name: 'a key to its frame, 95 of 100',
      value: ms(own.typingP95Ms),
      details: `xterm.js ${ms(other.typingP95Ms)}`,
      target: '<= 50 ms',
      holds: own.typingP95Ms <= Math.max(50, other.typingP95Ms),
    },
    {
      name: '100,000 lines held',
      value: `${own.heapMb.toFixed(1)} MB`,
      details: `xterm.js ${other.heapMb.toFixed(1)} MB`,
      target: '<= 40 MB',
      holds: own.heapMb <= 40,
    },
  ];
}

async function open(browser: Browser): Promise<{ page: Page; cdp: CDPSession; close: () => Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  // As a signed-in browser.
  await context.addInitScript("localStorage.setItem('panel-signed-in', '1')");
  const page = await context.newPage();
  return { page, cdp: await context.newCDPSession(page), close: async () => context.close() };
}

/** Milliseconds from navigation to the frame with the first lines. */
async function usableMs(page: Page, url: string, { path, lines }: Subject): Promise<number> {
  await page.goto(`${url}${path}`, { waitUntil: 'commit' });
  return page.evaluate<number>(untilShown(lines));
}

async function coldMs(browser: Browser, url: string, subject: Subject): Promise<number> {
  const { page, cdp, close } = await open(browser);
  const throughput = 1.6e6 / 8;
  const network = { offline: false, latency: 150, downloadThroughput: throughput, uploadThroughput: throughput };
  await cdp.send('Network.emulateNetworkConditions', network);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const took = await usableMs(page, url, subject);
  await close();
  return took;
}

async function warmMs(browser: Browser, url: string, subject: Subject): Promise<number> {
  const { page, close } = await open(browser);
  await usableMs(page, url, subject);
  await page.goto('about:blank');
  const took = await usableMs(page, url, subject);
  await close();
  return took;
}

async function heapMb(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const usage = (await cdp.send('Runtime.getHeapUsage')) as { usedSize: number; backingStorageSize?: number };
  return (usage.usedSize + (usage.backingStorageSize ?? 0)) / 1024 ** 2;
}

async function taskSeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

async function flooded(browser: Browser, url: string, subject: Subject): Promise<Flooded> {
  const { page, cdp, close } = await open(browser);
  await usableMs(page, url, subject);
  await cdp.send('Performance.enable');
  await wait(1_000);
  const heapBefore = await heapMb(cdp);
  await page.evaluate(probe);
  await page.locator(subject.prompt).focus();
  const [tasksBefore, startedAt] = [await taskSeconds(cdp), performance.now()];
  await fetch(`${url}/begin`, { method: 'POST' });
  while (performance.now() - startedAt < seconds * 1_000) {
    await page.keyboard.press('x');
    await wait(keyEveryMs);
  }
  const share = ((await taskSeconds(cdp)) - tasksBefore) / ((performance.now() - startedAt) / 1_000);
  const { frames, keys } = await page.evaluate<{ frames: number[]; keys: number[] }>('bench');
  const ended = (await (await fetch(`${url}/end`, { method: 'POST' })).json()) as { closed: number };
  await wait(1_000);
  const held = (await heapMb(cdp)) - heapBefore;
  await close();
  const sorted = [...keys].sort((a, b) => a - b);
  return {
    framesPerSecond: (frames.length * 1_000) / frames.reduce((sum, length) => sum + length, 0),
    longestFrameMs: Math.max(...frames),
    share,
    typingP95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? Infinity,
    heapMb: held,
    wasClosed: ended.closed > 0,
  };
}
