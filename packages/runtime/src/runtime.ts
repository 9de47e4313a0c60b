/**
 * Runs game servers on a node. Two drivers pass one conformance suite: `docker` (an engine, through dockerode) and
 * `process` (supervised local processes, for trials). A driver holds no state.
 *
 * Errors are `AppError`s, see `reasons.ts`: NODE_UNREACHABLE, INVALID_SPEC, INVALID_IMAGE, IMAGE_PULL_FAILED,
 * IMAGE_WRONG_PLATFORM, INSTANCE_NOT_FOUND, INSTANCE_RUNNING, PORT_OCCUPIED, ADDRESS_NOT_ON_NODE, START_FAILED,
 * ENGINE_FAILED. Every method has a deadline, also when the engine hangs.
 */
export interface Runtime {
  readonly kind: 'docker' | 'process';
  /** Enforced by the driver. */
  readonly capabilities: RuntimeCapabilities;

  /** Throws NODE_UNREACHABLE and ENGINE_FAILED with `metadata.problem`, see `EngineProblem`. */
  ping(): Promise<void>;
  /** By the clock of the engine's machine; null: that of this process. */
  systemTime(): Promise<Date | null>;
  /** Changes when the engine or the machine restarts; empty where undetectable. */
  startId(): Promise<string>;
  machine(): Promise<Machine>;
  /** As instances reach it. */
  hostAddress(): Promise<string>;

  /**
   * Without a start. Replaces a stopped instance. Pulls the image first; a failed pull is ignored when the image is
   * present. `onProgress` gets "pull_image", "use_local_image" (after a failed pull), "create_container". Throws
   * INSTANCE_RUNNING, and if detectable before the start PORT_OCCUPIED (ip, port, protocol) and ADDRESS_NOT_ON_NODE (ip).
   */
  create(spec: InstanceSpec, onProgress?: ProgressListener): Promise<void>;
  /**
   * When it runs, only ends a start that broke off in the middle. `readOutput` gives output from the first byte. After its end an instance must be created again
   * (START_FAILED); a failed start may be repeated.
   */
  start(serverId: string): Promise<void>;
  /** To every process of the game. No-op when it does not run. */
  signal(serverId: string, signal: GameSignal): Promise<void>;
  resume(serverId: string): Promise<void>;
  /** Resolves when the instance no longer runs. No-op when it does not run. */
  kill(serverId: string): Promise<void>;
  /** Kills first. Keeps the volume, removes a stale installer. No-op when there is none. */
  remove(serverId: string): Promise<void>;
  /** False when that needs a re-creation. */
  updateLimits(serverId: string, limits: InstanceLimits): Promise<boolean>;

  inspect(serverId: string): Promise<Instance | null>;
  /** Of all installations on the node, without installers. */
  list(): Promise<ListedInstance[]>;
  /** From the first `next()`. Ends when `signal` aborts; throws NODE_UNREACHABLE. */
  watch(signal: AbortSignal): AsyncIterable<RuntimeEvent>;

  /**
   * From the start of the run or after `after`, then live until the run ends or `signal` aborts. Resuming at the last
   * cursor loses and repeats nothing that the engine still holds. Ends at once for an instance never started; throws
   * INSTANCE_NOT_FOUND. Data are whole lines; a terminal's end in CR LF and include echoed input. A line unfinished for
   * 100 ms comes as it is, or only as a preview (`hasPreviews`) where the engine withholds it.
   */
  readOutput(serverId: string, options: ReadOutputOptions): AsyncIterable<OutputChunk>;
  /**
   * Unchanged: the caller removes control characters, because a terminal turns ^C into a signal. Throws
   * INSTANCE_NOT_FOUND when it does not run, INPUT_BLOCKED when the game does not read.
   */
  writeInput(serverId: string, data: string): Promise<void>;
  /** Usage about once a second until the instance stops or `signal` aborts. */
  readStats(serverId: string, signal: AbortSignal): AsyncIterable<InstanceStats>;
  /** Cheaper than `readStats`; null when it does not run. */
  sampleUsage(serverId: string): Promise<UsageSample | null>;

  /**
   * Runs a script over the server's volume and gives its files to the volume's user. Removes a stale installer first.
   * `onOutput` gets at most 8 MiB. Throws INSTALL_TIMEOUT after `timeoutMs` of the script (not the pull),
   * INSTALL_ABORTED on `signal`.
   */
  install(spec: InstallSpec, onOutput: (chunk: Buffer) => void, signal: AbortSignal): Promise<InstallResult>;

  close(): Promise<void>;
}

export interface Machine {
  /** Of the engine, also of another connection to it; clones of a machine may share it. Empty: it has none. */
  readonly engineId: string;
  readonly hostName: string;
}

