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

const looks = [
  { width: 320, colorScheme: 'light', locale: 'en' },
  { width: 768, colorScheme: 'dark', locale: 'ar' },
  { width: 1440, colorScheme: 'light', locale: 'de' },
  { width: 1440, colorScheme: 'dark', locale: 'en' },
] as const;

describe('accessibility of the web console', function () {
  this.timeout(240_000);
  let test: TestStack;
  let serverId: string;
  let axe: string;

  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    test = await bootStack();
    ({ id: serverId } = await createGame(test));
    await startGame(test.admin, serverId);
  });
  after(async () => {
    await test?.stop();
  });

  const paths = (): string[] => [
    '/',
    `/servers/${serverId}`,
    `/servers/${serverId}/files`,
    `/servers/${serverId}/network`,
    `/servers/${serverId}/startup`,
    `/servers/${serverId}/settings`,
    `/servers/${serverId}/activity`,
    '/account',
    '/account/security',
    '/account/sessions',
    '/account/api-keys',
    '/store',
    '/billing',
    '/billing/credits',
    '/staff',
    '/staff/servers',
    '/staff/nodes',
    '/staff/users',
    '/staff/eggs',
    '/staff/billing',
    '/staff/roles',
    '/staff/settings',
    '/staff/activity',
  ];

  /** Through the DevTools protocol: the policy of the page does not let a script be added. */
  async function findings(web: WebPage): Promise<string[]> {
    await web.page.evaluate(axe);
    const { violations } = await web.page.evaluate<{ violations: Finding[] }>(
      "axe.run(document, { resultTypes: ['violations'] })",
    );
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
  }

  for (const look of looks) {
    it(`finds nothing at ${look.width} px, ${look.colorScheme}, ${look.locale}, and nothing overflows`, async function () {
      const web = await openWeb(this, test, look);
      try {
        await web.page.goto(test.stack.baseUrl);
        await web.page.waitForSelector('[name=password]');
        expect(await findings(web), 'sign-in').to.deep.equal([]);
        await web.signIn();
        const found: string[] = [];
        for (const where of paths()) {
          await web.page.goto(`${test.stack.baseUrl}${where}`);
          await web.page.waitForSelector('h1');
          await web.page.locator('.skeleton').first().waitFor({ state: 'detached' });
          found.push(...(await findings(web)).map((finding) => `${where}: ${finding}`));
          const overflow = await web.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          if (overflow > 0) found.push(`${where}: ${overflow} px too wide`);
        }
        expect(found).to.deep.equal([]);
        expect(web.complaints).to.deep.equal([]);
      } finally {
        await web.close();
      }
    });
  }
});
