/**
 * What runs game servers on a node. Two drivers keep this contract: `docker` (an engine, through dockerode) and `process`
 * (one supervised child process per game server on this machine, for trying things out). One conformance suite runs
 * against both. A driver holds no truth of its own: what runs is what its engine says.
 *
 * Errors are `AppError`s, see `reasons.ts`: NODE_UNREACHABLE (engine does not answer within its deadline), INVALID_SPEC,
 * INVALID_IMAGE, IMAGE_PULL_FAILED, INSTANCE_NOT_FOUND, INSTANCE_RUNNING, PORT_OCCUPIED, START_FAILED, ENGINE_FAILED.
 * Every method ends within its deadline, also when the engine hangs.
 */
export interface Runtime {
  readonly kind: 'docker' | 'process';
  /** What the driver enforces; the conformance suite tests the rest only where it is true. */
  readonly capabilities: RuntimeCapabilities;

  /** Resolves when the engine answers within 5 s. */
  ping(): Promise<void>;
  /** Changes when the engine, or the machine of processes, has started anew; empty where that cannot be detected. */
  startId(): Promise<string>;
  /** IP address under which instances reach the machine they run on. */
  hostAddress(): Promise<string>;

  /**
   * Make the instance, not started, replacing a stopped one of the same server. Pulls the image first; a failed pull is
   * forgiven when the image is there. `onProgress` gets the steps ("pull_image", "use_local_image" after a failed pull,
   * "create_container"). Throws INSTANCE_RUNNING when one of the same server runs, PORT_OCCUPIED (ip, port, protocol) when
   * another process has one of its ports, as far as that can be seen before the start.
   */
  create(spec: InstanceSpec, onProgress?: ProgressListener): Promise<void>;
  /**
   * Start what `create` made. No-op when it runs. Output from the very first byte on can be read with `readOutput`. One
   * instance is one run: what has ended must be created again (START_FAILED), what failed to start may be tried again.
   */
  start(serverId: string): Promise<void>;
  /** Send a signal to every process of the game, not only to the shell before it. No-op when it does not run. */
  signal(serverId: string, signal: GameSignal): Promise<void>;
  /** Have a paused instance continue. No-op when it is not paused. */
  resume(serverId: string): Promise<void>;
  /** SIGKILL; resolves when the instance no longer runs. No-op when it does not run. */
  kill(serverId: string): Promise<void>;
  /** Remove the instance (not the volume), and an installer left behind. Kills first. No-op when there is none. */
  remove(serverId: string): Promise<void>;
  /** Apply changed limits to a running instance. Returns false when only a re-creation can. */
  updateLimits(serverId: string, limits: InstanceLimits): Promise<boolean>;

  /** The instance as the engine sees it, or null. */
  inspect(serverId: string): Promise<Instance | null>;
  /** All instances this panel made on the node, installers left out. */
  list(): Promise<Instance[]>;
  /**
   * Starts and ends of instances from the first `next()` on, as they happen. Ends when `signal` aborts; throws
   * NODE_UNREACHABLE when the engine is lost.
   */
  watch(signal: AbortSignal): AsyncIterable<RuntimeEvent>;

  /**
   * The instance's console output in order, from the beginning of the current run or after `after`, then live until the
   * run ends or `signal` aborts. A reader that comes back with the last cursor it saw loses and doubles nothing that the
   * engine still holds. Ends at once for an instance that was never started; throws INSTANCE_NOT_FOUND for none. Data
   * are whole lines as far as lines have an end; a terminal's lines end in CR LF and repeat what was typed. A line that
   * has no end for 100 ms comes as it is; a driver whose engine holds it back lets it be seen with `hasPreviews` only.
   */
  readOutput(serverId: string, options: ReadOutputOptions): AsyncIterable<OutputChunk>;
  /**
   * Write to the game's standard input, as it is: control characters are for the caller to take out, because a terminal
   * turns ^C into a signal. Throws INSTANCE_NOT_FOUND when it does not run, INPUT_BLOCKED when the game does not read.
   */
  writeInput(serverId: string, data: string): Promise<void>;
  /** Usage about once a second until the instance stops or `signal` aborts. */
  readStats(serverId: string, signal: AbortSignal): AsyncIterable<InstanceStats>;
  /** One sample of the counters of a running instance, cheaper than `readStats`; null when it does not run. */
  sampleUsage(serverId: string): Promise<UsageSample | null>;

  /**
   * Run an installation script over the server's volume to its end, and leave the files owned by the volume's user.
   * `onOutput` gets its output as it comes, at most 8 MiB. Rejects with INSTALL_TIMEOUT after `timeoutMs` of the script
   * (the pull has a bound of its own); aborting `signal` kills it and rejects with INSTALL_ABORTED.
   * An installer left behind by a dead process is removed first.
   */
  install(spec: InstallSpec, onOutput: (chunk: Buffer) => void, signal: AbortSignal): Promise<InstallResult>;

  /** Close connections. Running instances continue. */
  close(): Promise<void>;
}

interface RuntimeCapabilities {
  /** Memory, CPU, pids and io limits hold. */
  readonly limits: boolean;
  /** The game cannot see or write anything outside its volume. */
  readonly isolation: boolean;
  /** Allocations are bound by the engine. */
  readonly ports: boolean;
  /** Network counters are counted. */
  readonly networkStats: boolean;
}

/** `reason`: why a step was taken, in the engine's own words; for operators. */
export type ProgressListener = (step: string, detail: string, reason?: string) => void;

