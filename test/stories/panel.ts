import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { type Stack, startStack } from '@panel/stack';

const adminPassword = 'correct horse battery';
const password = 'a long enough password';
/** A day takes a third of a second on two processors. */
const patiencePerDayMs = 10_000;
export const dayMs = 86_400_000;

/** `npm run story`, or a test; both may run on one machine. */
const settings = {
  PORT: '0',
  RUNTIME: 'process',
  TEST_CLOCK: 'true',
  ADMIN_PASSWORD: adminPassword,
  RATE_LIMIT_GENERAL: '1000000',
  RATE_LIMIT_AUTH: '10000',
  DATABASE_MIN_FREE_DISK_MB: '0',
};

export interface Customer {
  readonly id: string;
  readonly email: string;
  readonly panel: PanelClient;
}

type Mail = Stack['mails'][number];

/** A throw-away installation with a test clock, whose programs hold API keys: sessions end while time is moved. */
export class StoryPanel {
  readonly #seen = new WeakSet<Mail>();

  private constructor(
    readonly stack: Stack,
    readonly admin: PanelClient,
    private readonly directory: string,
    private readonly onMail: (at: Date, mail: Mail) => void,
  ) {}

  static async start(log: (line: string) => void, onMail: StoryPanel['onMail']): Promise<StoryPanel> {
    const directory = await mkdtemp(path.join(tmpdir(), 'panel-story-'));
    // Under root, games run as another user.
    await chmod(directory, 0o711);
    try {
      const { PATH } = process.env;
      const stack = await startStack({ env: { PATH, ...settings, DATA_DIR: directory }, log });
      try {
        const admin = await clientOf(stack, stack.adminEmail, adminPassword);
        return new StoryPanel(stack, admin, directory, onMail);
      } catch (error) {
        await stack.stop();
        throw error;
      }
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  async now(): Promise<Date> {
    return new Date((await this.#clock()).now);
  }

  /** Resolves when everything that is due by then has run. A time that has passed counts as now. */
  async advanceTo(to: Date): Promise<void> {
    const days = (to.getTime() - (await this.now()).getTime()) / dayMs;
    if (days <= 0) return this.settle();
    await this.admin.post('/admin/test-clock', { body: { to: to.toISOString() } });
    await this.#settle(days);
  }

  /** A second passes, in which all processes finish what a request has begun: mails are sent, for one. */
  async settle(): Promise<void> {
    await this.admin.post('/admin/test-clock', { body: { advance_seconds: 1 } });
    await this.#settle(1);
  }

  async createCustomer(): Promise<Customer> {
    const username = `customer-${randomUUID().slice(0, 8)}`;
    const email = `${username}@panel.test`;
    const { data } = await this.admin.post('/admin/users', { body: { email, username, password } });
    return { id: data.id, email, panel: await clientOf(this.stack, email, password) };
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  async #settle(days: number): Promise<void> {
    const isSettled = async () => {
      const { now, settled } = await this.#clock();
      this.#readMails(new Date(now));
      return settled;
    };
    await waitUntil('the test clock to settle', isSettled, patiencePerDayMs * (days + 1));
  }

  async #clock() {
    return (await this.admin.get('/admin/test-clock')).data;
  }

  #readMails(at: Date): void {
    for (const mail of this.stack.mails) {
      if (this.#seen.has(mail)) continue;
      this.#seen.add(mail);
      this.onMail(at, mail);
    }
  }
}

async function clientOf({ baseUrl }: Stack, email: string, secret: string): Promise<PanelClient> {
  const session = createPanelClient({ baseUrl });
  await session.login(email, secret);
  const { data } = await session.post('/account/api-keys', { body: { description: 'story' } });
  return createPanelClient({ baseUrl, token: data.key });
}
