/** How a game is installed, configured, started and stopped, as an egg file says it. */
export interface EggSpec {
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly features: readonly string[];
  /** In order; the first one is the default. */
  readonly dockerImages: readonly DockerImage[];
  /** Command with `{{VAR}}` placeholders. */
  readonly startup: string;
  /** What servers can choose among; `startup` is the default. Empty when there is no choice. */
  readonly startupCommands: readonly StartupCommand[];
  readonly config: EggConfig;
  readonly script: InstallScript;
  /** gitignore patterns of files customers may not touch. */
  readonly fileDenylist: readonly string[];
  /** Whether what a server sends comes from the address of its primary allocation, as some master servers want it. */
  readonly forceOutgoingIp: boolean;
  readonly variables: readonly EggVariable[];
  /** JSON text of what the egg's file says and the panel does not use (`extras.ts`); empty when there is nothing. */
  readonly extrasJson: string;
}

export interface DockerImage {
  readonly label: string;
  readonly image: string;
}

export interface StartupCommand {
  readonly label: string;
  readonly command: string;
}

export interface EggConfig {
  /** JSON text: path to {parser, find, create_file?}; text because keys are free and their order counts. */
  readonly filesJson: string;
  /** Parts of console lines that mean "ready", or "regex:…". */
  readonly startupDone: readonly string[];
  readonly startupStripAnsi: boolean;
  readonly logsJson: string;
  /** Console command, or ^C, or ^SIGNAL. */
  readonly stop: string;
  /** Seconds between the stop and the kill; null or absent: the panel's. */
  readonly stopGraceSeconds?: number | null;
}

export interface InstallScript {
  readonly install: string;
  readonly container: string;
  readonly entrypoint: string;
}

export interface EggVariable {
  readonly name: string;
  readonly description: string;
  readonly envVariable: string;
  readonly defaultValue: string;
  readonly userViewable: boolean;
  readonly userEditable: boolean;
  readonly rules: readonly string[];
}

export interface Egg {
  readonly id: string;
  readonly nestId: string;
  /** As in the egg's file; stays the same across panels. */
  readonly uuid: string;
  readonly spec: EggSpec;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Nest {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Names the panel itself gives a value; an egg cannot. */
export const reservedVariables: ReadonlySet<string> = new Set([
  'SERVER_MEMORY',
  'SERVER_IP',
  'SERVER_PORT',
  'ENV',
  'HOME',
  'USER',
  'STARTUP',
  'SERVER_UUID',
  'UUID',
  'P_SERVER_UUID',
  'P_SERVER_ALLOCATION_LIMIT',
]);
