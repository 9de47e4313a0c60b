import type { Page, Request } from 'playwright-core';

export interface Visit {
  /** Sum of layout shifts not caused by input. */
  readonly layoutShift: number;
  /** Distinct API requests. */
  readonly requests: readonly string[];
}

const observeShifts = `window.layoutShift = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.layoutShift += value;
}).observe({ type: 'layout-shift' });`;
const loads = new Set(['fetch', 'xhr', 'script', 'stylesheet']);

/** Visits the web console's pages by client-side navigation. */
export class PageWalk {
  readonly #page: Page;
  readonly #requests = new Set<string>();
  readonly #open = new Set<Request>();

  private constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => this.#begin(request));
    const end = (request: Request): void => void this.#open.delete(request);
    page.on('requestfinished', end);
    page.on('requestfailed', end);
  }

  /** For a signed-in page. Through DevTools, because the policy forbids added scripts. */
  static async begin(page: Page): Promise<PageWalk> {
    await page.evaluate(observeShifts);
    return new PageWalk(page);
  }

  /** Opens an address and waits until it is complete. */
  async visit(address: string): Promise<Visit> {
    this.#requests.clear();
    await this.#page.evaluate(`layoutShift = 0; history.pushState(null, '', ${JSON.stringify(address)});`);
    await this.#settle();
    const layoutShift = await this.#page.evaluate<number>('layoutShift');
    return { layoutShift, requests: [...this.#requests] };
  }

  /** Waits for loading and rendering. */
  async #settle(): Promise<void> {
    const frames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
    for (let quiet = 0; quiet < 3; quiet = this.#open.size === 0 ? quiet + 1 : 0) {
      await this.#page.locator('h1').first().waitFor();
      await this.#page.locator('.skeleton').first().waitFor({ state: 'detached' });
      await this.#page.evaluate(frames);
    }
  }

  #begin(request: Request): void {
    if (loads.has(request.resourceType())) this.#open.add(request);
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/')) this.#requests.add(`${request.method()} ${pathname}${search}`);
  }
}
