/** Sustained rates well above what the busiest game prints for a reason, and a burst for those that print their world. */
const linesPerSecond = 15_000;
const burstLines = 200_000;
const bytesPerSecond = 4 * 1024 * 1024;
const burstBytes = 32 * 1024 * 1024;
/** Output is read no faster than this, shown or not, so that one flood does not take a whole processor. */
const readLinesPerMs = 50;
const catchUpLinesPerMs = 200;
const bytesLikeALine = 1024;
/** Shorter waits than this are not worth a timer. */
const minPauseMs = 10;
/** Output that is read this much after it was written is late. */
const lateAfterMs = 1_000;
/** How long output may be late, or wait for its readers, before it is left out instead; a tenth of the good time grows back. */
const maxPatienceMs = 20_000;
const patienceBackRate = 0.1;
/** What is late after so much of leaving out is not late: a clock has been set. */
const maxCatchUpMs = 5_000;
/** Slower output is no flood, however late it is. */
const floodLinesPerSecond = 2_000;
const noticeEveryMs = 1_000;

/**
 * Decides what becomes of a flood. Short ones pass whole, as fast as their readers take them (`pauseMs`); a lasting one
 * loses what is above the rate, what its readers cannot take, and what would be read long after it was written. It is
 * told so once a second.
 */
export class OutputThrottle {
  #lines = burstLines;
  #bytes = burstBytes;
  #refilledAt: number;
  /** Lines, and bytes in their terms, that have been read before their time. */
  #debt = 0;
  #checkedAt: number;
  #patienceMs = maxPatienceMs;
  #leastAgeMs = Infinity;
  #isLate = false;
  #catchesUpUntil: number | null = null;
  #second = { at: 0, lines: 0, linesBefore: 0 };
  #dropped = 0;
  #noticeAt = 0;

  /** `areReadersBehind`: whether there are readers, and each of them has much unread. */
  constructor(
    private readonly areReadersBehind: () => boolean = () => false,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.#refilledAt = clock();
    this.#checkedAt = clock();
  }

  /**
   * A piece of output of this many bytes has been read, so long after it was written. Clocks may differ and a reader may
   * begin late, so lateness counts from the least age seen.
   */
  read(bytes: number, ageMs: number): void {
    this.#debt += bytes / bytesLikeALine;
    this.#leastAgeMs = Math.min(this.#leastAgeMs, ageMs);
    this.#isLate = ageMs - this.#leastAgeMs > lateAfterMs;
    if (this.#catchesUpUntil === null) return;
    const isOver = this.clock() > this.#catchesUpUntil;
    if (isOver && this.#isLate) this.#leastAgeMs = ageMs;
    if (isOver || !this.#isLate) this.#catchesUpUntil = null;
  }

  /** Whether a line may pass, with those that are held before it: of so many lines and bytes together. */
  admit(bytes: number, lines = 1): boolean {
    const now = this.clock();
    this.#refill(now);
    this.#count(now);
    this.#debt++;
    if (this.#lines < lines || this.#bytes < bytes) return false;
    if (this.#catchesUpUntil !== null && this.#isFlood()) return false;
    if (this.#patienceMs <= 0 && this.areReadersBehind()) return false;
    this.#lines -= lines;
    this.#bytes -= bytes;
    return true;
  }

  /** How long to wait before more output is read, and then to ask again; 0 most of the time. */
  pauseMs(): number {
    const now = this.clock();
    const passedMs = now - this.#checkedAt;
    this.#checkedAt = now;
    const perMs = this.#catchesUpUntil === null ? readLinesPerMs : catchUpLinesPerMs;
    this.#debt = Math.max(0, this.#debt - passedMs * perMs);
    const isBehind = this.areReadersBehind();
    this.#wear(isBehind || this.#isLate, passedMs);
    const ms = this.#debt / perMs;
    if (isBehind && this.#patienceMs > 0) return Math.max(ms, minPauseMs);
    return ms < minPauseMs ? 0 : ms;
  }

  /** Whether lines have been lost that no notice has told of. */
  get owesNotice(): boolean {
    return this.#dropped > 0;
  }

  /** Note that this many lines are lost permanently. */
  lost(lines: number): void {
    this.#dropped += lines;
  }

  /** Number of lines lost since the last notice, at most once a second; 0 when there is nothing to say. */
  takeNotice(): number {
    const now = this.clock();
    if (now < this.#noticeAt) return 0;
    if (this.owesNotice) this.#noticeAt = now + noticeEveryMs;
    return this.takeLast();
  }

  /** As `takeNotice`, at once: the flood is over. */
  takeLast(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #wear(isStrained: boolean, passedMs: number): void {
    this.#patienceMs = isStrained
      ? Math.max(0, this.#patienceMs - passedMs)
      : Math.min(maxPatienceMs, this.#patienceMs + passedMs * patienceBackRate);
    if (this.#isLate && this.#patienceMs <= 0) this.#catchesUpUntil ??= this.clock() + maxCatchUpMs;
  }

  #isFlood(): boolean {
    return Math.max(this.#second.lines, this.#second.linesBefore) >= floodLinesPerSecond;
  }

  #refill(now: number): void {
    const seconds = (now - this.#refilledAt) / 1000;
    this.#refilledAt = now;
    this.#lines = Math.min(burstLines, this.#lines + seconds * linesPerSecond);
    this.#bytes = Math.min(burstBytes, this.#bytes + seconds * bytesPerSecond);
  }

  #count(now: number): void {
    if (now - this.#second.at >= 1000) {
      const isNext = now - this.#second.at < 2000;
      this.#second = { at: now, lines: 0, linesBefore: isNext ? this.#second.lines : 0 };
    }
    this.#second.lines++;
  }
}
