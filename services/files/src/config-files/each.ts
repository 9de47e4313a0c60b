import type { Warnings, Replacement } from '../domain/config-file.js';
import { RewriteError } from './rewrite-error.js';

/** A failed one becomes a warning. */
export function eachReplacement(
  replacements: readonly Replacement[],
  warnings: Warnings,
  apply: (replacement: Replacement) => void,
): void {
  for (const replacement of replacements) {
    try {
      apply(replacement);
    } catch (error) {
      if (!(error instanceof RewriteError)) throw error;
      warnings.push(`${replacement.key}: ${error.message}`);
    }
  }
}
