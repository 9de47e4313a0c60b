import type { Actor } from '@panel/rpc';
import type { Logger } from '@panel/kit/process';
import { type GameServer, isInstalling, visibleOperation } from '../domain/servers/server.js';
import { withoutEscapes } from '../domain/console/terminal-text.js';
import type { FeatureNotice } from '../domain/eggs/features.js';
import type { ConsoleAnchor, InstallLogLine } from '../models/console/console.js';
import type { Runtime } from '@panel/runtime';
import { type ConsoleEvent, type ConsoleLine, type EndReason, noticePrefix, type Resources } from './console-events.js';
import { type LinePosition, LinePositions } from './line-positions.js';
import { OutputReader } from './output-reader.js';
import { isCut, isSameLine } from './line-splitter.js';
import { readOlderLines } from './read-older-lines.js';
import { RingBuffer } from './ring-buffer.js';
import { Subscriber } from './subscriber.js';

const maxHistoryLines = 1000;
const maxHistoryBytes = 256 * 1024;
/** Without its text. */
const eventBytes = 64;
/** Always shown. */
const maxInstallEnd = 50;

type Observed = Pick<GameServer, 'power' | 'operation' | 'backup' | 'suspended'>;

/** One upstream reader, a history, many watchers. */
export class ServerConsole {
  readonly #lines = new RingBuffer<ConsoleLine>(maxHistoryLines, maxHistoryBytes);
  readonly #install = new RingBuffer<InstallLogLine>(maxHistoryLines, maxHistoryBytes);
  readonly #subscribers = new Set<Subscriber>();
  readonly #lineWatches = new Set<(text: string) => void>();
  #reader: OutputReader | null = null;
  #anchors: LinePosition[] = [];
  readonly #positions = new LinePositions();
  /** Until the game's next line. */
  #redrawn: ConsoleLine | null = null;
  #observed: Observed | null = null;
  #lastStats: Resources | null = null;
  /** Open feature requests of this run. */
  readonly #features = new Map<string, FeatureNotice>();
  #installUnshown = 0;
  #usedAt = performance.now();

  constructor(
    readonly serverId: string,
    private readonly log: Logger,
    /** For the ready check. */
    private readonly onLine: (serverId: string, generation: number, text: string) => void,
  ) {}

  get isWatched(): boolean {
    return this.#subscribers.size > 0;
  }

  /** 0 while watched or attached. */
  idleMs(): number {
    return this.isWatched || this.#reader ? 0 : performance.now() - this.#usedAt;
  }

  /** Also after the run's end. */
  isAttached(generation: number): boolean {
    return this.#reader?.run.generation === generation;
  }

  isReading(generation: number): boolean {
    return this.isAttached(generation) && this.#reader?.isFinished === false;
  }

