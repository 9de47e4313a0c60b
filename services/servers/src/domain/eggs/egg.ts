export interface EggSpec {
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly features: readonly string[];
  /** The first is the default. */
  readonly dockerImages: readonly DockerImage[];
  /** With `{{VAR}}` placeholders. */
  readonly startup: string;
  /** `startup` is the default. Empty: no choice. */
  readonly startupCommands: readonly StartupCommand[];
  readonly config: EggConfig;
  readonly script: InstallScript;
  /** gitignore patterns, closed to customers. */
  readonly fileDenylist: readonly string[];
  /** From the primary allocation's address, for some master servers. */
  readonly forceOutgoingIp: boolean;
  readonly variables: readonly EggVariable[];
  /** Unused parts of the egg's file (`extras.ts`); empty: none. */
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
  /** Path to {parser, find, create_file?}; text keeps the order of keys. */
  readonly filesJson: string;
  /** Parts of ready lines, or "regex:…". */
  readonly startupDone: readonly string[];
  readonly startupStripAnsi: boolean;
  readonly logsJson: string;
  /** Console command, ^C, or ^SIGNAL. */
  readonly stop: string;
  /** Null or absent: the panel's. */
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
  /** Equal across panels. */
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

/** Set by the panel; closed to eggs. */
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
