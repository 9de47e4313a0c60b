import type { Parser } from '../domain/config-file.js';

const mebibyte = 1024 * 1024;

/**
 * Maximum for untrusted content. YAML and TOML parsers need about 500 times their input in memory and seconds per MiB;
 * game configurations have about 100 KiB.
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
/** Characters, also after regex replacement. */
export const maxValueLength = 64 * 1024;

/** Listed individually in the response. */
export const maxWarnings = 10;
export const maxMessageLength = 1000;

/** Per file; then the thread is terminated. */
export const fileTimeoutMs = 4000;
/** Per server; the remaining files are skipped. */
export const serverTimeoutMs = 20_000;
