export interface EggSpec {
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly features: readonly string[];
  /** The first is the default. */
  readonly dockerImages: readonly DockerImage[];
  /** Command with `{{VAR}}` placeholders. */
  readonly startup: string;
  /** Choices of servers, `startup` is the default. Empty: no choice. */
  readonly startupCommands: readonly StartupCommand[];
  readonly config: EggConfig;
  readonly script: InstallScript;
  /** gitignore patterns of files closed to customers. */
  readonly fileDenylist: readonly string[];
  /** Outgoing packets use the primary allocation's address; some master servers need it. */
  readonly forceOutgoingIp: boolean;
  readonly variables: readonly EggVariable[];
  /** JSON text of the unused parts of the egg's file (`extras.ts`); empty: none. */
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
  /** JSON text: path to {parser, find, create_file?}; text keeps free keys in order. */
  readonly filesJson: string;
  /** Parts of ready lines, or "regex:…". */
  readonly startupDone: readonly string[];
  readonly startupStripAnsi: boolean;
  readonly logsJson: string;
  /** Console command, ^C, or ^SIGNAL. */
  readonly stop: string;
  /** Seconds from stop to kill; null or absent: the panel's. */
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
  /** From the egg's file, equal across panels. */
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

/** Names that the panel sets; closed to eggs. */
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
