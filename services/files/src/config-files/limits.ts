import type { Parser } from '../domain/config-file.js';

const mebibyte = 1024 * 1024;

/**
 * Untrusted content: YAML and TOML parsers take about 500 times their input in memory and seconds per MiB; game
 * configurations have about 100 KiB.
 */
export const maxFileBytes: Readonly<Record<Parser, number>> = {
  file: 4 * mebibyte,
  properties: 4 * mebibyte,
  ini: 4 * mebibyte,
  json: 4 * mebibyte,
  xml: 4 * mebibyte,
  yaml: mebibyte,
  toml: mebibyte / 2,
};

/** Depth limit for recursive parsers. */
export const maxDepth = 64;

export const maxReplacements = 2000;
export const maxKeyLength = 1024;
/** Characters, also after replacement. */
export const maxValueLength = 64 * 1024;

/** Listed individually. */
export const maxWarnings = 10;
export const maxMessageLength = 1000;

/** Per file; then terminates the thread. */
export const fileTimeoutMs = 4000;
/** Per server; skips the rest. */
export const serverTimeoutMs = 20_000;
