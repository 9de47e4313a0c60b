export type Parser = 'file' | 'properties' | 'ini' | 'yaml' | 'json' | 'toml' | 'xml';

/** A new value: `text` is what it reads, `kind` what the egg's author wrote it as. */
export interface Value {
  readonly kind: 'text' | 'flag' | 'number';
  readonly text: string;
}

interface Condition {
  /** What the value must be; as a regular expression, what in it is replaced. */
  readonly match: string;
  readonly isRegex: boolean;
}

export interface Replacement {
  readonly key: string;
  readonly value: Value;
  /** Null: always. Else only where the key is there and its value matches. */
  readonly condition: Condition | null;
}

/** What an egg wants in one configuration file. */
export interface ConfigFile {
  /** Inside the server, not yet checked. */
  readonly path: string;
  /** Null when the caller knows a parser that we do not. */
  readonly parser: Parser | null;
  readonly isCreated: boolean;
  readonly replacements: readonly Replacement[];
}

/** What one replacement could not do; the others were done. */
export type Warnings = string[];
