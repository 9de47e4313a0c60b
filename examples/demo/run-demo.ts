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
} from '@panel/client';
import { type DemoConfig, DemoError } from './config.js';

/** Prints one line. */
export type Print = (line: string) => void;

type PowerAction = Extract<ConsoleRequest, { type: 'power' }>['action'];

const installTimeoutMs = 15 * 60_000;
const powerTimeoutMs = 120_000;
const serviceTimeoutMs = 120_000;
/** What a fresh installation sells. */
const shopProduct = 'lantern-caverns';

/** Use the panel from sign-in to sign-out. Throws DemoError or ApiError at the first step that fails. */
export async function runDemo(config: DemoConfig, password: string, print: Print): Promise<void> {
  const client = createPanelClient({ baseUrl: config.baseUrl });
  step(print, 1, `sign in as ${config.email} at ${config.baseUrl}`);
  const tokens = await client.login(config.email, password);
  print(`  access token for ${tokens.expires_in} s`);
  const { data: account } = await client.get('/account');

  const egg = await importEgg(client, config, print);
  const server = await createServer(client, config, account.id, egg, print);
  const console = await client.openConsole(server.id);
  const stopPrinting = console.listen((message) => printMessage(message, print));
  await waitForInstallation(client, server.id, print);
  await play(client, config, server.id, console, print);

  await buyAndPlay(client, print);

  step(print, 13, 'sign out');
  await client.logout();
  await checkSignedOut(client, tokens.access_token, config);
  const { code } = await Promise.race([console.closed, wait(6_000, { code: 0 })]);
  if (code !== 4401)
    throw new DemoError(`the socket should have been closed with 4401 after the sign-out, got ${code}`);
  print('  the token is refused, and the panel closed the socket (4401)');
  stopPrinting();
}

/** Buy the server of the demo shop with credits and play on it. Says so and goes on where there is no such shop. */
async function buyAndPlay(client: PanelClient, print: Print): Promise<void> {
  step(print, 10, 'buy a server in the shop with credits');
  const { data: products } = await client.get('/store/products');
  const product = products.find(({ slug }) => slug === shopProduct);
  if (!product) return print(`  the shop does not sell ${shopProduct}`);
  const { data: before } = await client.get('/billing/credits');
  const price = product.plans[0]?.price.amount ?? 0;
  if (before.balance < price) return print(`  ${before.balance} credits are not enough for ${price}`);
  await client.post('/store/cart', { body: { product_id: product.id, config: { server_name: 'Bought in the demo' } } });
  const { data: bought } = await client.post('/store/checkout', { body: { payment_method: 'credits' } });
  const { invoice, order, services } = bought;
  print(`  order ${order.number}, invoice ${invoice.number} over ${formatMoney(invoice.total)}, ${invoice.status}`);
  const { data: after } = await client.get('/billing/credits');
  print(`  credits: ${before.balance} before, ${after.balance} now`);
  const serverId = await waitForService(client, services[0]?.id ?? '');
  print(`  server ${serverId}`);
  const console = await client.openConsole(serverId);
  const stopPrinting = console.listen((message) => printMessage(message, print));
  await waitForInstallation(client, serverId, print, 11);
  step(print, 12, 'play on it');
  const status = async (wanted: MessageOf<'status'>['status']) =>
    console.next('status', { where: ({ status: now }) => now === wanted, timeoutMs: powerTimeoutMs, fromNow: true });
  const power = async (action: PowerAction) =>
    client.post('/servers/{id}/power', { params: { id: serverId }, body: { action } });
  await actAndWait(status('running'), power('start'));
  const answer = console.next('console_output', {
    where: ({ message }) => message.trim() !== '' && message.trim() !== 'help',
    fromNow: true,
    timeoutMs: 30_000,
  });
  await actAndWait(answer, async () => console.command('help'));
  await actAndWait(status('offline'), power('stop'));
  stopPrinting();
  await console.close();
}

