import { isCommandLine } from '@panel/kit/text';
import { z } from 'zod';

/** No control characters: a second line would be a second command. */
export function singleLine(maxLength: number) {
  return z.string().min(1).max(maxLength).refine(isCommandLine, 'must be one line without control characters');
}
