import type { Parser } from '../domain/config-file.js';

const mebibyte = 1024 * 1024;

/**
 * Largest file that is parsed: its content is untrusted. The parsers of YAML and TOML need
 * about 500 times their input in memory and seconds for a mebibyte; configuration of games has some 100 KiB.
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

/** Levels of a document; each is some frames of the stack of a parser that recurses. */
export const maxDepth = 64;

export const maxReplacements = 2000;
export const maxKeyLength = 1024;
/** Characters of a value, also of one that a regular expression made. */
export const maxValueLength = 64 * 1024;

/** Warnings that are listed one by one in the response. */
export const maxWarnings = 10;
export const maxMessageLength = 1000;

/** For one file, in a thread that is ended then. */
export const fileTimeoutMs = 4000;
/** For all files of a server; those left over are skipped. */
export const serverTimeoutMs = 20_000;