  /** No-op while the run is read; continues a run that was restarted manually. */
  attach(runtime: Runtime, generation: number, anchor: ConsoleAnchor | null): void {
    if (this.isReading(generation)) return;
    const start = this.#startOf(generation, anchor);
    this.#reader?.stop();
    this.#features.clear();
    this.#redrawn = null;
    const run = { serverId: this.serverId, generation, runtime, ...start };
    this.#reader = new OutputReader(
      run,
      {
        onLine: ({ sequence, text, at, rest }) => {
          this.#push(rest === text ? { sequence, text, at } : { sequence, text: rest, at, whole: text });
          this.#onGameLine(generation, text);
        },
        onPartial: (text, at) => this.#push({ sequence: 0, text, at, isPartial: true }),
        onRedrawn: (text, at) => this.#showRedrawn({ sequence: 0, text, at, isRedrawn: true }),
        onHidden: (text) => this.#onGameLine(generation, text),
        areReadersBehind: () => this.#everyReader((reader) => reader.isBehind),
        onDropped: (lines) => this.notice(`the server writes too fast: ${lines} lines were left out`),
        onGap: () => this.notice('output was lost here: the server wrote more than its engine keeps for a late reader'),
        onAnchor: (cursor, sequence) => {
          this.#anchors.push({ cursor, sequence });
          this.#positions.add({ cursor, sequence });
        },
      },
      this.log,
    );
  }

  #startOf(generation: number, anchor: ConsoleAnchor | null): { cursor: string | null; sequence: number } {
    if (this.#reader && this.isAttached(generation)) return this.#reader.position;
    const sequence = Math.max(this.#reader?.sequence ?? 0, anchor?.sequence ?? 0);
    const isSameRun = anchor?.generation === generation;
    const start = isSameRun ? { cursor: anchor.cursor, sequence: anchor.sequence } : { cursor: null, sequence };
    if (isSameRun) this.#lines.clear();
    this.#anchors = [start];
    this.#positions.reset([...(isSameRun ? anchor.earlier : []), start]);
    return start;
  }

  /** Or after `ms`. */
  async readToEnd(ms: number): Promise<void> {
    if (!this.#reader) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.#reader.finished, timeout]);
    clearTimeout(timer);
  }

  /** False after `ms` or at abort. */
  async waitForLine(part: string, ms: number, signal: AbortSignal): Promise<boolean> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    return new Promise((resolve) => {
      const end = (isFound: boolean) => {
        this.#lineWatches.delete(watch);
        limit.removeEventListener('abort', giveUp);
        resolve(isFound);
      };
      const giveUp = () => end(false);
      const watch = (text: string) => {
        if (text.includes(part) || withoutEscapes(text).includes(part)) end(true);
      };
      this.#lineWatches.add(watch);
      limit.addEventListener('abort', giveUp, { once: true });
      if (limit.aborted) giveUp();
    });
  }

  #onGameLine(generation: number, text: string): void {
    this.onLine(this.serverId, generation, text);
    for (const watch of this.#lineWatches) watch(text);
  }

  detach(): void {
    this.#reader?.stop();
    this.#reader = null;
    this.#usedAt = performance.now();
  }

  /** Newest position before the whole history; null without a run. */
  anchor(): ConsoleAnchor | null {
    if (!this.#reader) return null;
    const oldest = this.#lines.oldest()?.sequence ?? 0;
    const later = this.#anchors.findLastIndex(({ sequence }) => sequence < oldest);
    if (later > 0) this.#anchors = this.#anchors.slice(later);
    const [first] = this.#anchors;
    if (!first) return null;
    const earlier = this.#positions.all().filter(({ sequence }) => sequence < first.sequence);
    return { serverId: this.serverId, generation: this.#reader.run.generation, ...first, earlier };
  }

  /** From the history and the engine. */
  async linesBefore(
    before: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<{ readonly lines: readonly ConsoleLine[]; readonly hasMore: boolean }> {
    const numbered = this.#numbered();
    const held = numbered.filter(({ sequence }) => sequence < before).slice(-limit);
    const end = held[0] ?? numbered.find(({ sequence }) => sequence >= before);
    const oldest = held[0]?.sequence ?? Math.min(before, end?.sequence ?? before);
    const from = Math.max(1, oldest - (limit - held.length));
    if (held.length === limit || !this.#reader || !Number.isFinite(oldest) || from >= oldest)
      return { lines: held, hasMore: held.length === limit };
    const older = await readOlderLines({
      runtime: this.#reader.run.runtime,
      serverId: this.serverId,
      positions: this.#positions.candidates(from, oldest),
      from,
      before: oldest,
      next: end?.sequence === oldest ? end.text : null,
      signal,
    });
    return { lines: [...older, ...held], hasMore: older[0]?.sequence === from && from > 1 };
  }

  /** The newest without `sequence`; up to 1 MiB. Cut if the engine has dropped it. */
  async wholeLine(sequence: number | null, signal: AbortSignal): Promise<ConsoleLine | null> {
    const numbered = this.#numbered();
    const held = sequence === null ? numbered.at(-1) : numbered.find((line) => line.sequence === sequence);
    const number = sequence ?? held?.sequence;
    if (number === undefined || !this.#reader || (held && !isCut(held.text))) return held ?? null;
    const [whole] = await readOlderLines({
      runtime: this.#reader.run.runtime,
      serverId: this.serverId,
      positions: this.#positions.candidates(number, number + 1),
      from: number,
      before: number + 1,
      next: numbered.find((line) => line.sequence === number + 1)?.text ?? null,
      isWhole: true,
      signal,
    });
    return whole && (!held || isSameLine(whole.text, held.text)) ? whole : (held ?? null);
  }

  #numbered(): ConsoleLine[] {
    return this.#lines
      .last(maxHistoryLines)
      .filter(({ sequence }) => sequence > 0)
      .map(({ sequence, text, at, whole = text }) => ({ sequence, text: whole, at }));
  }

  /** Starts with the state, last lines and installation output. */
  subscribe(actor: Actor, server: GameServer, historyLines: number, installLog: readonly InstallLogLine[]): Subscriber {
    const subscriber = new Subscriber(actor);
    // Existing watchers first: no duplicates.
    this.observe(server);
    const { state } = this.#observed?.power ?? server.power;
    const initial: ConsoleEvent[] = [{ kind: 'power', state }];
    const operation = visibleOperation(server.operation, server.backup);
    if (operation) initial.push({ kind: 'operation', operation });
    const lines = this.#lines.last(historyLines).filter(hasUnshownText);
    if (this.#redrawn) lines.push(this.#redrawn);
    initial.push(...lines.map((line): ConsoleEvent => ({ kind: 'line', line })));
    if (isInstalling(server)) {
      const output = this.#install.size > 0 ? this.#install.last(historyLines) : installLog.slice(-historyLines);
      initial.push(...output.map(({ text, step }): ConsoleEvent => ({ kind: 'install', text, step })));
    }
    if (this.#lastStats && state !== 'offline') initial.push({ kind: 'stats', resources: this.#lastStats });
    for (const notice of this.#features.values()) initial.push({ kind: 'feature', notice, isResolved: false });
    initial.push({ kind: 'history_end' });
    for (const event of initial) subscriber.push(event, eventBytes);
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  unsubscribe(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.#usedAt = performance.now();
  }

  notice(text: string): void {
    this.#push({ sequence: 0, text: noticePrefix + text, at: new Date() });
  }

  /** Stored elsewhere: slow readers get only the count of missed lines. */
  installLine(line: InstallLogLine): void {
    this.#install.push(line, line.text.length + eventBytes);
    this.#installUnshown++;
    if (!this.#everyReader((reader) => reader.isHalfFull)) this.showInstallEnd();
  }

  /** After a notice of the omitted lines. */
  showInstallEnd(): void {
    const end = this.#install.last(Math.min(this.#installUnshown, maxInstallEnd));
    const [first] = end;
    if (!first) return;
    const leftOut = this.#installUnshown - end.length;
    this.#installUnshown = 0;
    if (leftOut > 0) {
      const text = `${noticePrefix}the script writes too fast: ${leftOut} lines were left out here`;
      this.#publish({ kind: 'install', text, step: first.step }, text.length);
    }
    for (const { text, step } of end) this.#publish({ kind: 'install', text, step }, text.length);
  }

  clearInstall(): void {
    this.#installUnshown = 0;
    this.#install.clear();
  }

  /** Ignores earlier runs. */
  stats(generation: number, resources: Resources): void {
    if (this.#observed && this.#observed.power.generation !== generation) return;
    this.#lastStats = resources;
    this.#publish({ kind: 'stats', resources }, 0);
  }

  /** Once per run. */
  feature(generation: number, notice: FeatureNotice): void {
    if (!this.isAttached(generation) || this.#features.has(notice.feature)) return;
    const power = this.#observed?.power;
    if (power?.generation === generation && power.resolvedFeatures?.includes(notice.feature)) return;
    this.#features.set(notice.feature, notice);
    this.#publish({ kind: 'feature', notice, isResolved: false }, notice.line.length);
  }

  /** Later watchers do not get them. */
  #endFeatures(names: readonly string[]): void {
    for (const name of names) {
      const notice = this.#features.get(name);
      if (!notice) continue;
      this.#features.delete(name);
      this.#publish({ kind: 'feature', notice, isResolved: true }, 0);
    }
  }

  observe(server: Observed): void {
    const before = this.#observed;
    // The power state of an older document is stale.
    const power = before && server.power.changedAt < before.power.changedAt ? before.power : server.power;
    this.#observed = { ...server, power };
    if (before?.power.generation !== power.generation) this.#lastStats = null;
    this.#endFeatures(power.resolvedFeatures ?? []);
    if (before?.power.state !== power.state) {
      if (power.state === 'offline') this.#lastStats = null;
      // Of the previous run.
      if (power.state === 'starting' && before?.power.generation === power.generation) this.#features.clear();
      this.#publish({ kind: 'power', state: power.state }, 0);
    }
    const old = before ? visibleOperation(before.operation, before.backup) : null;
    const current = visibleOperation(server.operation, server.backup);
    if (old?.id !== current?.id || old?.step !== current?.step || old?.progress !== current?.progress) {
      this.#publish({ kind: 'operation', operation: current }, 0);
    }
    if (server.suspended) this.endAll('suspended');
  }

  endAll(reason: EndReason): void {
    for (const subscriber of this.#subscribers) subscriber.end(reason);
  }

  endWhere(check: (actor: Actor) => boolean, reason: EndReason): void {
    for (const subscriber of this.#subscribers) if (check(subscriber.actor)) subscriber.end(reason);
  }

  /** False without readers. */
  #everyReader(check: (reader: Subscriber) => boolean): boolean {
    for (const subscriber of this.#subscribers) if (!check(subscriber)) return false;
    return this.#subscribers.size > 0;
  }

  #push(line: ConsoleLine): void {
    if (line.sequence > 0 || line.isPartial) this.#redrawn = null;
    this.#lines.push(line, (line.whole ?? line.text).length + line.text.length + eventBytes);
    if (hasUnshownText(line)) this.#publish({ kind: 'line', line }, line.text.length);
  }

  #showRedrawn(line: ConsoleLine): void {
    this.#redrawn = line;
    this.#publish({ kind: 'line', line }, line.text.length);
  }

  #publish(event: ConsoleEvent, bytes: number): void {
    for (const subscriber of this.#subscribers) subscriber.push(event, bytes + eventBytes);
  }
}

/** The bare end of a prompt is no empty line. */
function hasUnshownText({ text, whole }: ConsoleLine): boolean {
  return text !== '' || whole === undefined;
}
