import { invalidFields } from '@panel/kit/errors';
import { uuid } from './server-id.js';

/** An id as it may name a file: a UUID in lower case. Throws INVALID_FIELDS. */
export function requireBackupId(text: string, field = 'backup_id'): string {
  if (uuid.test(text)) return text;
  throw invalidFields({ [field]: ['must be a UUID in lower case'] });
}
