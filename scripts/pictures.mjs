// npm run pictures: takes the pictures of the README from a real Chromium, on an installation with demo data of its own.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { prepare, root, say } from './prepare.mjs';

const games = ['Lantern Caverns', 'Saturday night', 'Creative world', 'Staging'];
const commands = ['help', 'look', 'dig', 'dig', 'status', 'say Welcome to the caverns!'];
const password = 'only for pictures';

await prepare({ isChecked: true });
const { startStack } = await import('../packages/stack/dist/src/index.js');
const { createPanelClient } = await import('../packages/client/dist/src/index.js');
const dataDir = mkdtempSync(path.join(tmpdir(), 'panel-pictures-'));
// Games run as a user of their own.
chmodSync(dataDir, 0o711);
const env = {
  PATH: process.env.PATH,
  PORT: '0',
  DATA_DIR: dataDir,
  ADMIN_PASSWORD: password,
  RUNTIME: 'process',
  RATE_LIMIT_GENERAL: '100000',
};
const stack = await startStack({ env, log: () => undefined });
try {
  const client = createPanelClient({ baseUrl: stack.baseUrl });
  await client.login(stack.adminEmail, password);
  const ids = await createGames(client);
  await takePictures(client, ids);
} finally {
  await stack.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Servers with the demo game; all but the last run. */
async function createGames(client) {
  const { data: account } = await client.get('/account');
  const { data: nests } = await client.get('/admin/nests', { query: { per_page: 100 } });
  const nest = nests.find(({ name }) => name === 'Demo');
  const { data: eggs } = await client.get('/admin/nests/{id}/eggs', { params: { id: nest.id } });
  const ids = [];
  for (const [index, name] of games.entries()) {
    const isRunning = index < games.length - 1;
    const body = { name, user_id: account.id, egg_id: eggs[0].id, memory: 256, cpu: 100, disk: 1024 };
    const { data } = await client.post('/admin/servers', { body: { ...body, start_on_completion: isRunning } });
    ids.push(data.id);
    await until(client, data.id, isRunning ? 'running' : 'offline');
  }
  return ids;
}

async function until(client, id, status) {
  for (;;) {
    const { data } = await client.get('/servers/{id}', { params: { id } });
    if (data.status === status) return;
    await wait(200);
  }
}

async function takePictures(client, ids) {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium-headless-shell || command -v chromium'], {
    encoding: 'utf8',
  }).trim();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const directory = path.join(root, 'docs', 'images');
  mkdirSync(directory, { recursive: true });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(stack.baseUrl);
  await page.fill('[name=email]', stack.adminEmail);
  await page.fill('[name=password]', password);
  await page.click('button[type=submit]');
  await page.getByRole('link', { name: games[0], exact: true }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: games[0], exact: true }).waitFor();
  await page.locator('progress').first().waitFor();
  await take(page, directory, 'servers');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${stack.baseUrl}/servers/${ids[0]}`);
  await page.locator('.console-row').first().waitFor();
  for (const command of commands) {
    await client.post('/servers/{id}/command', { params: { id: ids[0] }, body: { command } });
    await wait(1_500);
  }
  await page.locator('.graph canvas').first().waitFor();
  await wait(15_000);
  await take(page, directory, 'console');
  await page.setViewportSize({ width: 390, height: 800 });
  await wait(500);
  await take(page, directory, 'console-phone');
  await browser.close();
}

async function take(page, directory, name) {
  await page.screenshot({ path: path.join(directory, `${name}.png`) });
  say(`docs/images/${name}.png`);
}
