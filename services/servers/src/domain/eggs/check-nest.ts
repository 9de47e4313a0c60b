import { type FieldMessages, fieldProblem, requireValid } from '@panel/kit/errors';
import { isOneLine, isPlainText } from '@panel/kit/text';

/** Throws INVALID_FIELDS. */
export function checkNest(nest: {
  readonly name: string;
  readonly description: string;
  readonly author: string;
}): void {
  const fields: FieldMessages = {};
  if (nest.name === '') fields.name = [fieldProblem('required', 'is required')];
  else if (nest.name.length > 191 || !isOneLine(nest.name) || /[<>]/.test(nest.name))
    fields.name = ['must be one line of at most 191 characters, without < and >'];
  if (nest.description.length > 5000 || !isPlainText(nest.description))
    fields.description = ['must be text of at most 5000 characters'];
  if (nest.author.length > 191 || !isOneLine(nest.author))
    fields.author = ['must be one line of at most 191 characters'];
  requireValid(fields);
}
