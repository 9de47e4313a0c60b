/** Rates well above those of the busiest games, and a burst for games that print their world. */
const linesPerSecond = 15_000;
const burstLines = 200_000;
const bytesPerSecond = 4 * 1024 * 1024;
const burstBytes = 32 * 1024 * 1024;
/** Read limit, shown or not: one flood must not take a whole CPU. */
const readLinesPerMs = 50;
const catchUpLinesPerMs = 200;
const bytesLikeALine = 1024;
/** Minimum worth a timer. */
const minPauseMs = 10;
/** Delay between write and read that counts as late. */
const lateAfterMs = 1_000;
/**
 * Time that output may be late or wait for readers before it is omitted; a tenth of the punctual time is added back.
 */
const maxPatienceMs = 20_000;
const patienceBackRate = 0.1;
/** Output still late after this much omission: a clock was set. */
const maxCatchUpMs = 5_000;
/** Slower output is no flood, even if late. */
const floodLinesPerSecond = 2_000;
const noticeEveryMs = 1_000;

/**
 * Limits a flood. A short one passes whole, at the speed of its readers (`pauseMs`). A lasting one loses lines above
 * the
 * rate, lines that its readers cannot take, and late lines; a notice comes once a second.
 */
export class OutputThrottle {
  #lines = burstLines;
  #bytes = burstBytes;
  #refilledAt: number;
  /** Lines (bytes converted) read ahead of the rate. */
  #debt = 0;
  #checkedAt: number;
  #patienceMs = maxPatienceMs;
  #leastAgeMs = Infinity;
  #isLate = false;
  #catchesUpUntil: number | null = null;
  #second = { at: 0, lines: 0, linesBefore: 0 };
  #dropped = 0;
  #noticeAt = 0;

  /** `areReadersBehind`: there are readers and all have a large backlog. */
  constructor(
    private readonly areReadersBehind: () => boolean = () => false,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.#refilledAt = clock();
    this.#checkedAt = clock();
  }

  /**
   * Records a chunk and its age at the read. Lateness counts from the least age seen: clocks may differ, and a reader
   * may start late.
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

  /** Admits a line together with the held ones: `lines` and `bytes` are totals. */
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

  /** Wait before the next read, then call again; usually 0. */
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

  /** Lost lines without a notice yet. */
  get owesNotice(): boolean {
    return this.#dropped > 0;
  }

  /** Counts permanently lost lines. */
  lost(lines: number): void {
    this.#dropped += lines;
  }

  /** Lines lost since the last notice; 0 within a second of it. */
  takeNotice(): number {
    const now = this.clock();
    if (now < this.#noticeAt) return 0;
    if (this.owesNotice) this.#noticeAt = now + noticeEveryMs;
    return this.takeLast();
  }

  /** As `takeNotice`, without the interval: the flood is over. */
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
