export type Parser = 'file' | 'properties' | 'ini' | 'yaml' | 'json' | 'toml' | 'xml';

/** `kind`: type in the egg. */
export interface Value {
  readonly kind: 'text' | 'flag' | 'number';
  readonly text: string;
}

interface Condition {
  /** The required value; for a regular expression, the replaced part. */
  readonly match: string;
  readonly isRegex: boolean;
}

export interface Replacement {
  readonly key: string;
  readonly value: Value;
  /** Null: always; otherwise only an existing, matching value. */
  readonly condition: Condition | null;
}

export interface ConfigFile {
  /** Inside the server, unchecked. */
  readonly path: string;
  /** Null: unknown here. */
  readonly parser: Parser | null;
  readonly isCreated: boolean;
  readonly replacements: readonly Replacement[];
}

/** Failed replacements; the others were applied. */
export type Warnings = string[];
