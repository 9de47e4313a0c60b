import type { MessageOf } from '@panel/client';

type Feature = MessageOf<'feature'>;
type Status = MessageOf<'status'>['status'];

/** Tolerance between two start times of one run, computed from usage samples. */
const sameStartMs = 5_000;

/**
 * A game's requests by features of its egg. A request is open for one run until it is answered or dismissed, also
 * across connections; it reopens in the next run, even one begun while disconnected.
 */
export class FeatureQuestions {
  #open: readonly Feature[] = [];
  readonly #putAside = new Set<Feature['feature']>();
  #status: Status | null = null;
  #startedAt: number | null = null;
  #isResumed = false;

  /** Oldest first. */
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
    // Without a reconnection, states mark runs, and a sample of the preceding run may follow them.
    const isOther = this.#startedAt !== null && Math.abs(startedAt - this.#startedAt) > sameStartMs;
    if (this.#isResumed && isOther) this.#beginRun();
    this.#isResumed = false;
    this.#startedAt = startedAt;
  }

  ask(feature: Feature): void {
    if (this.#putAside.has(feature.feature) || this.#open.some((one) => one.feature === feature.feature)) return;
    this.#open = [...this.#open, feature];
  }

  /** Answered or dismissed. Ignores one of an earlier run. */
  putAside(question: Feature): void {
    if (!this.#open.includes(question)) return;
    this.#putAside.add(question.feature);
    this.#open = this.#open.filter((one) => one !== question);
  }

  /** The requested action is done. */
  resolve(feature: Feature['feature']): void {
    this.#open = this.#open.filter((one) => one.feature !== feature);
  }

  #beginRun(): void {
    this.#open = [];
    this.#putAside.clear();
    this.#startedAt = null;
  }
}
