import { type FieldMessages, invalidFields } from '@panel/kit';

// oxlint-disable-next-line no-control-regex -- a name is one visible line, read as it is written, and never markup
const forbidden = /[\u0000-\u001f\u007f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff<>]/;

/** Throws INVALID_FIELDS naming the fields of a nest that cannot be stored. */
export function checkNest(nest: {
  readonly name: string;
  readonly description: string;
  readonly author: string;
}): void {
  const fields: FieldMessages = {};
  if (nest.name === '') fields.name = ['is required'];
  else if (nest.name.length > 191 || forbidden.test(nest.name))
    fields.name = ['must be one line of at most 191 characters, without < and >'];
  if (nest.description.length > 5000) fields.description = ['must have at most 5000 characters'];
  if (nest.author.length > 191) fields.author = ['must have at most 191 characters'];
  if (Object.keys(fields).length > 0) throw invalidFields(fields);
}
