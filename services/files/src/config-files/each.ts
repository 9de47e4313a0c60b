import type { Notes, Replacement } from './model.js';
import { Problem } from './problem.js';

/** Do one replacement after the other; what cannot be done is noted and does not stop the others. */
export function eachReplacement(
  replacements: readonly Replacement[],
  notes: Notes,
  apply: (replacement: Replacement) => void,
): void {
  for (const replacement of replacements) {
    try {
      apply(replacement);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      notes.push(`${replacement.key}: ${error.message}`);
    }
  }
}
