import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createGame, startGame } from '../support/game.js';
import { bootStack, type TestStack } from '../support/stack.js';
import { openWeb, type WebPage } from '../support/web.js';

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

const everyLook = [320, 768, 1440].flatMap((width): Look[] => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]);
/** One browser for each language; a page is loaded once and takes all looks. */
const languages: readonly { readonly locale: string; readonly looks: readonly Look[] }[] = [
  { locale: 'en', looks: everyLook },
  { locale: 'ar', looks: [{ width: 320, colorScheme: 'dark' }] },
  { locale: 'de', looks: [{ width: 768, colorScheme: 'light' }] },
];

describe('accessibility of the web console', function () {
  this.timeout(480_000);
  let test: TestStack;
  let serverId: string;
  let scheduleId: string;
  let nodeId: string;
  let eggId: string;
  let axe: string;

  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    test = await bootStack();
    ({ id: serverId } = await createGame(test, { backups_limit: 2, databases_limit: 1 }));
    await startGame(test.admin, serverId);
    await fillLists();
  });
  after(async () => {
    await test?.stop();
  });

  /** A page without rows has little to find. */
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
  }

  const paths = (): string[] => [
    '/',
    `/wall?servers=${serverId}`,
    `/servers/${serverId}`,
    `/servers/${serverId}?range=day`,
    `/servers/${serverId}/files`,
    `/servers/${serverId}/backups`,
    `/servers/${serverId}/databases`,
    `/servers/${serverId}/schedules`,
    `/servers/${serverId}/schedules/new`,
    `/servers/${serverId}/schedules/${scheduleId}`,
    `/servers/${serverId}/people`,
    `/servers/${serverId}/network`,
    `/servers/${serverId}/startup`,
    `/servers/${serverId}/settings`,
    `/servers/${serverId}/activity`,
    '/account',
    '/account/security',
    '/account/sessions',
    '/account/api-keys',
    '/account/ssh-keys',
    '/account/activity',
    '/store',
    '/billing',
    '/billing/services',
    '/billing/orders',
    '/billing/credits',
    '/billing/profile',
    '/staff',
    '/staff/servers',
    '/staff/nodes',
    `/staff/nodes/${nodeId}`,
    '/staff/users',
    '/staff/eggs',
    `/staff/eggs/${eggId}`,
    '/staff/database-hosts',
    '/staff/billing',
    '/staff/roles',
    '/staff/settings',
    '/staff/activity',
  ];

  /** What is wrong with the page that is open, in each look. Asked through the DevTools protocol: the policy adds no script. */
  async function findingsOf(web: WebPage, where: string, looks: readonly Look[]): Promise<string[]> {
    const found: string[] = [];
    await web.page.evaluate(axe);
    for (const { width, colorScheme } of looks) {
      await web.page.setViewportSize({ width, height: 900 });
      await web.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await web.page.evaluate<{ violations: Finding[] }>(
        "axe.run(document, { resultTypes: ['violations'] })",
      );
      const name = `${where} at ${width} px, ${colorScheme}`;
      for (const { id, nodes } of violations)
        found.push(...nodes.map((node) => `${name}: ${id}: ${node.html} ${node.failureSummary}`));
      const overflow = await web.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (overflow > 0) found.push(`${name}: ${overflow} px too wide`);
    }
    return found;
  }

  for (const { locale, looks } of languages) {
    const names = looks.map(({ width, colorScheme }) => `${width} px ${colorScheme}`).join(', ');
    it(`finds nothing in ${locale}, and nothing overflows, at ${names}`, async function () {
      const web = await openWeb(this, test, { locale });
      try {
        await web.page.goto(test.stack.baseUrl);
        await web.page.waitForSelector('[name=password]');
        const found = await findingsOf(web, 'sign-in', looks);
        await web.signIn();
        for (const where of paths()) {
          await web.page.goto(`${test.stack.baseUrl}${where}`);
          await web.page.waitForSelector('h1');
          await web.page.locator('.skeleton').first().waitFor({ state: 'detached' });
          found.push(...(await findingsOf(web, where, looks)));
        }
        // The largest dialog: who may do what.
        await web.page.goto(`${test.stack.baseUrl}/servers/${serverId}/people`);
        await web.page.locator('.toolbar .button').first().click();
        await web.page.locator('dialog .form select').first().selectOption('own');
        await web.page.locator('dialog .permissions').waitFor();
        found.push(...(await findingsOf(web, 'dialog of people', looks)));
        expect(found).to.deep.equal([]);
        expect(web.complaints).to.deep.equal([]);
      } finally {
        await web.close();
      }
    });
  }
});
