import type { ConsoleMessage, MessageOf } from '@panel/client';
import { CommandQueue } from './command-queue.js';
import { type ConnectionState, type ConsoleApi, ConsoleConnection } from './connection.js';
import type { Network } from './network.js';
import { LineRing } from './line-ring.js';
import { FeatureQuestions } from './feature-questions.js';

type Stats = Omit<MessageOf<'stats'>, 'type'>;

interface ConsoleSnapshot {
  readonly connection: ConnectionState;
  /** Null until received. */
  readonly status: MessageOf<'status'>['status'] | null;
  /** State changes and ended operations while connected. */
  readonly changes: number;
  readonly stats: Stats | null;
  readonly features: readonly MessageOf<'feature'>[];
  readonly operation: {
    readonly kind: string;
    readonly step: string | null;
    readonly progress: number | null;
  } | null;
  readonly waitingCommands: number;
  /** Sent last on a connection that ended before the panel had answered: it may have run. */
  readonly unanswered: { readonly command: string } | null;
  readonly error: MessageOf<'error'> | null;
}

export interface Sample {
  readonly at: number;
  readonly cpu: number;
  readonly memory: number;
  readonly received: number;
  readonly sent: number;
}

const retainedLines = 100_000;
const olderLines = 500;
const retainedSamples = 900;

interface ConsoleSessionOptions {
  readonly api: ConsoleApi;
  readonly serverId: string;
  readonly network: Network;
  /** Called at a start, a stop or the end of an operation. */
  readonly onPowerChange: () => void;
  readonly lines?: number | undefined;
}

