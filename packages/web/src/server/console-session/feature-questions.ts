import type { MessageOf } from '@panel/client';

type Feature = MessageOf<'feature'>;
type Status = MessageOf<'status'>['status'];

/** Two times at which the same run has begun, each reckoned from a sample of its usage, differ by less than this. */
const sameStartMs = 5_000;

/**
 * What the game asks for by features of its egg. A question holds for one run of the game: it is asked until it is answered or
 * put aside, also by new connections, and again by the next run, also by one that began while there was no connection.
 */
export class FeatureQuestions {
  #open: readonly Feature[] = [];
  readonly #putAside = new Set<Feature['feature']>();
  #status: Status | null = null;
  #startedAt: number | null = null;
  #isResumed = false;

  /** The oldest first. */
  get open(): readonly Feature[] {
    return this.#open;
  }

  /** There is a connection again: a run may have begun meanwhile. */
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
    // Of a connection that lasts the states tell the runs; a sample of the run before can come after them.
    const isOther = this.#startedAt !== null && Math.abs(startedAt - this.#startedAt) > sameStartMs;
    if (this.#isResumed && isOther) this.#beginRun();
    this.#isResumed = false;
    this.#startedAt = startedAt;
  }

  ask(feature: Feature): void {
    if (this.#putAside.has(feature.feature) || this.#open.some((one) => one.feature === feature.feature)) return;
    this.#open = [...this.#open, feature];
  }

  /** The person has answered this question, or does not want to. One of an earlier run changes nothing in the present one. */
  putAside(question: Feature): void {
    if (!this.#open.includes(question)) return;
    this.#putAside.add(question.feature);
    this.#open = this.#open.filter((one) => one !== question);
  }

  /** What was asked for is done. */
  resolve(feature: Feature['feature']): void {
    this.#open = this.#open.filter((one) => one.feature !== feature);
  }

  #beginRun(): void {
    this.#open = [];
    this.#putAside.clear();
    this.#startedAt = null;
  }
}
