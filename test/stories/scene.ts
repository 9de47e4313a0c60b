import type { Invoice, Service } from '@panel/client';
import { type Customer, dayMs, StoryPanel } from './panel.js';
import type { Timeline } from './timeline.js';

export interface Story {
  /** As in `npm run story -- <name>`. */
  readonly name: string;
  readonly title: string;
  /** Throws StoryError at the first step that goes otherwise. */
  readonly play: (scene: Scene) => Promise<void>;
}

/** What a story acts with: by REST only. */
export class Scene {
  readonly #known = new Map<string, string>();

  private constructor(
    readonly panel: StoryPanel,
    readonly timeline: Timeline,
    readonly customer: Customer,
  ) {}

  static async open(timeline: Timeline): Promise<Scene> {
    const panel = await StoryPanel.start(
      (line) => timeline.progress(line),
      (at, { subject }) => timeline.add(at, `mail      ${subject}`),
    );
    try {
      return new Scene(panel, timeline, await panel.createCustomer());
    } catch (error) {
      await panel.stop();
      throw error;
    }
  }

  async say(text: string): Promise<void> {
    this.timeline.add(await this.panel.now(), text);
  }

  /** And shows what has changed until then. */
  async advanceTo(to: Date): Promise<void> {
    await this.panel.advanceTo(to);
    await this.observe();
  }

  /** After a request: until its mails are sent. */
  async settle(): Promise<void> {
    await this.panel.settle();
    await this.observe();
  }

  async advanceDays(days: number): Promise<void> {
    await this.advanceTo(new Date((await this.panel.now()).getTime() + days * dayMs));
  }

  /** Oldest first, with credit notes. */
  async invoices(): Promise<Invoice[]> {
    const found: Invoice[] = [];
    const query = { user_id: this.customer.id, sort: 'created_at' };
    for await (const invoice of this.panel.admin.pages('/admin/billing/invoices', { query })) found.push(invoice);
    return found;
  }

  async openInvoices(): Promise<Invoice[]> {
    return (await this.invoices()).filter(({ status }) => status === 'unpaid' || status === 'overdue');
  }

  async service(id: string): Promise<Service> {
    return (await this.customer.panel.get('/billing/services/{id}', { params: { id } })).data;
  }

  async balance(): Promise<number> {
    return (await this.customer.panel.get('/billing/credits')).data.balance;
  }

  /** Staff book what has come to the bank account. */
  async payByTransfer(invoice: Invoice): Promise<void> {
    const body = { status: 'paid' as const, reference: `transfer for ${invoice.number}` };
    await this.panel.admin.put('/admin/billing/invoices/{id}', { params: { id: invoice.id }, body });
    await this.settle();
  }

  /** Adds documents, services and the balance to the timeline, as far as they have changed. */
  async observe(): Promise<void> {
    const at = await this.panel.now();
    for (const invoice of await this.invoices()) {
      const { id, kind, number, status, total, refunded } = invoice;
      const back = refunded.amount > 0 ? `, ${money(refunded)} given back` : '';
      const name = kind === 'credit_note' ? 'credit    ' : 'invoice   ';
      this.#show(id, at, `${name}${number ?? 'without a number'}  ${money(total)}  ${status}${back}`);
    }
    const { data: services } = await this.customer.panel.get('/billing/services');
    for (const { id, product, status, suspend_reason: reason, next_due_at: due } of services) {
      const until = due === null ? '' : `, paid until ${due.slice(0, 10)}`;
      this.#show(id, at, `service   ${product.name}: ${status}${reason === null ? '' : ` (${reason})`}${until}`);
    }
    const { balance: amount, currency } = (await this.customer.panel.get('/billing/credits')).data;
    this.#show('balance', at, `balance   ${money({ amount, currency })}`);
  }

  #show(key: string, at: Date, text: string): void {
    if (this.#known.get(key) === text) return;
    this.#known.set(key, text);
    this.timeline.add(at, text);
  }
}

export function money({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  return `${(amount / 100).toFixed(2)} ${currency}`;
}

/** Throws StoryError. */
export function expectThat(what: string, isSo: boolean): void {
  if (!isSo) throw new StoryError(what);
}

export class StoryError extends Error {}