/** One server's console across its pages and connections: lines, usage, state. */
export class ConsoleSession {
  readonly ring: LineRing;
  readonly samples: Sample[] = [];
  /** Pasted commands continue on other pages of the server. */
  readonly commands = new CommandQueue(
    (command) => this.send(command),
    (waitingCommands) => this.#update({ waitingCommands }),
  );
  readonly #connection: ConsoleConnection;
  readonly #listeners = new Set<() => void>();
  readonly #lineListeners = new Set<() => void>();
  readonly #onPowerChange: () => void;
  readonly #api: ConsoleApi;
  readonly #serverId: string;
  /** The panel's number of the oldest line. */
  #firstSeq: number | null = null;
  #hasOlder = true;
  /** A progress bar's line. */
  #redrawn: number | null = null;
  readonly #questions = new FeatureQuestions();
  /** Commands by `ref`. */
  readonly #sent = new Map<string, string>();
  #refs = 0;
  #reading: Promise<boolean> | null = null;
  #snapshot: ConsoleSnapshot = {
    connection: { kind: 'connecting' },
    status: null,
    changes: 0,
    stats: null,
    features: [],
    operation: null,
    waitingCommands: 0,
    unanswered: null,
    error: null,
  };

  constructor({ api, serverId, network, onPowerChange, lines = retainedLines }: ConsoleSessionOptions) {
    this.ring = new LineRing(lines);
    this.#onPowerChange = onPowerChange;
    this.#api = api;
    this.#serverId = serverId;
    this.#connection = new ConsoleConnection({
      api,
      serverId,
      network,
      onMessage: (message) => this.#receive(message),
      onState: (connection) => {
        if (connection.kind === 'open') this.#questions.onConnect();
        else this.#noteUnanswered();
        this.#update({ connection });
      },
    });
  }

  get snapshot(): ConsoleSnapshot {
    return this.#snapshot;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  onLines(listener: () => void): () => void {
    this.#lineListeners.add(listener);
    return () => this.#lineListeners.delete(listener);
  }

  /** False when there were none. Throws ApiError. */
  async readOlder(): Promise<boolean> {
    this.#reading ??= this.#readOlder().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readOlder(): Promise<boolean> {
    const before = this.#firstSeq;
    if (!this.#hasOlder || before === null || this.ring.next - this.ring.first >= this.ring.capacity) return false;
    const { data } = await this.#api.call(async (client) =>
      client.get('/servers/{id}/console', { params: { id: this.#serverId }, query: { before, limit: olderLines } }),
    );
    this.#hasOlder = data.has_more && data.lines.length > 0;
    this.#firstSeq = data.lines[0]?.seq ?? before;
    this.ring.prepend(data.lines.map(({ seq, message, at }) => ({ text: message, at: Date.parse(at), seq })));
    return data.lines.length > 0;
  }

  /** Null: the node has it no longer. Throws ApiError. */
  async readWhole(line: number): Promise<string | null> {
    const query = { before: this.ring.seqAt(line) + 1, limit: 1, whole: 'true' as const };
    const { data } = await this.#api.call(async (client) =>
      client.get('/servers/{id}/console', { params: { id: this.#serverId }, query }),
    );
    return data.lines[0]?.message ?? null;
  }

  send(command: string): boolean {
    const ref = String((this.#refs += 1));
    if (!this.#connection.send({ type: 'command', command, ref })) return false;
    this.#sent.set(ref, command);
    return true;
  }

  forgetUnanswered(): void {
    this.#update({ unanswered: null });
  }

  #noteUnanswered(): void {
    const command = Array.from(this.#sent.values()).at(-1);
    this.#sent.clear();
    if (command !== undefined) this.#update({ unanswered: { command } });
  }

  restart(): void {
    this.#connection.restart();
  }

  putFeatureAside(question: MessageOf<'feature'>): void {
    this.#questions.putAside(question);
    this.#update({ features: this.#questions.open });
  }

  close(): void {
    this.commands.cancel();
    this.#connection.close();
  }

  #receive(message: ConsoleMessage): void {
    switch (message.type) {
      case 'console_output':
        if (message.seq !== null) this.#firstSeq ??= message.seq;
        this.#addLine(message);
        this.#linesChanged();
        break;
      case 'install_output':
        this.ring.append(message.message, Date.now(), 'install');
        this.#linesChanged();
        break;
      case 'stats':
        this.#addSample(message);
        this.#questions.onStats(message);
        this.#update({ stats: message, features: this.#questions.open });
        break;
      case 'status':
        this.#receiveStatus(message);
        break;
      case 'operation':
        this.#receiveOperation(message);
        break;
      case 'feature':
        this.#questions.ask(message);
        this.#update({ features: this.#questions.open });
        break;
      case 'feature_resolved':
        this.#questions.resolve(message.feature);
        this.#update({ features: this.#questions.open });
        break;
      case 'error':
        this.#sent.delete(message.ref ?? '');
        this.#update({ error: message });
        break;
      case 'accepted':
        this.#sent.delete(message.ref);
        break;
      case 'authenticated':
      case 'token_expiring':
        break;
    }
  }

  /** In the place of a line that is redrawn. */
  #addLine(message: MessageOf<'console_output'>): void {
    const line = { text: message.message, at: Date.parse(message.at), seq: message.seq ?? 0 };
    if (isNotice(message)) return this.ring.append(line.text, line.at, 'notice');
    let place = this.#redrawn;
    if (place === null || !this.ring.replace(place, line)) {
      place = this.ring.next;
      this.ring.append(line.text, line.at, 'game', line.seq);
    }
    this.#redrawn = message.redrawn === true ? place : null;
  }

  #receiveStatus({ status }: MessageOf<'status'>): void {
    const before = this.#snapshot.status;
    this.#questions.onStatus(status);
    this.#update({ status, features: this.#questions.open });
    // The initial state is no change.
    if (before === null || before === status) return;
    this.#countChange();
    this.#onPowerChange();
  }

  #receiveOperation({ kind, step, progress }: MessageOf<'operation'>): void {
    this.#update({ operation: kind === null ? null : { kind, step, progress } });
    if (kind !== null) return;
    this.#countChange();
    this.#onPowerChange();
  }

  #countChange(): void {
    this.#update({ changes: this.#snapshot.changes + 1 });
  }

  #linesChanged(): void {
    for (const listener of this.#lineListeners) listener();
  }

  #addSample({ cpu, memory_bytes, network, observed_at }: Stats): void {
    const at = observed_at === null ? Date.now() : Date.parse(observed_at);
    if (at <= (this.samples.at(-1)?.at ?? 0)) return;
    this.samples.push({ at, cpu, memory: memory_bytes, received: network.rx_bytes, sent: network.tx_bytes });
    if (this.samples.length > retainedSamples) this.samples.splice(0, this.samples.length - retainedSamples);
  }

  #update(change: Partial<ConsoleSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function isNotice({ seq, partial, redrawn }: MessageOf<'console_output'>): boolean {
  return seq === null && partial !== true && redrawn !== true;
}
