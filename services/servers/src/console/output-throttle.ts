/** Above the rates of the busiest games; the burst is for games that print their world. */
const linesPerSecond = 15_000;
const burstLines = 200_000;
const bytesPerSecond = 4 * 1024 * 1024;
const burstBytes = 32 * 1024 * 1024;
/** One flood must not take a whole CPU. */
const readLinesPerMs = 50;
const catchUpLinesPerMs = 200;
const bytesLikeALine = 1024;
const minPauseMs = 10;
/** From write to read. */
const lateAfterMs = 1_000;
/** Output may be late, or wait for readers, for this time; a tenth of the punctual time is added back. */
const maxPatienceMs = 20_000;
const patienceBackRate = 0.1;
/** Output that is late after this omission shows a set clock, not a flood. */
const maxCatchUpMs = 5_000;
const floodLinesPerSecond = 2_000;
const noticeEveryMs = 1_000;

/**
 * A short flood passes whole at its readers' speed (`pauseMs`). A lasting one loses lines above the rate, lines that
 * readers cannot take, and late lines; one notice per second.
 */
export class OutputThrottle {
  #lines = burstLines;
  #bytes = burstBytes;
  #refilledAt: number;
  /** Lines and converted bytes ahead of the rate. */
  #debt = 0;
  #checkedAt: number;
  #patienceMs = maxPatienceMs;
  #leastAgeMs = Infinity;
  #isLate = false;
  #catchesUpUntil: number | null = null;
  #second = { at: 0, lines: 0, linesBefore: 0 };
  #dropped = 0;
  #noticeAt = 0;

  /** `areReadersBehind`: all readers, at least one, have a large backlog. */
  constructor(
    private readonly areReadersBehind: () => boolean = () => false,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.#refilledAt = clock();
    this.#checkedAt = clock();
  }

  /** Lateness counts from the least age: clocks may differ, and a reader may start late. */
  read(bytes: number, ageMs: number): void {
    this.#debt += bytes / bytesLikeALine;
    this.#leastAgeMs = Math.min(this.#leastAgeMs, ageMs);
    this.#isLate = ageMs - this.#leastAgeMs > lateAfterMs;
    if (this.#catchesUpUntil === null) return;
    const isOver = this.clock() > this.#catchesUpUntil;
    if (isOver && this.#isLate) this.#leastAgeMs = ageMs;
    if (isOver || !this.#isLate) this.#catchesUpUntil = null;
  }

  /** `lines` and `bytes` include the held ones. */
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

  /** Usually 0; call again afterwards. */
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

  get owesNotice(): boolean {
    return this.#dropped > 0;
  }

  lost(lines: number): void {
    this.#dropped += lines;
  }

  /** 0 within a second of the last notice. */
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
