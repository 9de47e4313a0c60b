/** One line of the result. */
export interface Line {
  readonly name: string;
  /** As a person reads it: a ratio, mostly. */
  readonly value: string;
  /** What has been measured, beside. */
  readonly details: string;
  readonly target: string;
  /** Whether the floor holds; null where there is none. */
  readonly holds: boolean | null;
}

/** Something to measure. */
export interface Row {
  readonly name: string;
  readonly about: string;
  run(): Promise<Line[]>;
}

export const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;
export const us = (value: number): string => `${value.toFixed(0)} µs`;
export const ms = (value: number): string => `${value.toFixed(1)} ms`;
