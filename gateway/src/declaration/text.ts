import { z } from 'zod';

/** C0 control characters but the tab, DEL, the C1 control characters, and the line separators of Unicode. */
// oxlint-disable-next-line no-control-regex -- control characters are what it matches
const controlCharacter = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/;

/** Text of one line, without control characters: a second line would be a second command. */
export function singleLine(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !controlCharacter.test(text), 'must be one line without control characters');
}
