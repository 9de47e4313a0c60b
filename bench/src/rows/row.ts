export interface Line {
  readonly name: string;
  /** Readable, mostly a ratio. */
  readonly value: string;
  readonly details: string;
  readonly target: string;
  /** Whether the floor holds; null without one. */
  readonly holds: boolean | null;
}

export interface Row {
  readonly name: string;
  readonly about: string;
  run(): Promise<Line[]>;
}

export const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;
export const us = (value: number): string => `${value.toFixed(0)} µs`;
export const ms = (value: number): string => `${value.toFixed(1)} ms`;