export type GameSignal = 'SIGINT' | 'SIGTERM' | 'SIGQUIT' | 'SIGHUP' | 'SIGABRT' | 'SIGUSR1' | 'SIGUSR2' | 'SIGKILL';

export interface InstanceLimits {
  /** Megabytes of 1024²; 0 unlimited. */
  readonly memoryMb: number;
  /** Megabytes; -1 unlimited, 0 none. */
  readonly swapMb: number;
  /** Percent of one core; 0 unlimited. */
  readonly cpuPercent: number;
  /** 10 to 1000. */
  readonly ioWeight: number;
  /** Processors of the node, as "0-3,6"; all unless given. */
  readonly threads?: string;
  /** A game that reaches its memory limit waits for memory instead of being ended. */
  readonly isOomKillDisabled?: boolean;
}

/** A server's directory on the node, made by the files service. */
export interface Volume {
  /** Absolute path on the node. */
  readonly path: string;
  /** User the game runs as; never 0. */
  readonly uid: number;
  readonly gid: number;
}

export interface InstanceSpec {
  readonly serverId: string;
  /** Grows with every creation; kept as a label. */
  readonly generation: number;
  readonly image: string;
  /** The egg's startup command, with `{{VAR}}` placeholders; the driver passes it through a shell, values as environment. */
  readonly startup: string;
  /** Everything the game may know. Names match ^[A-Z_][A-Z0-9_]*$. */
  readonly environment: Readonly<Record<string, string>>;
  readonly volume: Volume;
  readonly limits: InstanceLimits;
  /**
   * How an engine that goes down, or an operator on it, ends the game: the signal reaches every process of it, and what
   * runs after the grace is killed. SIGTERM and 30 s unless given.
   */
  readonly stop?: { readonly signal: GameSignal; readonly graceMs: number };
  /**
   * IPv4 address of the node that what the game sends comes from; the node's own choice unless given. Kept where
   * `capabilities.ports` is true.
   */
  readonly outgoingIp?: string;
  /** Bound on TCP and UDP, host port = container port. */
  readonly ports: readonly { readonly ip: string; readonly port: number }[];
}

export interface InstallSpec {
  readonly serverId: string;
  readonly image: string;
  /** Interpreter in the installer image, e.g. "bash". */
  readonly entrypoint: string;
  /** CRLF is turned into LF by the driver. Sees the volume at /mnt/server. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly volume: Volume;
  /** The larger of these and the installer's own floor (1024 MB, 100 % of a core) hold. */
  readonly limits: InstanceLimits;
  readonly timeoutMs: number;
  readonly onProgress?: ProgressListener;
}

export interface InstallResult {
  readonly exitCode: number;
  readonly outOfMemory: boolean;
}

export type Instance =
  | { readonly serverId: string; readonly generation: number; readonly state: 'created' }
  | {
      readonly serverId: string;
      readonly generation: number;
      readonly state: 'running';
      readonly startedAt: Date;
      /** An operator has halted it on the engine: it is there and does nothing. */
      readonly isPaused: boolean;
    }
  | {
      readonly serverId: string;
      readonly generation: number;
      readonly state: 'exited';
      readonly exitCode: number;
      readonly outOfMemory: boolean;
      readonly finishedAt: Date;
    };

export type RuntimeEvent =
  | { readonly type: 'started'; readonly serverId: string; readonly at: Date }
  | { readonly type: 'paused'; readonly serverId: string; readonly at: Date }
  | {
      readonly type: 'exited';
      readonly serverId: string;
      /** Of the run that ended: its event may come when the next one has started. */
      readonly generation: number;
      readonly at: Date;
      readonly exitCode: number;
      readonly outOfMemory: boolean;
      /** The engine sent it a signal to end just before: the engine stops, or an operator on it does this. */
      readonly isEndedFromOutside: boolean;
    };

/** Opaque, made by the driver; comparable only for equality; survives a restart of this process as a string. */
export type OutputCursor = string;

export interface ReadOutputOptions {
  readonly after?: OutputCursor;
  readonly signal: AbortSignal;
  /** Chunks with `isPreview` come, too. */
  readonly hasPreviews?: boolean;
}

export interface OutputChunk {
  /** Of a preview: all of the line in progress. */
  readonly data: Buffer;
  /** When the engine received it. */
  readonly at: Date;
  /** Position after this chunk. */
  readonly cursor: OutputCursor;
  /** What came between the chunk (or cursor) before this one and this one is no longer held: it is lost. */
  readonly isAfterGap?: boolean;
  /** Text whose line has not ended and that the engine does not hold: it comes again with its line. Moves no cursor. */
  readonly isPreview?: boolean;
}

/** What an instance has used since its start, and what it holds. */
export interface UsageSample {
  /** Of which start: counters of two runs are not compared. */
  readonly run: string;
  /** Milliseconds of one core. */
  readonly cpuMs: number;
  /** Without page cache. */
  readonly memoryBytes: number;
  readonly networkRxBytes: number;
  readonly networkTxBytes: number;
  readonly at: Date;
}

export interface InstanceStats {
  /** Of the run that is measured: the one before may still be looked at when the next has begun. */
  readonly generation: number;
  /** Percent; 100 is one core; not relative to the limit. Null at a first sample that has nothing to compare with. */
  readonly cpuPercent: number | null;
  /** Without page cache. */
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number;
  readonly networkRxBytes: number;
  readonly networkTxBytes: number;
  readonly uptimeMs: number;
  readonly at: Date;
}
