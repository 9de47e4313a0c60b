import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { axeFindings, readAxe } from '../../support/axe.js';
import { createGame, startGame } from '../../support/game.js';
import { consolePaths } from '../../support/console-paths.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { PageWalk, type Visit } from '../../support/page-walk.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

/** Widths in pixels. */
const widths = [320, 768, 1440];
/** Light and dark differ in colours only. */
const colourRules = ['color-contrast', 'link-in-text-block'];
const withoutColours = Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }]));
/** Count of tabs scrolled out of sight. */
const hiddenTabs = `[...document.querySelectorAll('.tabs [aria-current]')].map((tab) => tab.getBoundingClientRect())
  .filter(({ left, right }) => left < -1 || right > innerWidth + 1).length`;
const maxLayoutShift = 0.05;
/** For a page by link, and for one loaded by the browser, which also signs in. */
const maxRequests = 3;
const maxRequestsOfLoad = 4;

describe('accessibility of the web console', function () {
  this.timeout(480_000);
  let test: SharedStack;
  let serverId: string;
  let scheduleId: string;
  let nodeId: string;
  let eggId: string;
  let axe: string;
  /** Of no server. */
  let stray = '';

  before(async () => {
    axe = await readAxe();
    test = await sharedStack();
    ({ id: serverId } = await createGame(test, { backups_limit: 2, databases_limit: 1 }));
    await startGame(test.admin, serverId);
    await fillLists();
  });
  after(async () => {
    if (stray !== '') await rm(stray, { recursive: true });
  });

  /** Pages without rows show few findings. */
  async function fillLists(): Promise<void> {
    const { admin } = test;
    const ofServer = { params: { id: serverId } };
    const { data: server } = await admin.get('/admin/servers/{id}', ofServer);
    nodeId = server.node?.id ?? '';
    eggId = server.egg?.id ?? '';
    const tasks = [{ action: 'command' as const, payload: 'say hello' }, { action: 'backup' as const }];
    const body = { name: 'nightly', hour: '4', minute: '0', tasks };
    ({ id: scheduleId } = (await admin.post('/servers/{id}/schedules', { ...ofServer, body })).data);
    const ofSchedule = { params: { id: serverId, schedule_id: scheduleId } };
    await admin.post('/servers/{id}/schedules/{schedule-id}/execute', ofSchedule);
    const rules = [{ path: '/plugins', access: 'deny' as const }];
    const invited = { email: 'invited@example.com', role: 'viewer', path_rules: rules };
    await admin.post('/servers/{id}/subusers', { ...ofServer, body: invited });
    const { data: node } = await admin.get('/admin/nodes/{id}', { params: { id: nodeId } });
    stray = path.join(node.data_root, 'servers', randomUUID());
    await mkdir(stray);
  }

  const paths = (): readonly string[] => consolePaths({ serverId, scheduleId, nodeId, eggId });

  const findingsOf = async ({ page }: WebPage, name: string, options: object = {}) => axeFindings(page, name, options);

  async function overflowOf({ page }: WebPage, name: string): Promise<string[]> {
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    return overflow > 0 ? [`${name}: ${overflow} px too wide`] : [];
  }

  /** Findings at each width, and in dark, which has the same colours at each. Leaves the page at the widest. */
  async function findingsInEveryLook(web: WebPage, where: string): Promise<string[]> {
    const found: string[] = [];
    for (const width of widths) {
      const name = `${where} at ${width} px`;
      await web.page.setViewportSize({ width, height: 900 });
      found.push(...(await findingsOf(web, name)), ...(await overflowOf(web, name)));
    }
    await web.page.emulateMedia({ colorScheme: 'dark' });
    found.push(...(await findingsOf(web, `${where}, dark`, { runOnly: colourRules })));
    await web.page.emulateMedia({ colorScheme: 'light' });
    return found;
  }

  function faultsOf({ layoutShift, requests }: Visit, where: string): string[] {
    return [
      ...(layoutShift > maxLayoutShift ? [`${where}: what is seen moves by ${layoutShift.toFixed(3)}`] : []),
      ...(requests.length > maxRequests ? [`${where}: ${requests.length} requests: ${requests.join(', ')}`] : []),
    ];
  }

  async function openForWalk(mocha: Mocha.Context, locale: string, width: number): Promise<WebPage> {
    const web = await openWeb(mocha, test, { locale, width });
    await web.page.emulateMedia({ reducedMotion: 'reduce' });
    return web;
  }

  it(`finds nothing at ${widths.join(', ')} px in light and dark, nothing overflows or moves, and few requests`, async function () {
    const web = await openForWalk(this, 'en', 1440);
    const { page } = web;
    try {
      await page.goto(test.stack.baseUrl);
      await page.waitForSelector('[name=password]');
      await page.evaluate(axe);
      const found = await findingsInEveryLook(web, 'sign-in');
      await web.signIn();
      await page.evaluate(axe);
      const walk = await PageWalk.begin(page);
      for (const where of paths()) {
        found.push(...faultsOf(await walk.visit(where), where), ...(await findingsInEveryLook(web, where)));
      }
      await walk.visit(`/servers/${serverId}/people`);
      await page.locator('.toolbar .button').first().click();
      await page.locator('dialog .form select').first().selectOption('own');
      await page.locator('dialog .permissions').waitFor();
      found.push(...(await findingsInEveryLook(web, 'dialog of people')));
      expect(found).to.deep.equal([]);
      expect(web.complaints).to.deep.equal([]);
    } finally {
      await keepScreenshot(this, web);
      await web.close();
    }
  });

  it('loads a page of a server with few requests', async function () {
    const web = await openForWalk(this, 'en', 1440);
    try {
      await web.signIn();
      // The current page may still send requests.
      await web.page.goto('about:blank');
      const requests: string[] = [];
      web.page.on('request', (request) => {
        if (request.url().includes('/api/')) requests.push(`${request.method()} ${request.url()}`);
      });
      await web.page.goto(`${test.stack.baseUrl}/servers/${serverId}/files`);
      await web.page.locator('.file-row').first().waitFor();
      expect(requests).to.have.length.within(1, maxRequestsOfLoad);
    } finally {
      await web.close();
    }
  });

  for (const { locale, width } of [
    { locale: 'ar', width: 320 },
    { locale: 'de', width: 768 },
  ]) {
    it(`finds nothing in ${locale}, and nothing overflows or moves, at ${width} px`, async function () {
      const web = await openForWalk(this, locale, width);
      try {
        await web.signIn();
        await web.page.evaluate(axe);
        const walk = await PageWalk.begin(web.page);
        const found: string[] = [];
        for (const where of paths()) {
          found.push(...faultsOf(await walk.visit(where), where), ...(await overflowOf(web, where)));
          const hidden = await web.page.evaluate<number>(hiddenTabs);
          if (hidden > 0) found.push(`${where}: the tab of the page is not seen`);
          // In left-to-right languages structure and colours are the same.
          if (locale === 'ar') found.push(...(await findingsOf(web, where, { rules: withoutColours })));
        }
        expect(found).to.deep.equal([]);
        expect(web.complaints).to.deep.equal([]);
      } finally {
        await web.close();
      }
    });
  }
});