function formatMoney({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  return `${(amount / 100).toFixed(2)} ${currency}`;
}

/** The server of a service, once it is there. */
async function waitForService(client: PanelClient, serviceId: string): Promise<string> {
  const deadline = Date.now() + serviceTimeoutMs;
  for (;;) {
    const { data: service } = await client.get('/billing/services/{id}', { params: { id: serviceId } });
    if (service.status === 'active' && service.server_id) return service.server_id;
    if (service.status === 'failed') throw new DemoError(`the server could not be created: ${service.error}`);
    if (Date.now() > deadline) throw new DemoError('the server was not created within 2 minutes');
    await wait(2_000);
  }
}

async function importEgg(client: PanelClient, config: DemoConfig, print: Print): Promise<ImportedEgg> {
  step(print, 2, `import the egg ${config.eggFile}`);
  const isYaml = /\.ya?ml$/.test(config.eggFile);
  const { data: egg } = await client.post('/admin/eggs/import', {
    bytes: readFileSync(config.eggFile),
    type: isYaml ? 'application/yaml' : 'application/json',
  });
  print(`  egg "${egg.name}" ${egg.id}`);
  return egg;
}

async function createServer(
  client: PanelClient,
  config: DemoConfig,
  userId: string,
  egg: ImportedEgg,
  print: Print,
): Promise<AdminServer> {
  step(print, 3, 'create a server; the panel chooses node and allocation');
  const { data: server } = await client.post('/admin/servers', {
    body: { name: `Demo ${egg.name}`, user_id: userId, egg_id: egg.id, memory: config.memoryMb, cpu: 100, disk: 1024 },
  });
  print(`  server ${server.id}, ${server.status}, at ${server.allocation?.ip}:${server.allocation?.port}`);
  return server;
}

async function waitForInstallation(client: PanelClient, serverId: string, print: Print, number = 4): Promise<void> {
  step(print, number, 'watch the installation on the console socket');
  const deadline = Date.now() + installTimeoutMs;
  for (;;) {
    const { data: server } = await client.get('/servers/{id}', { params: { id: serverId } });
    if (server.status === 'install_failed') throw new DemoError(`the installation failed: ${server.install_error}`);
    if (server.status !== 'installing') return print(`  installed, ${server.status}`);
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
  print: Print,
): Promise<void> {
  const power = async (action: PowerAction) =>
    client.post('/servers/{id}/power', { params: { id: serverId }, body: { action } });
  const status = async (wanted: MessageOf<'status'>['status']) =>
    console.next('status', { where: ({ status }) => status === wanted, timeoutMs: powerTimeoutMs, fromNow: true });

  step(print, 5, 'start it');
  await actAndWait(status('running'), power('start'));
  step(print, 6, `send the command "${config.command}"`);
  const answer = console.next('console_output', {
    where: ({ message }) => isAnswer(message, config),
    fromNow: true,
    timeoutMs: 30_000,
  });
  await actAndWait(answer, async () => console.command(config.command));
  step(print, 7, 'live statistics');
  for (let count = 0; count < 3; count++) {
    const { cpu, memory, uptime } = await console.next('stats', { fromNow: true, timeoutMs: 15_000 });
    const memoryMb = (memory / 1024 ** 2).toFixed(1);
    print(`  cpu ${cpu.toFixed(1)} %, memory ${memoryMb} MB, up ${(uptime / 1000).toFixed(0)} s`);
  }
  step(print, 8, 'restart it');
  await actAndWait(status('running'), power('restart'));
  step(print, 9, 'kill it, start it again, stop it by its own stop command');
  await actAndWait(status('offline'), power('kill'));
  await actAndWait(status('running'), power('start'));
  await actAndWait(status('offline'), power('stop'));
}

/** Listen before acting, so that a quick outcome is not missed. */
async function actAndWait(outcome: Promise<unknown>, act: Promise<unknown> | (() => Promise<unknown>)): Promise<void> {
  await Promise.all([outcome, typeof act === 'function' ? act() : act]);
}

function isAnswer(text: string, config: DemoConfig): boolean {
  if (config.expect !== '') return text.includes(config.expect);
  return text.trim() !== '' && text.trim() !== config.command;
}

async function checkSignedOut(client: PanelClient, accessToken: string, config: DemoConfig): Promise<void> {
  const other = createPanelClient({ baseUrl: config.baseUrl, token: accessToken });
  const refused = await other.get('/account').then(
    () => false,
    (error: unknown) => error instanceof ApiError && error.status === 401,
  );
  if (!refused || client.token() !== undefined) throw new DemoError('the token still works after the sign-out');
}

function printMessage(message: ConsoleMessage, print: Print): void {
  if (message.type === 'console_output') print(`  > ${message.message}`);
  if (message.type === 'install_output') print(`  install> ${message.message}`);
  if (message.type === 'status') print(`  * ${message.status}`);
  if (message.type === 'error') print(`  ! ${message.message}`);
}

function step(print: Print, number: number, what: string): void {
  print(`\n${String(number).padStart(2)}. ${what}`);
}
