import { readFileSync } from 'node:fs';

/** A test that fails sometimes, until it is mended. */
export interface QuarantinedTest {
  /** Full title. */
  readonly test: string;
  /** Day, as YYYY-MM-DD. */
  readonly since: string;
  /** What is known of the cause. */
  readonly why: string;
}

/** For a test on the list. */
export const quarantineRetries = 2;

/** `packages/testing/quarantine.json`, whose entries a test of this package checks. */
export function readQuarantine(): QuarantinedTest[] {
  const file = new URL('../../quarantine.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as QuarantinedTest[];
}
