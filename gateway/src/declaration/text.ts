import { isCommandLine, isOneLine, isPlainText, isTimezone, parseImageReference, splitFilePath } from '@panel/kit/text';
import { z } from 'zod';

/** No control characters: a second line would be a second command. */
export function singleLine(maxLength: number) {
  return z.string().min(1).max(maxLength).refine(isCommandLine, 'must be one line without control characters');
}

/** Names: nothing invisible. Empty ones are for the schema. */
export function nameText(maxLength: number) {
  return z.string().trim().max(maxLength).refine(isOneLine, 'must be one line without control characters');
}

/** Of several lines. */
export function plainText(maxLength: number) {
  return z.string().max(maxLength).refine(isPlainText, 'must not hold control characters');
}

export const timezone = z.string().min(1).max(64).refine(isTimezone, 'must be a time zone like Europe/Berlin');

/** Empty: none. */
export const imageReference = z
  .string()
  .max(255)
  .refine(
    (text) => text === '' || parseImageReference(text) !== null,
    'must be an image reference like ghcr.io/owner/image:tag',
  );

/** Inside a server, as the services read it. Empty ones are for the schema. */
export const serverPath = z
  .string()
  .max(4096)
  .superRefine((text, context) => {
    const split = text === '' ? { names: [] } : splitFilePath(text);
    if ('problem' in split) context.addIssue({ code: 'custom', message: split.problem });
  });
