import type { MessageOf } from '@panel/client';

type Feature = MessageOf<'feature'>;
type Status = MessageOf<'status'>['status'];

/** Start times computed from usage samples vary. */
const sameStartMs = 5_000;

/**
 * A game's requests by features of its egg, open for one run until answered or dismissed, also across connections; they
 * reopen in the next run.
 */
export class FeatureQuestions {
  #open: readonly Feature[] = [];
  readonly #putAside = new Set<Feature['feature']>();
  #status: Status | null = null;
  #startedAt: number | null = null;
  #isResumed = false;

  get open(): readonly Feature[] {
    return this.#open;
  }

  /** A run may have begun while disconnected. */
  onConnect(): void {
    this.#isResumed = true;
  }

  onStatus(status: Status): void {
    const isNewRun = status === 'starting' ? this.#status !== 'starting' : this.#status === 'offline';
    if (isNewRun && status !== 'offline') this.#beginRun();
    this.#status = status;
  }

  onStats({ uptime, observed_at }: Pick<MessageOf<'stats'>, 'uptime' | 'observed_at'>): void {
    if (observed_at === null || this.#status === 'offline') return;
    const startedAt = Date.parse(observed_at) - uptime;
    // Without a reconnection, a late sample may be of the preceding run.
    const isOther = this.#startedAt !== null && Math.abs(startedAt - this.#startedAt) > sameStartMs;
    if (this.#isResumed && isOther) this.#beginRun();
    this.#isResumed = false;
    this.#startedAt = startedAt;
  }

  ask(feature: Feature): void {
    if (this.#putAside.has(feature.feature) || this.#open.some((one) => one.feature === feature.feature)) return;
    this.#open = [...this.#open, feature];
  }

  putAside(question: Feature): void {
    if (!this.#open.includes(question)) return;
    this.#putAside.add(question.feature);
    this.#open = this.#open.filter((one) => one !== question);
  }

  resolve(feature: Feature['feature']): void {
    this.#open = this.#open.filter((one) => one.feature !== feature);
  }

  #beginRun(): void {
    this.#open = [];
    this.#putAside.clear();
    this.#startedAt = null;
  }
}
