import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type AdminServer,
  ApiError,
  type ConsoleMessage,
  type ConsoleRequest,
  type ConsoleSocket,
  createPanelClient,
  type ImportedEgg,
  type MessageOf,
  type PanelClient,
} from '../index.js';
import { type DemoConfig, DemoError } from './config.js';

/** Where the story goes to: one line at a time. */
export type Say = (line: string) => void;

type PowerAction = Extract<ConsoleRequest, { type: 'power' }>['action'];

const installTimeoutMs = 15 * 60_000;
const powerTimeoutMs = 120_000;

/** Walk the product from sign-in to sign-out. Throws DemoError or ApiError at the first thing that does not hold. */
export async function tellStory(config: DemoConfig, password: string, say: Say): Promise<void> {
  const client = createPanelClient({ baseUrl: config.baseUrl });
  step(say, 1, `sign in as ${config.email} at ${config.baseUrl}`);
  const tokens = await client.login(config.email, password);
  say(`  access token for ${tokens.expires_in} s`);
  const { data: account } = await client.get('/account');

  const egg = await importEgg(client, config, say);
  const server = await createServer(client, config, account.id, egg, say);
  const console = await client.openConsole(server.id);
  const silence = console.listen((message) => show(message, say));
  await installed(client, server.id, say);
  await play(client, config, server.id, console, say);

  step(say, 10, 'sign out');
  await client.logout();
  await signedOut(client, tokens.access_token, config);
  const { code } = await Promise.race([console.closed, wait(6_000, { code: 0 })]);
  if (code !== 4401)
    throw new DemoError(`the socket should have been closed with 4401 after the sign-out, got ${code}`);
  say('  the token is refused, and the panel closed the socket (4401)');
  silence();
}

async function importEgg(client: PanelClient, config: DemoConfig, say: Say): Promise<ImportedEgg> {
  step(say, 2, `import the egg ${config.eggFile}`);
  const isYaml = /\.ya?ml$/.test(config.eggFile);
  const { data: egg } = await client.post('/admin/eggs/import', {
    bytes: readFileSync(config.eggFile),
    type: isYaml ? 'application/yaml' : 'application/json',
  });
  say(`  egg "${egg.name}" ${egg.id}`);
  return egg;
}

async function createServer(
  client: PanelClient,
  config: DemoConfig,
  userId: string,
  egg: ImportedEgg,
  say: Say,
): Promise<AdminServer> {
  step(say, 3, 'create a server; the panel chooses node and allocation');
  const { data: server } = await client.post('/admin/servers', {
    body: { name: `Demo ${egg.name}`, user_id: userId, egg_id: egg.id, memory: config.memoryMb, cpu: 100, disk: 1024 },
  });
  say(`  server ${server.id}, ${server.status}, at ${server.allocation?.ip}:${server.allocation?.port}`);
  return server;
}

async function installed(client: PanelClient, serverId: string, say: Say): Promise<void> {
  step(say, 4, 'watch the installation on the console socket');
  const deadline = Date.now() + installTimeoutMs;
  for (;;) {
    const { data: server } = await client.get('/servers/{id}', { params: { id: serverId } });
    if (server.status === 'install_failed') throw new DemoError(`the installation failed: ${server.install_error}`);
    if (server.status !== 'installing') return say(`  installed, ${server.status}`);
    if (Date.now() > deadline) throw new DemoError('the installation did not end within 15 minutes');
    // Slow enough for the general limit of 120 requests a minute.
    await wait(1_000);
  }
}

async function play(
  client: PanelClient,
  config: DemoConfig,
  serverId: string,
  console: ConsoleSocket,
  say: Say,
): Promise<void> {
  const power = async (action: PowerAction) =>
    client.post('/servers/{id}/power', { params: { id: serverId }, body: { action } });
  const status = async (wanted: MessageOf<'status'>['status']) =>
    console.next('status', { where: ({ status }) => status === wanted, timeoutMs: powerTimeoutMs, fromNow: true });

  step(say, 5, 'start it');
  await both(status('running'), power('start'));
  step(say, 6, `send the command "${config.command}"`);
  const answer = console.next('console_output', {
    where: ({ message }) => answers(message, config),
    fromNow: true,
    timeoutMs: 30_000,
  });
  await both(answer, async () => console.command(config.command));
  step(say, 7, 'live statistics');
  for (let count = 0; count < 3; count++) {
    const { cpu, memory, uptime } = await console.next('stats', { fromNow: true, timeoutMs: 15_000 });
    const memoryMb = (memory / 1024 ** 2).toFixed(1);
    say(`  cpu ${cpu.toFixed(1)} %, memory ${memoryMb} MB, up ${(uptime / 1000).toFixed(0)} s`);
  }
  step(say, 8, 'restart it');
  await both(status('running'), power('restart'));
  step(say, 9, 'kill it, start it again, stop it by its own stop command');
  await both(status('offline'), power('kill'));
  await both(status('running'), power('start'));
  await both(status('offline'), power('stop'));
}

/** Begin to listen before acting, so that a quick outcome is not missed. */
async function both(outcome: Promise<unknown>, act: Promise<unknown> | (() => Promise<unknown>)): Promise<void> {
  await Promise.all([outcome, typeof act === 'function' ? act() : act]);
}

function answers(text: string, config: DemoConfig): boolean {
  if (config.expect !== '') return text.includes(config.expect);
  return text.trim() !== '' && text.trim() !== config.command;
}

async function signedOut(client: PanelClient, accessToken: string, config: DemoConfig): Promise<void> {
  const stranger = createPanelClient({ baseUrl: config.baseUrl, token: accessToken });
  const refused = await stranger.get('/account').then(
    () => false,
    (error: unknown) => error instanceof ApiError && error.status === 401,
  );
  if (!refused || client.token() !== undefined) throw new DemoError('the token still works after the sign-out');
}

function show(message: ConsoleMessage, say: Say): void {
  if (message.type === 'console_output') say(`  > ${message.message}`);
  if (message.type === 'install_output') say(`  install> ${message.message}`);
  if (message.type === 'status') say(`  * ${message.status}`);
  if (message.type === 'error') say(`  ! ${message.message}`);
}

function step(say: Say, number: number, what: string): void {
  say(`\n${String(number).padStart(2)}. ${what}`);
}
