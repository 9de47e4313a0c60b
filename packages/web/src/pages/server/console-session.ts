import type { ConsoleMessage, MessageOf } from '@panel/client';
import { ConsoleConnection, type ConnectionState } from '../../console/connection.js';
import { LineRing } from '../../console/line-ring.js';
import type { Api } from '../../net/api.js';

export type Stats = Omit<MessageOf<'stats'>, 'type'>;

/** What a console shows besides its lines. */
export interface ConsoleSnapshot {
  readonly connection: ConnectionState;
  /** Null until the panel has said it. */
  readonly status: MessageOf<'status'>['status'] | null;
  readonly stats: Stats | null;
  /** What the game asks for, until it is done or put aside. */
  readonly feature: MessageOf<'feature'> | null;
  readonly operation: {
    readonly kind: string;
    readonly step: string | null;
    readonly progress: number | null;
  } | null;
  /** The last error in answer to a command. */
  readonly error: MessageOf<'error'> | null;
}

/** One second of usage, for the graphs. */
export interface Sample {
  readonly at: number;
  readonly cpu: number;
  readonly memory: number;
  readonly received: number;
  readonly sent: number;
}

const keptLines = 100_000;
const keptSamples = 900;

/** The console of one server while its pages are open: lines, usage and state, over all connections. */
export class ConsoleSession {
  readonly ring: LineRing;
  readonly samples: Sample[] = [];
  readonly #connection: ConsoleConnection;
  readonly #listeners = new Set<() => void>();
  readonly #lineListeners = new Set<() => void>();
  readonly #onPowerChange: () => void;
  #snapshot: ConsoleSnapshot = {
    connection: { kind: 'connecting' },
    status: null,
    stats: null,
    feature: null,
    operation: null,
    error: null,
  };

  /** `onPowerChange` is called when the server starts, stops, or an operation on it ends. */
  constructor(api: Api, serverId: string, onPowerChange: () => void, lines = keptLines) {
    this.ring = new LineRing(lines);
    this.#onPowerChange = onPowerChange;
    this.#connection = new ConsoleConnection({
      api,
      serverId,
      onMessage: (message) => this.#receive(message),
      onState: (connection) => this.#update({ connection }),
    });
  }

  get snapshot(): ConsoleSnapshot {
    return this.#snapshot;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Call `listener` when lines were appended. */
  onLines(listener: () => void): () => void {
    this.#lineListeners.add(listener);
    return () => this.#lineListeners.delete(listener);
  }

  send(command: string): boolean {
    return this.#connection.send({ type: 'command', command });
  }

  restart(): void {
    this.#connection.restart();
  }

  /** The person has answered, or does not want to. */
  putFeatureAside(): void {
    this.#update({ feature: null });
  }

  close(): void {
    this.#connection.close();
  }

  #receive(message: ConsoleMessage): void {
    switch (message.type) {
      case 'console_output':
        this.ring.append(message.message, Date.parse(message.at), message.seq === null ? 'notice' : 'game');
        this.#linesChanged();
        break;
      case 'install_output':
        this.ring.append(message.message, Date.now(), 'install');
        this.#linesChanged();
        break;
      case 'stats':
        this.#addSample(message);
        this.#update({ stats: message });
        break;
      case 'status':
        this.#update(
          message.status === 'starting' ? { status: message.status, feature: null } : { status: message.status },
        );
        this.#onPowerChange();
        break;
      case 'operation':
        this.#receiveOperation(message);
        break;
      case 'feature':
        this.#update({ feature: message });
        break;
      case 'error':
        this.#update({ error: message });
        break;
      case 'authenticated':
      case 'token_expiring':
        break;
    }
  }

  #receiveOperation({ kind, step, progress }: MessageOf<'operation'>): void {
    this.#update({ operation: kind === null ? null : { kind, step, progress } });
    if (kind === null) this.#onPowerChange();
  }

  #linesChanged(): void {
    for (const listener of this.#lineListeners) listener();
  }

  #addSample({ cpu, memory_bytes, network, observed_at }: Stats): void {
    const at = observed_at === null ? Date.now() : Date.parse(observed_at);
    if (at <= (this.samples.at(-1)?.at ?? 0)) return;
    this.samples.push({ at, cpu, memory: memory_bytes, received: network.rx_bytes, sent: network.tx_bytes });
    if (this.samples.length > keptSamples) this.samples.splice(0, this.samples.length - keptSamples);
  }

  #update(change: Partial<ConsoleSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}