interface RuntimeCapabilities {
  /** Memory, CPU, pids and io. */
  readonly limits: boolean;
  /** The game can access nothing outside its volume. */
  readonly isolation: boolean;
  readonly ports: boolean;
  readonly networkStats: boolean;
}

/** `reason`: the engine's message, for operators. */
export type ProgressListener = (step: string, detail: string, reason?: string) => void;

export type GameSignal = 'SIGINT' | 'SIGTERM' | 'SIGQUIT' | 'SIGHUP' | 'SIGABRT' | 'SIGUSR1' | 'SIGUSR2' | 'SIGKILL';

export interface InstanceLimits {
  /** MiB; 0 unlimited. */
  readonly memoryMb: number;
  /** MiB; -1 unlimited, 0 none. */
  readonly swapMb: number;
  /** Percent of one core; 0 unlimited. */
  readonly cpuPercent: number;
  /** 10 to 1000. */
  readonly ioWeight: number;
  /** Processors of the node, as "0-3,6"; default all. */
  readonly threads?: string;
  /** At its memory limit the game waits instead of being killed. */
  readonly isOomKillDisabled?: boolean;
}

/** Created by the files service. */
export interface Volume {
  /** Absolute path on the node. */
  readonly path: string;
  /** The game's user; never 0. */
  readonly uid: number;
  readonly gid: number;
}

/** For pulls; of the two secrets one is empty. Drivers without images ignore them. */
export interface RegistryCredentials {
  /** `registry` of the image references; sent to no other. */
  readonly registry: string;
  /** May be empty with an identity token. */
  readonly username: string;
  readonly password: string;
  /** OAuth refresh token, as `docker login` keeps it. */
  readonly identityToken: string;
}

export interface InstanceSpec {
  readonly serverId: string;
  /** Grows with every creation; stored as a label. */
  readonly generation: number;
  readonly image: string;
  readonly credentials?: RegistryCredentials;
  /** With `{{VAR}}` placeholders, run through a shell. */
  readonly startup: string;
  /** The whole environment. Names match ^[A-Za-z_][A-Za-z0-9_]*$. */
  readonly environment: Readonly<Record<string, string>>;
  readonly volume: Volume;
  readonly limits: InstanceLimits;
  /** At the engine's shutdown: signal to every process, kill after the grace. Default SIGTERM and 30 s. */
  readonly stop?: { readonly signal: GameSignal; readonly graceMs: number };
  /** Source IPv4 address of the game's traffic; default the node's choice. Needs `capabilities.ports`. */
  readonly outgoingIp?: string;
  /** Bound on TCP and UDP, host port = container port. */
  readonly ports: readonly { readonly ip: string; readonly port: number }[];
}

export interface InstallSpec {
  readonly serverId: string;
  readonly image: string;
  readonly credentials?: RegistryCredentials;
  /** Interpreter in the installer image, e.g. "bash". */
  readonly entrypoint: string;
  /** The driver replaces CRLF by LF. The volume is at /mnt/server. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly volume: Volume;
  /** Raised to the installer's minimum (1024 MB, 100 % of a core). */
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

export type ListedInstance = Instance & {
  /** Made by another installation, or by this one before its database was lost. */
  readonly isForeign: boolean;
};

export type RuntimeEvent =
  | { readonly type: 'started'; readonly serverId: string; readonly at: Date }
  | { readonly type: 'paused'; readonly serverId: string; readonly at: Date }
  | {
      readonly type: 'exited';
      readonly serverId: string;
      /** Of the ended run: its event may follow the next start. */
      readonly generation: number;
      readonly at: Date;
      readonly exitCode: number;
      readonly outOfMemory: boolean;
      /** The engine sent an ending signal just before: its shutdown or an operator. */
      readonly isEndedFromOutside: boolean;
    };

/** Opaque, comparable only for equality; valid across restarts of this process. */
export type OutputCursor = string;

export interface ReadOutputOptions {
  readonly after?: OutputCursor;
  readonly signal: AbortSignal;
  /** Includes chunks with `isPreview`. */
  readonly hasPreviews?: boolean;
}

export interface OutputChunk {
  /** In a preview, the whole unfinished line. */
  readonly data: Buffer;
  /** Receipt by the engine. */
  readonly at: Date;
  /** Position after this chunk. */
  readonly cursor: OutputCursor;
  /** Output before this chunk is lost. */
  readonly isAfterGap?: boolean;
  /** An unfinished line, repeated when finished. Does not move the cursor. */
  readonly isPreview?: boolean;
}

export interface UsageSample {
  /** Counters of two runs are not comparable. */
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
  /** The measured run may have a successor. */
  readonly generation: number;
  /** Percent; 100 is one core. Null for a first sample. */
  readonly cpuPercent: number | null;
  /** Without page cache. */
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number;
  readonly networkRxBytes: number;
  readonly networkTxBytes: number;
  readonly uptimeMs: number;
  readonly at: Date;
}
